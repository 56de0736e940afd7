package hooklog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAppendAndRead(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if list, err := Read(home, "", 0); err != nil || len(list) != 0 {
		t.Errorf("no log: %v, %v", list, err)
	}
	for n := range 5 {
		if err := Append(home, Entry{Event: "Stop", Session: fmt.Sprint("s", n%2), TookMillis: float64(n)}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(Path(home))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	list, err := Read(home, "s0", 2)
	if err != nil || len(list) != 2 || list[0].TookMillis != 2 || list[1].TookMillis != 4 {
		t.Errorf("read %+v, %v", list, err)
	}
}

func TestOddLinesArePassedOver(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := Append(home, Entry{Event: "Stop"}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(Path(home), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{half\n\n[]\n{}\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if list, err := Read(home, "", 0); err != nil || len(list) != 1 {
		t.Errorf("read %+v, %v", list, err)
	}
}

func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	e := Entry{Event: "SessionStart", Detail: strings.Repeat("é", 9000)}
	for range 100 {
		e.Injected = append(e.Injected, Injected{ID: "0a0e0d0c-0b0a-8908-8706-050403020100"})
	}
	if err := Append(home, e); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(Path(home))
	if err != nil || len(data) > maxLine {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	list, err := Read(home, "", 0)
	if err != nil || len(list) != 1 || !strings.HasSuffix(list[0].Detail, "é…") {
		t.Errorf("read %+v, %v", list, err)
	}
}

// However much is written, by however many at once, the two files keep to their
// size and hold whole lines.
func TestIsBounded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				if err := Append(home, Entry{Event: "Stop", Detail: strings.Repeat("x", maxDetail)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, path := range []string{Path(home), oldPath(home)} {
		info, err := os.Stat(path)
		if err != nil || info.Size() > MaxBytes+4*maxLine {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	data, err := os.ReadFile(Path(home))
	if err != nil {
		t.Fatal(err)
	}
	list, err := readFile(Path(home), "")
	if err != nil || len(list) != strings.Count(string(data), "\n") {
		t.Errorf("%d of %d lines can be read, %v", len(list), strings.Count(string(data), "\n"), err)
	}
}

func TestRefusesAFolderThatIsNotOurs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "letter"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Append(home, Entry{Event: "Stop"}); err == nil {
		t.Error("it wrote into a folder that others may enter")
	}
	if _, err := os.Stat(Path(home)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is there: %v", err)
	}
}
