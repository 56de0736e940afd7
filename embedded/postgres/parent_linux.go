package postgres

import "syscall"

// attributes makes the kernel send SIGINT, a fast shutdown, when we die, and keeps a
// terminal's Ctrl-C for us: the server is stopped after its clients, not with them.
func attributes(credential *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Credential: credential,
		Pdeathsig:  syscall.SIGINT,
		Setpgid:    true,
	}
}

// watchParent has nothing to do here: the kernel watches.
func watchParent(int) (unwatch func() error, err error) {
	return func() error { return nil }, nil
}
