package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// readyTimeout covers recovery after a crash; an ordinary start takes 0.1 s.
	readyTimeout = 60 * time.Second

	// How long each way to ask for the end is given.
	fastTimeout      = 15 * time.Second // closes connections, writes a checkpoint
	immediateTimeout = 5 * time.Second  // leaves the checkpoint to the next start
)

// child is one run of the postmaster.
type child struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended; set before exited is closed
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// launch starts the server and returns when it answers and has its database.
func launch(ctx context.Context, bin Binaries, p *place) (*child, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	log, err := openLog(p.logFile)
	if err != nil {
		return nil, err
	}
	from, err := log.Seek(0, 2)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the end of the log: %w", err), log.Close())
	}
	c, err := p.spawn(bin, log)
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	if err := c.waitReady(ctx, p); err != nil {
		err = fmt.Errorf("%w; its log %s ends: %s", err, p.logFile, logTail(p.logFile, from))
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// spawn writes the configuration and starts the process.
func (p *place) spawn(bin Binaries, log *os.File) (_ *child, err error) {
	doors, files, err := p.doors(p.data, p.socketDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeAll(files)) }() // the child has its own copies
	if doors == nil {
		doors = []string{p.data, p.socketDir}
	}
	if err := writeConfig(bin, p, doors[1]); err != nil {
		return nil, err
	}
	cmd := exec.Command(bin.postgres(), "-D", doors[0]) //nolint:noctx // it outlives every context; stop ends it
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	cmd.ExtraFiles = files
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = attributes(p.account.credential())
	c := &child{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go c.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("run %s: %w", bin.postgres(), err)
	}
	return c, nil
}

// run keeps one thread for the life of the child: on Linux the child is told when the
// thread that started it ends, and Go ends idle threads as it likes.
func (c *child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.cmd.Start(); err != nil {
		started <- err
		return
	}
	unwatch, err := watchParent(c.cmd.Process.Pid)
	if err != nil {
		err = errors.Join(err, c.cmd.Process.Signal(syscall.SIGQUIT), ignoreExit(c.cmd.Wait()))
		started <- err
		return
	}
	started <- nil
	c.err = errors.Join(c.cmd.Wait(), unwatch())
	close(c.exited)
}

func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// waitReady connects until the server lets us in, and makes the database the first time.
func (c *child) waitReady(ctx context.Context, p *place) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ping(ctx, p.url(name))
		var answer *pgconn.PgError
		if errors.As(err, &answer) && answer.Code == "3D000" { // no such database
			err = createDatabase(ctx, p)
		}
		if err == nil {
			return nil
		}
		select {
		case <-c.exited:
			return fmt.Errorf("postgres ended while starting: %w", errors.Join(c.err, err))
		case <-ctx.Done():
			return fmt.Errorf("wait for postgres: %w", errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func createDatabase(ctx context.Context, p *place) (err error) {
	conn, err := pgx.Connect(ctx, p.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return err
}

// stop ends the server: gently, then without the checkpoint, then by force.
func (c *child) stop() error {
	for _, step := range []struct {
		signal  syscall.Signal
		timeout time.Duration
	}{
		{syscall.SIGINT, fastTimeout},
		{syscall.SIGQUIT, immediateTimeout},
		{syscall.SIGKILL, immediateTimeout},
	} {
		err := c.cmd.Process.Signal(step.signal)
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop postgres (pid %d): %w", c.pid(), err)
		}
		select {
		case <-c.exited:
			return nil
		case <-time.After(step.timeout):
		}
	}
	return fmt.Errorf("stop postgres (pid %d): it does not end", c.pid())
}

// lastLines is the end of a text on one line, for an error message.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, " | ")
}
