package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/mneme-memory/mneme/embedded/internal/child"
)

// account is the operating system user the server runs as.
type account struct {
	caller   string // the name of the user we are, who may connect
	name     string // of the user it runs as
	uid, gid int
	dropped  bool // the server runs as somebody else than we do
}

// ownUser is the system user that runs PostgreSQL where mneme runs as root, and that runs
// nothing else. In a shared account, such as nobody or postgres, other programs could read the
// database.
const ownUser = "mneme-postgres"

// serverAccount is ourselves, unless we are root.
func serverAccount(ctx context.Context, log *slog.Logger) (account, error) {
	me, err := user.Current()
	if err != nil {
		return account{}, fmt.Errorf("find out who is running this: %w", err)
	}
	a := account{caller: me.Username, name: me.Username, uid: os.Getuid(), gid: os.Getgid()}
	if a.uid != 0 {
		return a, nil
	}
	if runtime.GOOS != "linux" {
		return account{}, errors.New("PostgreSQL refuses to run as root; run mneme as an ordinary user")
	}
	u, err := user.Lookup(ownUser)
	if err != nil {
		u, err = makeUser(ctx, ownUser)
	}
	if err == nil {
		return a.dropTo(u)
	}
	return sharedAccount(a, log, err)
}

// sharedAccount is what is left where no user can be made, as in a container whose /etc is
// read-only: an account that the system has, and that others may use.
func sharedAccount(a account, log *slog.Logger, why error) (account, error) {
	for _, candidate := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(candidate)
		if err != nil {
			continue
		}
		log.Warn("PostgreSQL runs as a user that other programs may use too, and those could read its data: "+
			"make one of its own (useradd --system "+ownUser+") and start mneme again, or run mneme as an ordinary user",
			"user", candidate, "err", why)
		return a.dropTo(u)
	}
	return account{}, fmt.Errorf("PostgreSQL refuses to run as root, and there is no user to run it as; "+
		"make one (useradd --system %s) or run mneme as an ordinary user: %w", ownUser, why)
}

// makeUser makes a system user with a group of its own, no home and no shell, with the
// program that the system has for it. Another mneme may make it at the same moment.
func makeUser(ctx context.Context, name string) (*user.User, error) {
	ctx, cancel := context.WithTimeout(ctx, makeUserTimeout)
	defer cancel()
	var failed error
	for _, args := range [][]string{
		{"useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", name},
		{"adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", "/sbin/nologin", "-G", name, name}, // BusyBox
	} {
		path, err := exec.LookPath(args[0])
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if args[0] == "adduser" { // fails where the group is there already
			_ = exec.CommandContext(ctx, "addgroup", "-S", name).Run() // adduser tells what is missing
		}
		out, err := exec.CommandContext(ctx, path, args[1:]...).CombinedOutput() //nolint:gosec // constants
		if u, lookErr := user.Lookup(name); lookErr == nil {
			return u, nil
		}
		failed = errors.Join(failed, fmt.Errorf("make the user %s with %s: %w: %s", name, args[0], err, child.LastLines(string(out))))
	}
	return nil, failed
}

// makeUserTimeout bounds the wait for the lock of the system's list of users.
const makeUserTimeout = 10 * time.Second

func (a account) dropTo(u *user.User) (account, error) {
	uid, errUID := strconv.Atoi(u.Uid)
	gid, errGID := strconv.Atoi(u.Gid)
	if err := errors.Join(errUID, errGID); err != nil {
		return account{}, fmt.Errorf("read ids of user %s: %w", u.Username, err)
	}
	a.name, a.uid, a.gid, a.dropped = u.Username, uid, gid, true
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
