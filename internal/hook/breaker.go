package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// rest is how long hooks ask nothing of a mneme that let one wait in vain: a
// session must not pay the deadline at every step.
const rest = 15 * time.Second

// restPath is the file whose age tells when that was.
func restPath(home string) string { return filepath.Join(home, "sessions", ".waited") }

// connect returns the client. After a first failure there is no second try.
func (r *run) connect(ctx context.Context) (Client, error) {
	if r.client != nil || r.dialErr != nil {
		return r.client, r.dialErr
	}
	if info, err := os.Stat(restPath(r.cfg.Home)); err == nil && r.opts.Now().Sub(info.ModTime()).Abs() < rest {
		r.dialErr = memory.Down("Temporal", "", errors.New("mneme did not answer a moment ago"))
		return nil, r.dialErr
	}
	r.client, r.dialErr = r.opts.Dial(ctx, r.cfg, r.redactor)
	r.waited(ctx, r.dialErr)
	return r.client, r.dialErr
}

// waited notes that mneme let this hook wait until its time was over.
func (r *run) waited(ctx context.Context, err error) {
	if err == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return
	}
	path := restPath(r.cfg.Home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return // then the next hook waits, too
	}
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		_ = f.Close() // nothing was written
	}
	now := r.opts.Now()
	_ = os.Chtimes(path, now, now) // the same
}
