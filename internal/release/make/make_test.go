package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/release"
)

// checkout is a folder that is built like the project, with programs that are quick to compile.
func checkout(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/mneme\n\ngo 1.26\n", "LICENSE": "license", "NOTICE": "notice", "README.md": "read me",
	}
	for _, program := range release.Programs() {
		files["cmd/"+program+"/main.go"] = "package main\n\nvar version string\n\nfunc main() { println(\"mneme \" + version) }\n"
	}
	script, err := os.ReadFile("../../../deploy/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	files["deploy/install.sh"] = string(script)
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// released makes a release of a check-out for this machine and for another one.
func released(t *testing.T, root, key string) string {
	t.Helper()
	o := options{
		version: "1.2.3", out: filepath.Join(t.TempDir(), "dist"), root: root, url: "https://example.com/v1.2.3", key: key,
		when: time.Unix(1700000000, 0).UTC(), targets: []release.Target{release.Here(), {OS: "darwin", Arch: "arm64"}},
	}
	if err := o.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o.out
}

// contents are the sums of all files of a folder by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			out[filepath.ToSlash(name)], err = sumOf(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSameBytes makes a release twice, from two folders.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	first, second := contents(t, released(t, checkout(t), "")), contents(t, released(t, checkout(t), ""))
	for name, sum := range first {
		if second[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	here := release.Archive{Version: "1.2.3", Target: release.Here()}
	for _, name := range []string{
		here.Name(), "mneme_1.2.3_darwin_arm64_without-analytics.tar.gz", "mneme_1.2.3_darwin_arm64_without-analytics.cdx.json",
		"mneme.rb", "install.sh", "SHA256SUMS", "npm/mneme/package.json", "npm/mneme-darwin-arm64/bin/mneme-hook",
	} {
		if first[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestInstall installs a signed release with the script, and refuses one that was changed.
func TestInstall(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"ssh-keygen", "sh", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(dir, "signers")
	if err := os.WriteFile(signers, append([]byte("mneme "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	dist, bin := released(t, checkout(t), key), filepath.Join(dir, "bin")
	install := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", append([]string{filepath.Join(dist, "install.sh"), "--from", dist, "--to", bin}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := install("--dry-run"); err != nil || !strings.Contains(out, "nothing was changed") {
		t.Fatalf("dry run: %v: %s", err, out)
	}
	if _, err := os.Stat(bin); err == nil {
		t.Error("the dry run installed something")
	}
	if out, err := install("--signers", signers); err != nil || !strings.Contains(out, "mneme 1.2.3") {
		t.Fatalf("install: %v: %s", err, out)
	}
	archive := filepath.Join(dist, release.Archive{Version: "1.2.3", Target: release.Here()}.Name())
	change(t, archive)
	if out, err := install(); err == nil || !strings.Contains(out, "is not the file that SHA256SUMS tells of") {
		t.Errorf("a changed archive: %v: %s", err, out)
	}
	change(t, filepath.Join(dist, release.SumsName))
	if out, err := install("--signers", signers); err == nil || !strings.Contains(out, "is not signed by any of") {
		t.Errorf("changed sums: %v: %s", err, out)
	}
}

// change appends a byte to a file.
func change(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBill lists what is linked into this test.
func TestBill(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list, err := listModules(map[string]string{"a": exe, "b": exe}, "1.2.3", time.Unix(1700000000, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(`"bom-ref":"pkg:golang/stdlib@`)); n != 1 {
		t.Errorf("the standard library is listed %d times: %s", n, data)
	}
	if list.Metadata.Timestamp != "2023-11-14T22:13:20Z" || len(list.Dependencies) != 2 || len(list.Components) < 3 {
		t.Errorf("%s", data)
	}
}

func TestNPMVersion(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3-rc.1", "abc1234-dirty": "0.0.0-abc1234-dirty"} {
		if got := npmVersion(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestNPX installs the packages from local files, without a registry, and runs a program of them.
func TestNPX(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm", "npx"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	dist, app := released(t, checkout(t), ""), t.TempDir()
	npm := func(program string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = app, append(os.Environ(), "npm_config_cache="+filepath.Join(app, "cache"), "npm_config_update_notifier=false")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", program, args, err, out)
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(app, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	npm("npm", "pack", "--silent", filepath.Join(dist, "npm", "mneme"), filepath.Join(dist, "npm", filepath.Base(npmName(release.Here()))))
	packed, err := filepath.Glob(filepath.Join(app, "*.tgz"))
	if err != nil || len(packed) != 2 {
		t.Fatalf("%v, %v", packed, err)
	}
	npm("npm", append([]string{"install", "--silent", "--offline", "--no-audit", "--no-fund"}, packed...)...)
	if out := npm("npx", "--no-install", "mneme", "version"); !strings.Contains(out, "mneme 1.2.3") {
		t.Errorf("npx printed %q", out)
	}
}
