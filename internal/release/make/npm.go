package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/internal/release"
)

// The npm packages: one that is installed, and one a platform with the programs, of which npm takes
// the one that fits. Nothing is fetched or run while they are installed.
const (
	npmScope = "@mneme-memory"
	npmMain  = npmScope + "/mneme"
)

//go:embed launcher.js
var launcher []byte

//go:embed npm.md
var npmReadme []byte

// manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Repository  string            `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	LibC        []string          `json:"libc,omitempty"`
	Files       []string          `json:"files"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

func (o options) manifest(name, description string) manifest {
	return manifest{
		Name: name, Version: npmVersion(o.version), Description: description, License: "Apache-2.0",
		Repository: "github:mneme-memory/mneme",
	}
}

// npmVersion is a version that npm takes: it wants three numbers in front.
func npmVersion(v string) string {
	var major, minor, patch int
	if n, err := fmt.Sscanf(v, "%d.%d.%d", &major, &minor, &patch); err == nil && n == 3 {
		return v
	}
	return "0.0.0-" + v
}

// npmName is the name of a platform's package, with the names that Node has for both.
func npmName(t release.Target) string { return npmMain + "-" + nodeOS(t) + "-" + nodeArch(t) }

func nodeOS(t release.Target) string {
	if t.OS == "windows" {
		return "win32"
	}
	return t.OS
}

func nodeArch(t release.Target) string {
	if t.Arch == "amd64" {
		return "x64"
	}
	return t.Arch
}

// npm writes the folders of the packages to npm/, from which "npm publish" takes them.
func (o options) npm(all []built) error {
	main := o.manifest(npmMain, "Long-term memory for Claude Code that runs on your own machine")
	main.Bin, main.Optional, main.Files = map[string]string{}, map[string]string{}, []string{"launcher.js"}
	dir := filepath.Join(o.out, "npm", "mneme")
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // it is published
		return err
	}
	for _, program := range release.Programs() {
		// npm links each name to a file, and the file learns by that name what to run.
		main.Bin[program] = program + ".js"
		main.Files = append(main.Files, program+".js")
		text := "#!/usr/bin/env node\nrequire(\"./launcher.js\").run(\"" + program + "\");\n"
		if err := os.WriteFile(filepath.Join(dir, program+".js"), []byte(text), 0o755); err != nil { //nolint:gosec // a program
			return err
		}
	}
	for _, b := range all {
		name := npmName(b.archive.Target)
		main.Optional[name] = main.Version
		if err := o.npmPlatform(b, name); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
	}
	return writePackage(dir, main, map[string][]byte{"launcher.js": launcher, "README.md": npmReadme})
}

// npmPlatform writes the package with the programs of a platform.
func (o options) npmPlatform(b built, name string) error {
	t := b.archive.Target
	m := o.manifest(name, "The programs of mneme for "+t.String())
	m.OS, m.CPU, m.Files = []string{nodeOS(t)}, []string{nodeArch(t)}, []string{"bin"}
	if b.archive.Analytics && t.OS == "linux" {
		m.LibC = []string{"glibc"} // DuckDB's C++ library wants it
	}
	dir := filepath.Join(o.out, "npm", filepath.Base(name))
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil { //nolint:gosec // it is published
		return err
	}
	for _, program := range release.Programs() {
		if err := copyProgram(b.file(program), filepath.Join(dir, "bin", t.File(program))); err != nil {
			return err
		}
	}
	return writePackage(dir, m, map[string][]byte{"README.md": fmt.Appendf(nil, "The programs of %s for %s. Install %s.\n", npmMain, t, npmMain)})
}

func writePackage(dir string, m manifest, files map[string][]byte) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files["package.json"] = append(data, '\n')
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil { //nolint:gosec // it is published
			return err
		}
	}
	return nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
