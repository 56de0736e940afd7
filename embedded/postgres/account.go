package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// account is the operating system user the server runs as.
type account struct {
	caller   string // the name of the user we are, who may connect
	uid, gid int
	dropped  bool // the server runs as somebody else than we do
}

// serverAccount is ourselves, unless we are root.
func serverAccount() (account, error) {
	me, err := user.Current()
	if err != nil {
		return account{}, fmt.Errorf("find out who is running this: %w", err)
	}
	a := account{caller: me.Username, uid: os.Getuid(), gid: os.Getgid()}
	if a.uid != 0 {
		return a, nil
	}
	if runtime.GOOS != "linux" {
		return account{}, errors.New("PostgreSQL refuses to run as root; run mneme as an ordinary user")
	}
	for _, candidate := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(candidate); err == nil {
			return a.dropTo(u)
		}
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as; " +
		"make one (useradd --system postgres)")
}

func (a account) dropTo(u *user.User) (account, error) {
	uid, errUID := strconv.Atoi(u.Uid)
	gid, errGID := strconv.Atoi(u.Gid)
	if err := errors.Join(errUID, errGID); err != nil {
		return account{}, fmt.Errorf("read ids of user %s: %w", u.Username, err)
	}
	a.uid, a.gid, a.dropped = uid, gid, true
	return a, nil
}

// credential is what a command needs to run as this account; nil if it does anyway. The
// caller's other groups are dropped with it.
func (a account) credential() *syscall.Credential {
	if !a.dropped {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid), Groups: []uint32{}} //nolint:gosec // ids of a user are 32 bits
}

// own gives path to the account.
func (a account) own(path string) error {
	if !a.dropped {
		return nil
	}
	if err := os.Lchown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give %s to the server's user: %w", path, err)
	}
	return nil
}

// canRun reports whether the account can enter the folder and run what is there: binaries
// below root's own folders cannot be run by anybody else.
func (a account) canRun(ctx context.Context, b Binaries) bool {
	if !a.dropped {
		return true
	}
	cmd := exec.CommandContext(ctx, b.postgres(), "--version")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential()}
	return cmd.Run() == nil
}
