// Package child runs a server program that must not outlive this process: it
// is told to end when we die, however we die, and is started again when it
// dies by itself.
package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is one run of a program. Its methods are safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // how it ended; set before exited is closed
}

// Start runs cmd, and has death sent to it when this process ends. A
// terminal's Ctrl-C does not reach it: a server is stopped after its clients,
// not with them. Of cmd.SysProcAttr only the Credential is kept.
func Start(cmd *exec.Cmd, death syscall.Signal) (*Process, error) {
	cmd.SysProcAttr = attributes(cmd.SysProcAttr, death)
	p := &Process{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(death, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	return p, nil
}

// run keeps one thread for the life of the child: on Linux the child is told when the
// thread that started it ends, and Go ends idle threads as it likes.
func (p *Process) run(death syscall.Signal, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	unwatch, err := watchParent(p.cmd.Process.Pid, death)
	if err != nil {
		started <- errors.Join(err, p.cmd.Process.Kill(), ignoreExit(p.cmd.Wait()))
		return
	}
	started <- nil
	p.err = errors.Join(p.cmd.Wait(), unwatch())
	close(p.exited)
}

func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Err says how the process ended; nil is a clean end. It must be asked only
// after Exited is closed.
func (p *Process) Err() error { return p.err }

// Signal sends a signal. That the process has ended already is no error.
func (p *Process) Signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %s (pid %d): %w", p.cmd.Path, p.PID(), err)
	}
	return nil
}

// Step is one way to ask a process to end, and how long it is given.
type Step struct {
	Signal  syscall.Signal
	Timeout time.Duration
}

// Stop tries the steps until the process has ended.
func (p *Process) Stop(steps ...Step) error {
	for _, step := range steps {
		if err := p.Signal(step.Signal); err != nil {
			return err
		}
		timer := time.NewTimer(step.Timeout)
		select {
		case <-p.exited:
			timer.Stop()
			return nil
		case <-timer.C:
		}
	}
	return fmt.Errorf("stop %s (pid %d): it does not end", p.cmd.Path, p.PID())
}
