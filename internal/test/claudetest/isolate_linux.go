package claudetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// isolated marks the process that Isolate has started.
const isolated = "MNEME_CLAUDETEST_ISOLATED"

// Isolate starts this program once more in a network of its own that has only
// loopback, passes its exit code on and does not return. It returns where that has
// happened already, with done, or where the system does not allow it, with why.
func Isolate() (done bool, why error) {
	if os.Getenv(isolated) != "" {
		return true, loopbackUp()
	}
	exe, err := os.Executable()
	if err != nil {
		return false, err
	}
	cmd := exec.Command(exe, os.Args[1:]...) //nolint:gosec,noctx // this very program, for as long as this process lives
	cmd.Env = append(os.Environ(), isolated+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = namespace()
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("leave the network: %w", err)
	}
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
	if err != nil {
		return false, err
	}
	os.Exit(0)
	return true, nil
}

// namespace is a new network. Whoever is not root needs a user namespace for it,
// and stays who they are in there, because PostgreSQL refuses to run as root.
func namespace() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if uid := os.Geteuid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	return attr
}

// loopbackUp switches loopback on: in a new network it is off.
func loopbackUp() error {
	sock, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("switch loopback on: %w", err)
	}
	defer unix.Close(sock) //nolint:errcheck // of what was only asked
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("switch loopback on: %w", err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(sock, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("switch loopback on: %w", err)
	}
	return nil
}
