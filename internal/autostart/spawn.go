package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/mneme-memory/mneme/internal/homestate"
)

// maxLog is the size beyond which the log is set aside when the daemon starts.
const maxLog = 10 << 20

// OpenLog opens the log of a home's daemon for its standard streams, 0600, and
// sets an old one of more than 10 MB aside.
func OpenLog(home string) (*os.File, error) {
	path := homestate.LogPath(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create log folder: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("set old log aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return f, nil
}

// Command returns "program up" in the background: in a session of its own, so
// that neither a closed terminal nor an ended Claude Code ends it, in the home
// folder, and with the log as its only open file.
func Command(program, home string, environ []string, log *os.File) (*exec.Cmd, error) {
	if err := keepFiles(); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "up") //nolint:noctx,gosec // it must outlive this process; the program is ours
	cmd.Dir = home
	cmd.Env = append(environ, "MNEME_HOME="+home) // absolute, whatever folder the caller is in
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, nil
}

// spawn starts the daemon and does not wait for it.
func spawn(program, home string, sys System) (pid int, err error) {
	log, err := OpenLog(home)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd, err := Command(program, home, environment(sys.Environ), log)
	if err != nil {
		return 0, err
	}
	caller := "unknown"
	if exe, err := sys.Executable(); err == nil {
		caller = filepath.Base(exe)
	}
	if _, err := fmt.Fprintf(log, "time=%s level=INFO msg=\"starting in the background\" by=%q program=%q\n",
		sys.Now().UTC().Format("2006-01-02T15:04:05.000Z"), caller, program); err != nil {
		return 0, fmt.Errorf("write log: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	// How it ends is told by its log; asking keeps the system from remembering it.
	go cmd.Wait() //nolint:errcheck // see above
	return cmd.Process.Pid, nil
}

// environment is the part of the session's environment that a daemon keeps: places, but
// not identities. Keys of other programs stay out of a process that lives for weeks.
func environment(all []string) []string {
	exact := []string{
		"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"GOMEMLIMIT", "GOGC", "GOMAXPROCS", "GODEBUG", "GORACE", "GOCOVERDIR",
	}
	prefixes := []string{"MNEME_", "OLLAMA_", "LC_", "XDG_"}
	session := []string{"MNEME_PROJECT", "MNEME_MCP_TOKEN"}
	var out []string
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		wanted := slices.Contains(exact, name) ||
			slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		if wanted && !slices.Contains(session, name) {
			out = append(out, entry)
		}
	}
	return out
}

// keepFiles marks every open file of this process as not for its children. What Go opened
// is marked already; what Claude Code left open in us is not, and a daemon that held the
// other end of its pipes would keep it waiting.
func keepFiles() error {
	const first = 3 // after the standard streams, which the child gets new ones for
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("list open files: %w", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
