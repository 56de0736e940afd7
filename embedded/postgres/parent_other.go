//go:build unix && !linux

package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// attributes keeps a terminal's Ctrl-C for us: the server is stopped after its clients.
func attributes(credential *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: credential, Setpgid: true}
}

// watcherScript waits for its input to end, which happens when we close it or die, and
// then asks the server for a fast shutdown. It is a constant; the pid comes as $1.
const watcherScript = `read -r _; kill -INT "$1" 2>/dev/null`

// watchParent starts the watcher, because these systems tell no child that its parent died.
func watchParent(pid int) (unwatch func() error, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make watcher's pipe: %w", err)
	}
	cmd := exec.Command("/bin/sh", "-c", watcherScript, "sh", strconv.Itoa(pid)) //nolint:gosec,noctx // constant script; lives as long as the server
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	_ = r.Close() // the child has its copy, or there is none
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("start watcher: %w", err)
	}
	return func() error {
		// Killed before its pipe closes: the server has ended, and its number may
		// already be somebody else's.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return w.Close()
	}, nil
}
