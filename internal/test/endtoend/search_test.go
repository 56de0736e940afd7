package endtoend

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// needle is a text to search for, with a name.
type needle struct{ what, text string }

// window is how many bytes decide whether a needle may begin at a place.
const window = 8

// haystack finds many needles in one pass: those that begin with the eight
// bytes at a place are the only ones to compare.
type haystack struct {
	begins map[uint64][]needle
	may    [1 << 16]bool // whether some needle begins with these two bytes
}

func index(needles []needle) *haystack {
	h := &haystack{begins: map[uint64][]needle{}}
	for _, n := range needles {
		head := []byte(n.text)[:window]
		key := binary.LittleEndian.Uint64(head)
		h.begins[key] = append(h.begins[key], n)
		h.may[binary.LittleEndian.Uint16(head)] = true
	}
	return h
}

// searchIn returns an error for each needle that data holds, once.
func searchIn(where string, data []byte, h *haystack) []error {
	var found []error
	seen := map[needle]bool{}
	for i := 0; i+window <= len(data); i++ {
		if !h.may[binary.LittleEndian.Uint16(data[i:])] {
			continue
		}
		for _, n := range h.begins[binary.LittleEndian.Uint64(data[i:])] {
			if !seen[n] && bytes.HasPrefix(data[i:], []byte(n.text)) {
				seen[n] = true
				found = append(found, fmt.Errorf("%s holds a secret: %s", where, n.what))
			}
		}
	}
	return found
}

// search looks into every file below dir.
func search(needles []needle, dir string) (found []error, err error) {
	h := index(needles)
	files := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // what went meanwhile holds nothing
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil // the same
		}
		files++
		found = append(found, searchIn(path, data, h)...)
		return nil
	})
	if err == nil && files < 10 {
		err = fmt.Errorf("there are only %d files in %s", files, dir)
	}
	return found, err
}

func TestSearchFinds(t *testing.T) {
	t.Parallel()
	h := index([]needle{{"a", "0123456789"}, {"b", "0123456790"}, {"c", "not there"}})
	for data, want := range map[string]int{
		"": 0, "01234567": 0, "0123456789": 1, "xx0123456790": 1, "0123456789 0123456790 0123456789": 2,
	} {
		if got := searchIn("x", []byte(data), h); len(got) != want {
			t.Errorf("%q: %v", data, got)
		}
	}
}
