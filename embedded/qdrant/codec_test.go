package qdrant

import (
	"bytes"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
)

func examplePoint() storedPoint {
	return storedPoint{
		id: numberID(7), version: 3,
		dense:   []namedDense{{"", []float32{0.6, 0.8}}},
		sparse:  []namedSparse{{"keyword", sparseVector{[]uint32{1, 9}, []float32{2, -1}}}},
		payload: []byte("payload"),
	}
}

// FuzzRecord feeds the decoder what a disk may return: it may fail with an
// error only, and a decoded record must encode to the same bytes.
func FuzzRecord(f *testing.F) {
	for _, r := range []record{
		{kind: recordConfig, seq: 1, name: "c", message: []byte("m")},
		{kind: recordPut, seq: 2, points: []storedPoint{examplePoint()}},
		{kind: recordDelete, seq: 3, ids: []pointID{numberID(1)}},
		{kind: recordPayload, seq: 4, points: []storedPoint{{id: numberID(1), payload: []byte("p")}}},
		{kind: recordIndex, seq: 5, name: "f", message: []byte("m")},
		{kind: recordNoIndex, seq: 6, name: "f"},
	} {
		f.Add(r.encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, err := decodeRecord(r.encode())
		if err != nil {
			t.Fatalf("decode what was encoded: %v", err)
		}
		if !bytes.Equal(r.encode(), again.encode()) {
			t.Fatal("a record changes when written and read")
		}
		c := &collection{}
		_ = c.apply(record{kind: recordConfig, name: "c"})
		_ = c.apply(r) // must not panic, whatever the record says
	})
}

// FuzzUUID checks that every spelling that is read comes back as one.
func FuzzUUID(f *testing.F) {
	const id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
	for _, s := range []string{id, "A0EEBC999C0B4EF8BB6D6BB9BD380A11", "{" + id + "}", "urn:uuid:" + id, "", "memory-1", id[:20]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw, ok := parseUUID(s)
		if !ok {
			return
		}
		again, ok := parseUUID(formatUUID(raw[:]))
		if !ok || again != raw {
			t.Fatalf("%q reads as %x, its canonical form as %x", s, raw, again)
		}
	})
}

// FuzzPath reads any text as a path and follows it through a payload.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "a.b", "a[].b", "a[0]", `"x.y".z`, "a..b[", "", "a[", "a[99999999999]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := parsePath(s)
		if err != nil {
			return
		}
		payload := pb.NewValueMap(map[string]any{"a": []any{map[string]any{"b": 1}}, "x.y": map[string]any{"z": 2}})
		path.values(payload)
		path.merge(payload, pb.NewValueMap(map[string]any{"new": 1}))
		path.remove(payload)
	})
}
