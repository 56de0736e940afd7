package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/mneme-memory/mneme/memory"
)

// ledger is a source of two tables, one of them empty.
type ledger struct {
	rows []string
	fail error // after the rows
	more bool  // than the head says
}

func (l ledger) Backup(_ context.Context, begin func(memory.BackupHead) error, row func([]byte) error) error {
	head := memory.BackupHead{Format: memory.BackupFormat, Schema: 6, Ledger: "one", Tables: []memory.BackupTable{
		{Name: "memories", Columns: []string{"id"}, Rows: int64(len(l.rows))}, {Name: "settings", Columns: []string{"key"}},
	}}
	if err := begin(head); err != nil {
		return err
	}
	for _, r := range l.rows {
		if err := row([]byte(r)); err != nil {
			return err
		}
	}
	if l.more {
		return row([]byte(`{}`))
	}
	return l.fail
}

func some(n int) ledger {
	var l ledger
	for i := range n {
		l.rows = append(l.rows, fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, strings.Repeat("x", i%50)))
	}
	return l
}

func create(t testing.TB, l ledger, o Options) Written {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "b")
	}
	w, err := Create(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func check(path string, identities ...age.Identity) (memory.Backup, error) {
	f, err := Open(path, identities)
	if err != nil {
		return memory.Backup{}, err
	}
	defer f.Close()
	return f.Check(context.Background(), nil)
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 5000} {
		l := some(n)
		if n > 0 {
			l.rows[0] = `{"text":"` + strings.Repeat("long", 1<<18) + `"}` // longer than any buffer
		}
		var told, of int64
		w := create(t, l, Options{Version: "1", Settings: map[string]string{"project": "p"}, Progress: func(done, total int64) { told, of = done, total }})
		if told != int64(n) || of != int64(n) {
			t.Errorf("%d rows: told of %d of %d", n, told, of)
		}
		if info, err := os.Stat(w.Path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != w.Bytes {
			t.Errorf("the file is %v, %v", info, err)
		}
		f, err := Open(w.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, err := f.Check(t.Context(), nil)
		if err != nil || b.SHA256 != w.SHA256 || b.Head.Version != "1" || b.Head.Settings["project"] != "p" || len(b.Digests) != 2 {
			t.Fatalf("%d rows: read %+v, %v", n, b, err)
		}
		i := 0
		for line, err := range f.Rows(t.Context()) {
			if err != nil || string(line) != l.rows[i] {
				t.Fatalf("row %d is %.80q, %v", i, line, err)
			}
			i++
		}
		if i != n {
			t.Errorf("%d rows of %d", i, n)
		}
		for range f.Rows(t.Context()) {
			break // who has enough may stop
		}
	}
}

// TestEveryChangeIsNoticed cuts a file off at every length and changes every byte of it.
func TestEveryChangeIsNoticed(t *testing.T) {
	t.Parallel()
	w := create(t, some(4), Options{})
	whole, err := os.ReadFile(w.Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "changed")
	try := func(what string, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := check(path)
		if err == nil && b.SHA256 != w.SHA256 {
			t.Errorf("%s: read as %+v", what, b)
		} else if err != nil && (memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "") {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil && !strings.HasPrefix(what, "changed") {
			t.Errorf("%s: nobody noticed", what)
		}
	}
	for n := range whole {
		try(fmt.Sprintf("cut off at %d", n), whole[:n])
		changed := bytes.Clone(whole)
		changed[n] ^= 0x41
		try(fmt.Sprintf("changed at %d", n), changed)
	}
	try("twice", append(bytes.Clone(whole), whole...))
	try("with a tail", append(bytes.Clone(whole), 'x'))
}

// packed compresses text as a backup is.
func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const head = `{"mneme_backup":1,"schema":6,"tables":[{"name":"memories","columns":["id"],"rows":%s}]}` + "\n"
	for name, text := range map[string]string{
		"nothing":          "",
		"no JSON":          "hello\n",
		"another format":   `{"mneme_backup":2}` + "\n",
		"no tables":        `{"mneme_backup":1}` + "\n",
		"negative rows":    fmt.Sprintf(head, "-1"),
		"too many rows":    fmt.Sprintf(head, "9223372036854775807") + "{}\n",
		"rows beyond":      fmt.Sprintf(head, "1e30") + "{}\n",
		"a row that isn't": fmt.Sprintf(head, "1") + "hello\n",
		"no end":           fmt.Sprintf(head, "0"),
		"an empty end":     fmt.Sprintf(head, "0") + "{}\n",
		"a long head":      strings.Repeat(" ", maxHead+2) + "\n",
		"a table twice":    `{"mneme_backup":1,"tables":[{"name":"a","columns":["x"]},{"name":"a","columns":["x"]}]}` + "\n",
	} {
		_, err := parse(t.Context(), bytes.NewReader(packed(t, text)), func(memory.BackupHead) {}, func([]byte) error { return nil })
		if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	for name, path := range map[string]string{"a folder": dir, "nothing": filepath.Join(dir, "no"), "this": "backup_test.go", "a device": "/dev/zero"} {
		if _, err := check(path); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	w := create(f, some(3), Options{})
	whole, err := os.ReadFile(w.Path)
	if err != nil {
		f.Fatal(err)
	}
	unpacked, err := zstd.NewReader(nil)
	if err != nil {
		f.Fatal(err)
	}
	text, err := unpacked.DecodeAll(whole, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, true)
	f.Add(text, false)
	f.Add([]byte(zstdMagic), true)
	f.Add([]byte(`{"mneme_backup":1,"tables":[{"name":"m","columns":["a"],"rows":1}]}`+"\n{}\n{\"end\":{}}\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, compressed bool) {
		read := parseText
		if compressed {
			read = parse
		}
		var rows int64
		b, err := read(t.Context(), bytes.NewReader(data), func(memory.BackupHead) {}, func([]byte) error { rows++; return nil })
		if err == nil && (rows != b.Head.Rows() || len(b.Digests) != len(b.Head.Tables)) {
			t.Errorf("%d rows of %+v", rows, b)
		}
		if err != nil && memory.CodeOf(err) != memory.Invalid {
			t.Errorf("an error without a code: %v", err)
		}
	})
}

func TestEncrypted(t *testing.T) {
	t.Parallel()
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	keys, public := filepath.Join(dir, "key.txt"), filepath.Join(dir, "public.txt")
	if err := errors.Join(os.WriteFile(keys, []byte("# mine\n"+mine.String()+"\n"), 0o600), os.WriteFile(public, []byte(mine.Recipient().String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{mine.Recipient().String(), public} {
		recipients, err := Recipients([]string{given})
		if err != nil {
			t.Fatal(err)
		}
		w := create(t, some(100), Options{Recipients: recipients})
		data, err := os.ReadFile(w.Path)
		if err != nil || !w.Encrypted || bytes.Contains(data, []byte(zstdMagic)) {
			t.Fatalf("not encrypted: %v", err)
		}
		identities, err := Identities([]string{keys})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := check(w.Path, identities...); err != nil || b.SHA256 != w.SHA256 {
			t.Errorf("read %+v, %v", b, err)
		}
		for what, ids := range map[string][]age.Identity{"without a key": nil, "with another key": {other}} {
			if _, err := check(w.Path, ids...); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
				t.Errorf("%s: %v", what, err)
			}
		}
		cut := filepath.Join(dir, "cut")
		if err := os.WriteFile(cut, data[:len(data)-20], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := check(cut, mine); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("cut off: %v", err)
		}
	}
	for _, bad := range []string{"age1nonsense", filepath.Join(dir, "no"), keys} {
		if _, err := Recipients([]string{bad}); memory.CodeOf(err) != memory.Invalid || strings.Contains(err.Error(), mine.String()) {
			t.Errorf("recipient %s: %v", bad, err)
		}
	}
	if _, err := Identities([]string{public}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("a public key as identity: %v", err)
	}
}

// TestNothingIsLeft makes backups that fail or are interrupted: an older backup in the same file is
// unchanged, and the folder holds no other file.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "b")
	first := create(t, some(2), Options{Path: path})
	if _, err := Create(t.Context(), some(3), Options{Path: path}); memory.CodeOf(err) != memory.Invalid {
		t.Errorf("over a file: %v", err)
	}
	broken := some(3)
	broken.fail = errors.New("the database is gone")
	more := some(3)
	more.more = true
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx context.Context
		l   ledger
	}{"an error": {t.Context(), broken}, "too many rows": {t.Context(), more}, "an interrupt": {stopped, some(3)}} {
		if _, err := Create(c.ctx, c.l, Options{Path: path, Replace: true}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if b, err := check(path); err != nil || b.SHA256 != first.SHA256 {
		t.Errorf("the old backup is %+v, %v", b, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("in the folder are %v, %v", files, err)
	}
	create(t, some(9), Options{Path: path, Replace: true})
	for _, bad := range []string{dir, filepath.Join(dir, "no", "b"), "/dev/null"} {
		if _, err := Create(t.Context(), some(1), Options{Path: bad, Replace: true}); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// fullDisk has room for some bytes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, syscall.ENOSPC
	}
	d.room -= len(p)
	return len(p), nil
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	w := &writer{counted: counted{to: &fullDisk{room: 100}, sum: sha256.New()}}
	err := full(w.all(t.Context(), some(5000)))
	if memory.CodeOf(err) != memory.Refused || !strings.Contains(memory.HintOf(err), "room") {
		t.Errorf("got %v", err)
	}
}
