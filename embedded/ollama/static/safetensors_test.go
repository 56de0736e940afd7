package static

import (
	"encoding/binary"
	"strings"
	"testing"
)

// file makes a safetensors file out of a JSON header and data.
func file(header, data string) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

const (
	tinyMeta   = `"__metadata__":{"format":"mneme-static/1"}`
	tinyScales = `"scales":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	tinyTable  = `"embeddings":{"dtype":"I8","shape":[2,3],"data_offsets":[8,14]}`
	tinyData   = "\x00\x00\x80\x3f\x00\x00\x00\x40\x01\x00\x00\x00\x01\xff"
)

func TestNewTiny(t *testing.T) {
	t.Parallel()
	m, err := New(file("{"+tinyMeta+","+tinyScales+","+tinyTable+"}", tinyData), "go\n##pher\n")
	if err != nil {
		t.Fatal(err)
	}
	// Rows: go = 1·(1,0,0), ##pher = 2·(0,1,-1).
	v := m.Embed("gopher")
	for i, want := range []float32{1. / 3, 2. / 3, -2. / 3} {
		if d := v[i] - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("vector %v", v)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := file("{"+tinyMeta+","+tinyScales+","+tinyTable+"}", tinyData)
	vocab := "go\n##pher\n"
	nan := strings.Replace(tinyData, "\x00\x00\x80\x3f", "\x00\x00\xc0\x7f", 1)
	for name, tc := range map[string]struct {
		file  []byte
		vocab string
		want  string
	}{
		"empty":            {nil, vocab, "shorter"},
		"length too big":   {good[:20], vocab, "does not fit"},
		"no JSON":          {file("{", ""), vocab, "parse header"},
		"other format":     {file(`{"__metadata__":{"format":"x/9"}}`, ""), vocab, "format"},
		"no tensors":       {file("{"+tinyMeta+"}", ""), vocab, "embeddings are"},
		"truncated data":   {good[:len(good)-1], vocab, "do not lie in"},
		"wrong shape":      {file("{"+tinyMeta+","+tinyScales+","+strings.Replace(tinyTable, "[2,3]", "[2,2]", 1)+"}", tinyData), vocab, "want 4"},
		"huge shape":       {file("{"+tinyMeta+","+tinyScales+","+strings.Replace(tinyTable, "[2,3]", "[4611686018427387904,4]", 1)+"}", tinyData), vocab, "does not fit"},
		"negative":         {file("{"+tinyMeta+","+tinyScales+","+strings.Replace(tinyTable, "[8,14]", "[-8,14]", 1)+"}", tinyData), vocab, "do not lie in"},
		"type":             {file("{"+tinyMeta+","+strings.Replace(tinyScales, "F32", "F16", 1)+","+tinyTable+"}", tinyData), vocab, "not supported"},
		"NaN":              {file("{"+tinyMeta+","+tinyScales+","+tinyTable+"}", nan), vocab, "NaN"},
		"too few pieces":   {good, "go\n", "1 pieces"},
		"too many pieces":  {good, "go\n##pher\nx\n", "more than 2"},
		"a piece repeated": {good, "go\ngo\n", "repeats"},
		"an empty piece":   {good, "go\n\n", "empty"},
	} {
		if _, err := New(tc.file, tc.vocab); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tc.want)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(file("{"+tinyMeta+","+tinyScales+","+tinyTable+"}", tinyData))
	f.Add(file("{", ""))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := New(data, "go\n##pher\n")
		if err != nil {
			return
		}
		if got := len(m.Embed("gopher")); got != m.Dimension() {
			t.Fatalf("%d dimensions, want %d", got, m.Dimension())
		}
	})
}
