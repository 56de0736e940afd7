package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrNotFound says that no usable PostgreSQL is on this machine.
var ErrNotFound = errors.New("no PostgreSQL found")

// InstallHint is the next step for a person when neither finding nor fetching worked.
const InstallHint = "install it (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql)"

// Binaries are the programs of one PostgreSQL installation.
type Binaries struct {
	Dir     string // holds initdb and postgres
	Version string // such as "15.18"
	Major   int    // such as 15
}

func (b Binaries) initdb() string   { return filepath.Join(b.Dir, "initdb") }
func (b Binaries) postgres() string { return filepath.Join(b.Dir, "postgres") }

// Find looks for PostgreSQL where systems put it: PATH, what pg_config names, Debian's and
// Red Hat's folders, Homebrew's. It returns the newest, or ErrNotFound.
func Find(ctx context.Context) (Binaries, error) {
	all := inspectAll(ctx, systemDirs(ctx))
	if len(all) == 0 {
		return Binaries{}, ErrNotFound
	}
	return all[0], nil
}

// binariesFor picks what can run this cluster: any version that is new enough for a new
// one, the very same major version for one that exists.
func binariesFor(ctx context.Context, opts Options, account account, major int) (Binaries, error) {
	var dirs []string
	switch {
	case opts.BinDir != "":
		dirs = []string{opts.BinDir}
	case opts.OnlyFetched:
		dirs = fetchedDirs(opts.CacheDir, account)
	default:
		dirs = append(systemDirs(ctx), fetchedDirs(opts.CacheDir, account)...)
	}
	found := inspectAll(ctx, dirs)
	for _, b := range found {
		if (major == 0 || b.Major == major) && account.canRun(ctx, b) {
			return b, nil
		}
	}
	if opts.BinDir != "" || opts.CacheDir == "" {
		return Binaries{}, missing(found, major)
	}
	// Whoever gave up has found nothing that runs, and wants no download.
	if err := ctx.Err(); err != nil {
		return Binaries{}, err
	}
	b, err := fetch(ctx, opts, account, major)
	if err != nil {
		return Binaries{}, fmt.Errorf("%w, and none could be fetched: %w", missing(found, major), err)
	}
	return b, nil
}

// missing says which versions were looked for and which were found.
func missing(found []Binaries, major int) error {
	want := fmt.Sprintf("PostgreSQL %d or newer", MinVersion)
	if major != 0 {
		want = fmt.Sprintf("PostgreSQL %d, which made this cluster", major)
	}
	var have []string
	for _, b := range found {
		have = append(have, b.Version+" in "+b.Dir)
	}
	if len(have) == 0 {
		return fmt.Errorf("%w: need %s", ErrNotFound, want)
	}
	return fmt.Errorf("%w: need %s, have %s", ErrNotFound, want, strings.Join(have, ", "))
}

// systemDirs lists folders worth looking at, without checking them.
func systemDirs(ctx context.Context) []string {
	var dirs []string
	if p, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(p))
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // the project's own RPMs
		"/usr/libexec/postgresql*",           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // only a malformed pattern, and these are constants
		}
		dirs = append(dirs, matches...)
	}
	return dirs
}

// inspectAll returns the usable installations among dirs, newest first, each once.
func inspectAll(ctx context.Context, dirs []string) []Binaries {
	var all []Binaries
	seen := map[string]bool{}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if dir == "" || err != nil || seen[real] {
			continue
		}
		seen[real] = true
		if b, err := inspect(ctx, real); err == nil && b.Major >= MinVersion {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b Binaries) int { return b.Major - a.Major })
	return all
}

// inspect asks the binaries in dir what they are. Both programs must be there: a client
// package brings neither, some server packages hide initdb.
func inspect(ctx context.Context, dir string) (Binaries, error) {
	b := Binaries{Dir: dir}
	if info, err := os.Stat(b.initdb()); err != nil || info.IsDir() {
		return Binaries{}, fmt.Errorf("look for initdb in %s: %w", dir, errors.Join(ErrNotFound, err))
	}
	out, err := exec.CommandContext(ctx, b.postgres(), "--version").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("run %s --version: %w", b.postgres(), err)
	}
	b.Version, b.Major, err = parseVersion(string(out))
	return b, err
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) ((\d+)[^\s]*)`) //nolint:gochecknoglobals // never changes

// parseVersion reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func parseVersion(out string) (version string, major int, err error) {
	m := versionText.FindStringSubmatch(out)
	if m == nil {
		return "", 0, fmt.Errorf("read version from %.60q: no version in it", out)
	}
	major, err = strconv.Atoi(m[2])
	if err != nil {
		return "", 0, fmt.Errorf("read version from %.60q: %w", out, err)
	}
	return m[1], major, nil
}
