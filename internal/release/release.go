// Package release knows what a release of mneme consists of: how its files are called, what
// SHA256SUMS says of them, and how the archive of a platform is fetched, checked and unpacked.
// Package make, below it, makes releases; "mneme upgrade" takes programs from one.
package release

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// The files of a release beside its archives.
const (
	SumsName      = "SHA256SUMS"     // a line for each other file: its SHA-256 and its name
	SignatureName = "SHA256SUMS.sig" // made by ssh-keygen -Y sign, where there is a key
	// Namespace is what the signature is for, see ssh-keygen(1).
	Namespace = "mneme-release"
)

// withoutAnalytics is in the name of an archive whose mneme has no DuckDB, which needs a C++
// compiler for its platform.
const withoutAnalytics = "_without-analytics"

// Programs are the programs of an archive.
func Programs() []string { return []string{"mneme", "mneme-hook", "mneme-mcp", "mneme-worker"} }

// Target is a platform, in Go's words.
type Target struct{ OS, Arch string }

// Here is the platform of this program.
func Here() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// String returns it as in "linux/arm64".
func (t Target) String() string { return t.OS + "/" + t.Arch }

// File returns the name of a program's file on the platform.
func (t Target) File(program string) string {
	if t.OS == "windows" {
		return program + ".exe"
	}
	return program
}

// ParseTarget reads "linux/arm64".
func ParseTarget(text string) (Target, error) {
	system, arch, ok := strings.Cut(text, "/")
	if !ok || !plain.MatchString(system) || !plain.MatchString(arch) {
		return Target{}, memory.Errorf(memory.Invalid, "write it like linux/arm64", "%q is no platform", text)
	}
	return Target{system, arch}, nil
}

var plain = regexp.MustCompile(`^[a-z0-9]+$`)

// Archive is one file of a release with the programs of one platform.
type Archive struct {
	Version   string // without a "v" in front
	Target    Target
	Analytics bool // with DuckDB
}

// Folder is the one folder in the archive.
func (a Archive) Folder() string {
	return fmt.Sprintf("mneme_%s_%s_%s", a.Version, a.Target.OS, a.Target.Arch)
}

// Name is that of the archive's file.
func (a Archive) Name() string {
	if a.Analytics {
		return a.Folder() + ".tar.gz"
	}
	return a.Folder() + withoutAnalytics + ".tar.gz"
}

// ParseArchive reads the name of an archive; ok is false if it is none.
func ParseArchive(name string) (a Archive, ok bool) {
	base, ok := strings.CutSuffix(name, ".tar.gz")
	if !ok {
		return a, false
	}
	base, without := strings.CutSuffix(base, withoutAnalytics)
	parts := strings.Split(base, "_")
	if len(parts) != 4 || parts[0] != "mneme" || !IsVersion(parts[1]) || !plain.MatchString(parts[2]) || !plain.MatchString(parts[3]) {
		return a, false
	}
	return Archive{Version: parts[1], Target: Target{parts[2], parts[3]}, Analytics: !without}, true
}

// IsVersion reports whether a text can be the version of a release: it is part of file names.
func IsVersion(text string) bool { return version.MatchString(text) }

var version = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,79}$`)

// Sums are the SHA-256 of a release's files in hexadecimal, by name.
type Sums map[string]string

// ParseSums reads a SHA256SUMS file. Every line must be right: half a file is none.
func ParseSums(data []byte) (Sums, error) {
	sums := Sums{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		sum, name, ok := strings.Cut(line, "  ")
		if raw, err := hex.DecodeString(sum); err != nil || len(raw) != 32 || !ok || !fileName.MatchString(name) {
			return nil, memory.Errorf(memory.Invalid, "fetch it again", "%s has a line that is no SHA-256 and file name", SumsName)
		}
		if _, twice := sums[name]; twice {
			return nil, memory.Errorf(memory.Invalid, "fetch it again", "%s names %s twice", SumsName, name)
		}
		sums[name] = strings.ToLower(sum)
	}
	return sums, nil
}

var fileName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._+-]{0,199}$`)

// For returns the archive for a platform: the one with analytics if there are both.
func (s Sums) For(t Target) (Archive, error) {
	var found []Archive
	for name := range s {
		if a, ok := ParseArchive(name); ok && a.Target == t {
			found = append(found, a)
		}
	}
	for _, a := range found {
		if a.Version != found[0].Version {
			return a, memory.Errorf(memory.Invalid, "give the folder of one release", "%s names several versions: %s and %s", SumsName, a.Version, found[0].Version)
		}
	}
	for _, a := range found {
		if a.Analytics || len(found) == 1 {
			return a, nil
		}
	}
	return Archive{}, memory.Errorf(memory.NotFound, "build it from the source, or use another release", "the release has nothing for %s", t)
}
