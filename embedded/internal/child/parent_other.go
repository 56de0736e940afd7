//go:build unix && !linux

package child

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func attributes(given *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr {
	out := &syscall.SysProcAttr{Setpgid: true}
	if given != nil {
		out.Credential = given.Credential
	}
	return out
}

// watcherScript waits for its input to end, which happens when we close it or die, and
// then signals the server. It is a constant; pid and signal come as $1 and $2.
const watcherScript = `read -r _; kill -"$2" "$1" 2>/dev/null`

// watchParent starts the watcher, because these systems tell no child that its parent died.
func watchParent(pid int, death syscall.Signal) (unwatch func() error, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make watcher's pipe: %w", err)
	}
	cmd := exec.Command("/bin/sh", "-c", watcherScript, "sh", strconv.Itoa(pid), strconv.Itoa(int(death))) //nolint:gosec,noctx // constant script; lives as long as the server
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
