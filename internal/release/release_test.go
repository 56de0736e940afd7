package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/release"
	"github.com/mneme-memory/mneme/memory"
)

var sum = strings.Repeat("ab", 32)

func TestArchiveNames(t *testing.T) {
	t.Parallel()
	for _, a := range []release.Archive{
		{Version: "1.2.3", Target: release.Target{OS: "linux", Arch: "amd64"}, Analytics: true},
		{Version: "1.2.3-rc.1+x", Target: release.Target{OS: "darwin", Arch: "arm64"}},
	} {
		if got, ok := release.ParseArchive(a.Name()); !ok || got != a {
			t.Errorf("%s is read as %+v, %v", a.Name(), got, ok)
		}
	}
}

func TestChoosesThePlatform(t *testing.T) {
	t.Parallel()
	sums, err := release.ParseSums([]byte(sum + "  mneme_1.0.0_linux_amd64.tar.gz\n" + sum + "  mneme_1.0.0_linux_amd64_without-analytics.tar.gz\n" +
		sum + "  mneme_1.0.0_darwin_arm64_without-analytics.tar.gz\n" + sum + "  install.sh\n"))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := sums.For(release.Target{OS: "linux", Arch: "amd64"}); err != nil || !a.Analytics {
		t.Errorf("linux: %+v, %v", a, err)
	}
	if a, err := sums.For(release.Target{OS: "darwin", Arch: "arm64"}); err != nil || a.Analytics {
		t.Errorf("darwin: %+v, %v", a, err)
	}
	if _, err := sums.For(release.Target{OS: "plan9", Arch: "386"}); memory.CodeOf(err) != memory.NotFound {
		t.Errorf("plan9: %v", err)
	}
}

// FuzzParseSums: what is read is either whole or refused, and names no path.
func FuzzParseSums(f *testing.F) {
	f.Add([]byte(sum + "  mneme.rb\n"))
	f.Add([]byte(sum + "  ../../etc/passwd\n"))
	f.Add([]byte("short  name\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sums, err := release.ParseSums(data)
		for name, sum := range sums {
			if err != nil || len(sum) != 64 || strings.ContainsAny(name, "/\\") || strings.HasPrefix(name, ".") {
				t.Errorf("%q %q, %v", name, sum, err)
			}
		}
	})
}

func TestRefusesPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"http://example.com/v1", "ftp://example.com/v1"} {
		if _, err := release.Open(where); memory.CodeOf(err) != memory.Refused {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestFetch takes a file from a folder and from a server, whole and damaged.
func TestFetch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hash := sha256.Sum256([]byte("content"))
	right := hex.EncodeToString(hash[:])
	for name, text := range map[string]string{"file": "content", release.SumsName: right + "  file\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	for _, where := range []string{dir, server.URL} {
		source, err := release.Open(where)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := source.Sums(t.Context())
		if err != nil || sums["file"] != right {
			t.Errorf("%s: %v, %v", where, sums, err)
		}
		var got bytes.Buffer
		if err := source.Fetch(t.Context(), "file", right, &got); err != nil || got.String() != "content" {
			t.Errorf("%s: %q, %v", where, &got, err)
		}
		if err := source.Fetch(t.Context(), "file", sum, &got); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s, damaged: %v", where, err)
		}
		if err := source.Fetch(t.Context(), "none", sum, &got); memory.CodeOf(err) != memory.NotFound {
			t.Errorf("%s, missing: %v", where, err)
		}
	}
}

// archive packs files by name; a target makes a link.
func archive(t *testing.T, files map[string]string) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	packed := tar.NewWriter(zipped)
	for name, text := range files {
		if err := packed.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o755}); err != nil {
			t.Fatal(err)
		}
		if _, err := packed.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestUnpack takes the programs and nothing else, and refuses an archive that lacks one.
func TestUnpack(t *testing.T) {
	t.Parallel()
	a := release.Archive{Version: "1.0.0", Target: release.Target{OS: "linux", Arch: "amd64"}}
	files := map[string]string{"../evil": "x", a.Folder() + "/README.md": "x", "/bin/mneme": "x"}
	for _, program := range release.Programs() {
		files[a.Folder()+"/bin/"+program] = program
	}
	dir := t.TempDir()
	if got, err := release.Unpack(archive(t, files), a, dir); err != nil || len(got) != len(release.Programs()) {
		t.Errorf("%v, %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(release.Programs()) {
		t.Errorf("%v, %v", entries, err)
	}
	delete(files, a.Folder()+"/bin/mneme-mcp")
	if _, err := release.Unpack(archive(t, files), a, t.TempDir()); memory.CodeOf(err) != memory.Invalid || !strings.Contains(err.Error(), "mneme-mcp is not in it") {
		t.Errorf("without mneme-mcp: %v", err)
	}
	if _, err := release.Unpack(strings.NewReader("no archive"), a, t.TempDir()); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("no archive: %v", err)
	}
}
