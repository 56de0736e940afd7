package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// Payload is a file of the data folder that has to be written or removed.
type Payload struct {
	Path string
	What string // "new", "changed" or "removed"

	mode  fs.FileMode
	data  []byte // of a file of the plugin
	from  string // program to copy
	link  string // where a link leads
	stale bool   // to be removed
}

// payload lists what has to change in the data folder.
func (o Options) payload() ([]Payload, error) {
	out, err := o.programPayload()
	if err != nil || o.Mode != Plugin {
		return out, err
	}
	tree, err := o.pluginPayload()
	return append(out, tree...), err
}

func (o Options) programPayload() ([]Payload, error) {
	var out []Payload
	for _, program := range []string{serverProgram, hookProgram} {
		from, to := filepath.Join(o.Programs, program), filepath.Join(o.programs(), program)
		info, err := os.Stat(from)
		if err != nil {
			return nil, memory.Errorf(memory.Invalid, `build all programs with "make build" and run bin/mneme install`,
				"find %s beside this program: %w", program, err)
		}
		there, err := os.Stat(to)
		if err == nil && os.SameFile(info, there) {
			continue
		}
		equal, err := sameFile(from, to)
		if err != nil {
			return nil, err
		}
		if !equal {
			out = append(out, Payload{Path: to, What: newOrChanged(to), mode: 0o755, from: from})
		}
	}
	// The program itself is large, and whoever started it knows where it is. The
	// other programs look for it in their own folder.
	to, link := filepath.Join(o.programs(), mainProgram), filepath.Join(o.Programs, mainProgram)
	if have, err := os.Readlink(to); (err != nil || have != link) && link != to {
		out = append(out, Payload{Path: to, What: newOrChanged(to), link: link})
	}
	return out, nil
}

func newOrChanged(path string) string {
	if _, err := os.Lstat(path); err != nil {
		return "new"
	}
	return "changed"
}

// sameFile reports whether two files hold the same.
func sameFile(a, b string) (bool, error) {
	x, err := os.Open(a)
	if err != nil {
		return false, fmt.Errorf("read program: %w", err)
	}
	defer x.Close()
	y, err := os.Open(b)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read program: %w", err)
	}
	defer y.Close()
	return sameBytes(x, y)
}

func sameBytes(x, y io.Reader) (bool, error) {
	const piece = 1 << 16
	p, q := make([]byte, piece), make([]byte, piece)
	for {
		n, errX := io.ReadFull(x, p)
		m, errY := io.ReadFull(y, q)
		endX := errors.Is(errX, io.EOF) || errors.Is(errX, io.ErrUnexpectedEOF)
		endY := errors.Is(errY, io.EOF) || errors.Is(errY, io.ErrUnexpectedEOF)
		switch {
		case errX != nil && !endX:
			return false, fmt.Errorf("read program: %w", errX)
		case errY != nil && !endY:
			return false, fmt.Errorf("read program: %w", errY)
		case n != m || string(p[:n]) != string(q[:m]):
			return false, nil
		case endX || endY:
			return endX == endY, nil
		}
	}
}

// pluginPayload compares the plugin in the data folder with the one that this
// program brings.
func (o Options) pluginPayload() ([]Payload, error) {
	wanted, err := o.pluginTree()
	if err != nil {
		return nil, err
	}
	var out []Payload
	for _, f := range wanted {
		c, err := load(f.Path)
		if err != nil {
			return nil, err
		}
		if !c.exists || string(c.data) != string(f.data) {
			f.What = newOrChanged(f.Path)
			out = append(out, f)
		}
	}
	stale, err := strangers(o.marketplace(), wanted)
	return append(out, stale...), err
}

// pluginTree lists all files of the marketplace.
func (o Options) pluginTree() ([]Payload, error) {
	market, err := o.marketplaceFile()
	if err != nil {
		return nil, err
	}
	out := []Payload{{Path: filepath.Join(o.marketplace(), ".claude-plugin", "marketplace.json"), mode: 0o644, data: market}}
	err = fs.WalkDir(o.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(o.Files, path)
		if err != nil {
			return err
		}
		f := Payload{Path: filepath.Join(o.marketplace(), "plugin", filepath.FromSlash(path)), mode: 0o644, data: data}
		if strings.HasPrefix(path, "bin/") {
			f.mode, f.data = 0o755, o.launcher(data)
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the plugin: %w", err)
	}
	return out, nil
}

// launcherHome is the line by which the plugin's launchers find the data folder.
const launcherHome = `: "${MNEME_HOME:=$HOME/.mneme}"`

// launcher tells a launcher of the plugin where the data folder is.
func (o Options) launcher(script []byte) []byte {
	if o.usualHome() {
		return script
	}
	return []byte(strings.Replace(string(script), launcherHome, "MNEME_HOME="+shellQuote(o.Home), 1))
}

// marketplaceFile is a marketplace with one plugin, in the folder beside it.
func (o Options) marketplaceFile() ([]byte, error) {
	data, err := fs.ReadFile(o.Files, ".claude-plugin/plugin.json")
	if err != nil {
		return nil, fmt.Errorf("read the plugin: %w", err)
	}
	var manifest struct {
		Description string         `json:"description"`
		Author      map[string]any `json:"author"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, fmt.Errorf("read the plugin's manifest: %w", err)
	}
	out, err := json.MarshalIndent(map[string]any{
		"name": name, "description": manifest.Description, "owner": manifest.Author,
		"plugins": []any{map[string]any{"name": name, "source": "./plugin", "description": manifest.Description}},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the marketplace: %w", err)
	}
	return append(out, '\n'), nil
}

// strangers lists the files of a folder that are not wanted there: those of an
// earlier version.
func strangers(dir string, wanted []Payload) ([]Payload, error) {
	known := map[string]bool{}
	for _, f := range wanted {
		known[f.Path] = true
	}
	var out []Payload
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !e.IsDir() && !known[path] {
			out = append(out, Payload{Path: path, What: "removed", stale: true})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for files of an earlier plugin: %w", err)
	}
	return out, nil
}

// write puts one file in place. A running program keeps the file that it was
// started from.
func (f Payload) write() error {
	if f.stale {
		return removeFile(f.Path)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("make the folder of %s: %w", f.Path, err)
	}
	switch {
	case f.link != "":
		if err := renameio.Symlink(f.link, f.Path); err != nil {
			return fmt.Errorf("link %s: %w", f.Path, err)
		}
		return nil
	case f.from != "":
		from, err := os.Open(f.from)
		if err != nil {
			return fmt.Errorf("copy program: %w", err)
		}
		defer from.Close()
		return replace(f.Path, f.mode, func(to *os.File) error {
			_, err := io.Copy(to, from)
			return err
		})
	default:
		return replace(f.Path, f.mode, func(to *os.File) error {
			_, err := to.Write(f.data)
			return err
		})
	}
}
