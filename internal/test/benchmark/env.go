package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// corpusSize is how many memories the loaded daemon holds.
const corpusSize = 10_000

// Env is what suites share: the binary, a scratch folder, and one daemon with
// 10,000 memories.
type Env struct {
	Mneme string // the binary
	Dir   string // scratch, removed at the end
	log   io.Writer

	loaded  *loaded // nil until someone asks
	daemons []*daemon
}

// loaded is the daemon with the corpus and how it came to it.
type loaded struct {
	*daemon
	imported time.Duration // the import, from the start of the command to its end
	restart  time.Duration // from the kill to being ready again
}

func newEnv(binary string, log io.Writer) (*Env, error) {
	path, err := filepath.Abs(binary)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, fmt.Errorf("find the binary, which make build makes: %w", err)
	}
	dir, err := os.MkdirTemp("", "mneme-bench-")
	if err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	return &Env{Mneme: path, Dir: dir, log: log}, nil
}

// close stops every daemon that still runs and removes the scratch folder.
func (e *Env) close() error {
	var errs []error
	for _, d := range e.daemons {
		errs = append(errs, d.stop())
	}
	return errors.Join(append(errs, os.RemoveAll(e.Dir))...)
}

// say reports progress.
func (e *Env) say(format string, args ...any) {
	fmt.Fprintf(e.log, "%s  %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// command is the binary on a home. It sees nothing of the user's own mneme.
func (e *Env) command(ctx context.Context, home string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.Mneme, args...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MNEME_") && !strings.HasPrefix(kv, "HOME=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+e.Dir, "MNEME_HOME="+home, "MNEME_EMBED_MODEL=mneme-static")
	cmd.Dir = e.Dir
	return cmd
}

// mneme runs one command to its end. The error of a failed command includes its
// output.
func (e *Env) mneme(ctx context.Context, home string, args ...string) error {
	if out, err := e.command(ctx, home, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("mneme %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// full returns the daemon with 10,000 memories. The first who asks waits for
// the import, and for a kill -9 and a start after it: so the measurements read
// from the disk.
func (e *Env) full(ctx context.Context) (*loaded, error) {
	if e.loaded != nil {
		return e.loaded, nil
	}
	file := filepath.Join(e.Dir, "corpus.jsonl")
	if err := writeCorpus(file); err != nil {
		return nil, err
	}
	d, err := e.start(ctx, "full")
	if err != nil {
		return nil, err
	}
	// The first memory of all makes the collections; an import of the second
	// file of one's life does not.
	if err := e.mneme(ctx, d.home, "store", "the first memory of all", "--project", "other"); err != nil {
		return nil, err
	}
	e.say("importing %d memories", corpusSize)
	l := &loaded{}
	if l.imported, err = timed(func() error { return e.mneme(ctx, d.home, "import", file) }); err != nil {
		return nil, err
	}
	if l.restart, err = timed(func() error {
		if err := d.kill(); err != nil {
			return err
		}
		l.daemon, err = e.start(ctx, "full")
		return err
	}); err != nil {
		return nil, err
	}
	e.loaded = l
	return l, nil
}

func writeCorpus(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write corpus: %w", err)
	}
	if err := errors.Join(newCorpus(1).write(f, corpusSize), f.Close()); err != nil {
		return fmt.Errorf("write corpus: %w", err)
	}
	return nil
}
