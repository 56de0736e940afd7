package payload

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/memory"
)

const text = "the lighthouse is painted every May"

func plain() *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`"` + text + `"`)}
}

// open reads a keyring that must be good.
func open(t *testing.T, source Source) Codec {
	t.Helper()
	keys, err := Open(source)
	if err != nil {
		t.Fatal(err)
	}
	return Codec{keys}
}

func encode(t *testing.T, c Codec, p *commonpb.Payload) *commonpb.Payload {
	t.Helper()
	out, err := c.Encode([]*commonpb.Payload{p})
	if err != nil || len(out) != 1 {
		t.Fatal(out, err)
	}
	return out[0]
}

// opens holds a sealed payload against what it was.
func opens(t *testing.T, c Codec, p *commonpb.Payload) {
	t.Helper()
	if out, err := c.Decode([]*commonpb.Payload{p}); err != nil || !proto.Equal(out[0], plain()) {
		t.Errorf("opened %v, %v", out, err)
	}
}

// What is derived is the same on every machine that has the keys, after a rotation too, and
// another for every purpose.
func TestDerived(t *testing.T) {
	t.Parallel()
	derive := func(keys, purpose string) string {
		r, err := Open(Source{Command: "printf '" + keys + "'"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Derive(purpose)
		if err != nil || len(out) != keyBytes {
			t.Fatal(out, err)
		}
		return string(out)
	}
	old, fresh := strings.TrimSpace(newLine("1")), strings.TrimSpace(newLine("2"))
	if derive(old, "a") != derive(fresh+"\n"+old, "a") {
		t.Error("a rotation changed what is derived")
	}
	marks := "marks " + strings.Fields(old)[1]
	if derive(old, "a") != derive(old+"\n"+marks+"\n"+fresh, "a") {
		t.Error("with a line of its own, something else is derived")
	}
	if derive(old, "a") == derive(old, "b") || derive(old, "a") == derive(fresh, "a") {
		t.Error("another purpose or key gives the same")
	}
}

func TestSealed(t *testing.T) {
	t.Parallel()
	c := open(t, Source{File: filepath.Join(t.TempDir(), "keys", "payload.keys")})
	one, other := encode(t, c, plain()), encode(t, c, plain())
	if bytes.Contains(one.GetData(), []byte("lighthouse")) || bytes.Equal(one.GetData(), other.GetData()) || KeyID(one) == "" {
		t.Errorf("sealed as %v and %v", one, other)
	}
	opens(t, c, one)
	if again := encode(t, c, one); !proto.Equal(again, one) {
		t.Error("a repeated call seals twice")
	}
	opens(t, c, plain()) // recorded before payloads were sealed
	for i := range one.GetData() {
		changed := proto.CloneOf(one)
		changed.Data[i] ^= 1
		if _, err := c.Decode([]*commonpb.Payload{changed}); err == nil {
			t.Fatalf("byte %d may be changed", i)
		}
	}
	short := proto.CloneOf(one)
	short.Data = short.Data[:5]
	if _, err := c.Decode([]*commonpb.Payload{short}); err == nil {
		t.Error("a cut payload opens")
	}
}

// TestRotation adds a key while the old one is in use: what was sealed before opens, also for
// who read the keys before, and new payloads are sealed with the new key.
func TestRotation(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payload.keys")
	running := open(t, Source{File: file})
	before := encode(t, running, plain())
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# newest first\nnew "+base64.StdEncoding.EncodeToString(make([]byte, keyBytes))+"\n"+string(old)), 0o600); err != nil {
		t.Fatal(err)
	}
	later := open(t, Source{File: file})
	after := encode(t, later, plain())
	if KeyID(after) != "new" {
		t.Errorf("sealed with %s", KeyID(after))
	}
	opens(t, later, before)
	running.Keys.read = time.Time{} // long ago
	opens(t, running, after)
}

// TestMissingKey names the key, and where it belongs.
func TestMissingKey(t *testing.T) {
	t.Parallel()
	ours := open(t, Source{File: filepath.Join(t.TempDir(), "payload.keys")})
	theirs := encode(t, open(t, Source{File: filepath.Join(t.TempDir(), "payload.keys")}), plain())
	_, err := ours.Decode([]*commonpb.Payload{theirs})
	if memory.CodeOf(err) != memory.Refused || !strings.Contains(err.Error(), KeyID(theirs)) || !strings.Contains(memory.HintOf(err), ours.Keys.source.File) {
		t.Errorf("%v (%s)", err, memory.HintOf(err))
	}
}

// TestFileIsMadeOnce has several programs start at once on a new home.
func TestFileIsMadeOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys", "payload.keys")
	var codecs [8]Codec
	var all sync.WaitGroup
	for i := range codecs {
		all.Go(func() {
			keys, err := Open(Source{File: file})
			if err != nil {
				t.Error(err)
			}
			codecs[i] = Codec{keys}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	p := encode(t, codecs[0], plain())
	for _, c := range codecs {
		opens(t, c, p)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	good := "k1 " + base64.StdEncoding.EncodeToString(make([]byte, keyBytes))
	opens(t, open(t, Source{Command: "echo " + good}), encode(t, open(t, Source{Command: "echo '" + good + "'"}), plain()))
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Source{
		"nowhere": {}, "an empty file": {File: empty}, "a failing command": {Command: "echo secret; exit 3"},
		"a given file that is missing": {File: filepath.Join(t.TempDir(), "keys"), Given: true},
		"no key":                       {Command: "true"}, "a short key": {Command: "echo k1 AAAA"}, "one word": {Command: "echo k1"},
		"twice the same id": {Command: "echo '" + good + "'; echo '" + good + "'"},
	} {
		_, err := Open(s)
		if memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParse reads any text without a panic, and only whole keys.
func FuzzParse(f *testing.F) {
	f.Add([]byte(newLine("1") + newLine(marksID)))
	f.Add([]byte("# none\n"))
	f.Add([]byte("a b c"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if keys, err := parse(text); err == nil && (len(keys) == 0 || keys[0].id == "") {
			t.Errorf("%q holds %d keys", text, len(keys))
		}
	})
}
