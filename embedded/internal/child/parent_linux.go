package child

import "syscall"

// attributes makes the kernel send death when we die.
func attributes(given *syscall.SysProcAttr, death syscall.Signal) *syscall.SysProcAttr {
	out := &syscall.SysProcAttr{Pdeathsig: death, Setpgid: true}
	if given != nil {
		out.Credential = given.Credential
	}
	return out
}

// watchParent has nothing to do here: the kernel watches.
func watchParent(int, syscall.Signal) (unwatch func() error, err error) {
	return func() error { return nil }, nil
}
