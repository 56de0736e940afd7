// Command make makes a release of mneme: for each platform an archive of its programs and a list of
// what is linked into them (CycloneDX), the npm packages, a Homebrew formula, the install script,
// SHA256SUMS over all of it, and a signature where a key is given.
//
//	go run ./internal/release/make -version 1.2.3 -out dist
//
// Two runs of the same commit with the same Go make the same bytes: the programs are built without
// paths and build ids, and archives bear the time of the commit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/release"
)

// options are what the flags say.
type options struct {
	version string
	out     string // folder of the release
	root    string // of the check-out
	url     string // where the release will be fetched from
	key     string // file of an SSH key to sign with, or ""
	when    time.Time
	targets []release.Target
	cgo     bool // link DuckDB for the platform of this machine
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	o, err := parse(ctx, args)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(o.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: a release must hold nothing that is left from another one", o.out)
	}
	return o.make(ctx)
}

// make writes the release into the folder.
func (o options) make(ctx context.Context) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // it is published
		return err
	}
	var built []built
	for _, target := range o.targets {
		fmt.Println("building", target)
		b, err := o.build(ctx, target)
		if err != nil {
			return err
		}
		defer os.RemoveAll(b.dir) //nolint:errcheck // a temporary folder
		if err := o.pack(b); err != nil {
			return err
		}
		built = append(built, b)
	}
	if err := o.npm(built); err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(o.root, "deploy", "install.sh"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, "install.sh"), script, 0o755); err != nil { //nolint:gosec // a program
		return err
	}
	if err := o.formula(built); err != nil {
		return err
	}
	if err := o.sums(); err != nil {
		return err
	}
	return o.sign(ctx)
}

func parse(ctx context.Context, args []string) (options, error) {
	o := options{root: "."}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&o.version, "version", "", "version, such as 1.2.3 (default: what git describe says)")
	flags.StringVar(&o.out, "out", "dist", "empty folder to write to")
	flags.StringVar(&o.url, "url", "", "where the release will be fetched from (default: the releases of the repository)")
	flags.StringVar(&o.key, "key", os.Getenv("MNEME_RELEASE_KEY"), "SSH key to sign with (MNEME_RELEASE_KEY)")
	flags.BoolVar(&o.cgo, "analytics", true, "link DuckDB for the platform of this machine, if there is a C++ compiler")
	targets := flags.String("targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "platforms")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for _, text := range strings.Split(*targets, ",") {
		t, err := release.ParseTarget(text)
		if err != nil {
			return o, err
		}
		o.targets = append(o.targets, t)
	}
	if o.version == "" {
		out, err := git(ctx, o.root, "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return o, err
		}
		o.version = out
	}
	if o.version = strings.TrimPrefix(o.version, "v"); !release.IsVersion(o.version) {
		return o, fmt.Errorf("%q cannot be a version: letters, digits, points, + and -", o.version)
	}
	if o.url == "" {
		o.url = "https://github.com/mneme-memory/mneme/releases/download/v" + o.version
	}
	if o.cgo = o.cgo && hasCompiler(); !o.cgo {
		fmt.Println("no C++ compiler, or -analytics=false: every mneme is built without DuckDB")
	}
	var err error
	o.when, err = commitTime(ctx, o.root)
	return o, err
}

// commitTime is the time that all files of the release bear.
func commitTime(ctx context.Context, root string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(ctx, root, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // constant arguments
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// hasCompiler reports whether DuckDB can be linked for this machine.
func hasCompiler() bool {
	for _, name := range []string{"c++", "g++", "clang++"} {
		if _, err := exec.LookPath(name); err == nil || errors.Is(err, exec.ErrDot) {
			return true
		}
	}
	return false
}
