package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Bounds of what is fetched: a source may be hostile, or the wrong address.
const (
	maxSums    = 1 << 20
	maxArchive = 2 << 30
)

// Source is where a release lies: a folder, or an address that begins with https.
type Source struct {
	folder string
	base   *url.URL
	client *http.Client
}

// Open returns the source that a user names. It fetches nothing yet.
func Open(where string) (Source, error) {
	if !strings.Contains(where, "://") {
		dir, err := filepath.Abs(where)
		if err != nil {
			return Source{}, fmt.Errorf("find the release: %w", err)
		}
		return Source{folder: dir}, nil
	}
	base, err := url.Parse(where)
	if err != nil || base.Host == "" {
		return Source{}, memory.Errorf(memory.Invalid, "give the address of the folder that has "+SumsName, "that is no address of a release")
	}
	if base.Scheme != "https" && !loopback(base) {
		return Source{}, memory.Errorf(memory.Refused, "use an https address, or a folder", "a release is not fetched over %s: anybody on the way could change it", base.Scheme)
	}
	return Source{base: base, client: &http.Client{Timeout: time.Hour}}, nil
}

// loopback reports whether plain HTTP stays on this machine.
func loopback(u *url.URL) bool {
	return u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost" || u.Hostname() == "::1")
}

// Sums fetches the list of the release's files.
func (s Source) Sums(ctx context.Context) (Sums, error) {
	r, err := s.open(ctx, SumsName)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxSums+1))
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", SumsName, err)
	}
	if len(data) > maxSums {
		return nil, memory.Errorf(memory.Invalid, "check the address", "%s is too long to be one", SumsName)
	}
	return ParseSums(data)
}

// Fetch writes a file of the release to w, and fails if it is not the one that sum tells. What was
// written must not be used then.
func (s Source) Fetch(ctx context.Context, name, sum string, w io.Writer) error {
	r, err := s.open(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, hash), io.LimitReader(r, maxArchive+1))
	if err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	if n > maxArchive || hex.EncodeToString(hash.Sum(nil)) != sum {
		return memory.Errorf(memory.Invalid, "fetch it again; if that does not help, the release is damaged or was changed: do not use it",
			"%s is not the file that %s tells of", name, SumsName)
	}
	return nil
}

// open opens a file of the release.
func (s Source) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if s.base == nil {
		f, err := os.Open(filepath.Join(s.folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, memory.Errorf(memory.NotFound, "give the folder that has "+SumsName, "there is no %s in %s", name, s.folder)
		}
		if err != nil {
			return nil, fmt.Errorf("open the release: %w", err)
		}
		return f, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base.JoinPath(name).String(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", name, err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, memory.Down("the release's server", "check the address and the network", fmt.Errorf("fetch %s: %w", name, err))
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // there is nothing to read
		return nil, memory.Errorf(memory.NotFound, "check the address", "fetch %s: the server answers %s", name, resp.Status)
	}
	return resp.Body, nil
}
