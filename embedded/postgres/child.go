package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mneme-memory/mneme/embedded/internal/child"
)

const (
	// readyTimeout covers recovery after a crash; an ordinary start takes 0.1 s.
	readyTimeout = 60 * time.Second

	// How long each way to ask for the end is given.
	fastTimeout      = 15 * time.Second // closes connections, writes a checkpoint
	immediateTimeout = 5 * time.Second  // leaves the checkpoint to the next start
)

// stopSteps end the server: gently, then without the checkpoint, then by force.
func stopSteps() []child.Step {
	return []child.Step{
		{Signal: syscall.SIGINT, Timeout: fastTimeout},
		{Signal: syscall.SIGQUIT, Timeout: immediateTimeout},
		{Signal: syscall.SIGKILL, Timeout: immediateTimeout},
	}
}

// launch starts the server and returns when it answers and has its database.
func launch(ctx context.Context, bin Binaries, p *place) (*child.Process, error) {
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
	server, err := p.spawn(bin, log)
	if err := errors.Join(err, log.Close()); err != nil {
		return nil, err
	}
	if err := p.waitReady(ctx, server); err != nil {
		err = fmt.Errorf("%w; its log %s ends: %s", err, p.logFile, child.LogTail(p.logFile, from))
		return nil, errors.Join(err, server.Stop(stopSteps()...))
	}
	return server, nil
}

// spawn writes the configuration and starts the process.
func (p *place) spawn(bin Binaries, log *os.File) (_ *child.Process, err error) {
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.account.credential()}
	return child.Start(cmd, syscall.SIGINT) // a fast shutdown
}

// waitReady connects until the server lets us in, and makes the database the first time.
func (p *place) waitReady(ctx context.Context, server *child.Process) error {
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
		case <-server.Exited():
			return fmt.Errorf("postgres ended while starting: %w", errors.Join(server.Err(), err))
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
