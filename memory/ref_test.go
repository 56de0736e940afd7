package memory_test

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	const id = "0e5a6a4e-12ab-8cde-8f01-23456789abcd"
	for _, ref := range []string{id, "0e5a6a4e", "0e5a6a4e-", "0E5A6A4E-12", "0e5a6a4e12ab8cde", strings.ReplaceAll(id, "-", ""), " 0e5a6a4e "} {
		if err := memory.CheckRef(ref); err != nil || !memory.Names(ref, id) {
			t.Errorf("%q does not name %s: %v", ref, id, err)
		}
		first, last, err := memory.IDRange(ref)
		if err != nil || first > id || id > last || !memory.ValidID(first) || !memory.ValidID(last) {
			t.Errorf("%q is %s to %s, %v", ref, first, last, err)
		}
	}
	for _, ref := range []string{"", "0e5a6a4", "0e5a-6a4", "0e5a6a4g", "-0e5a6a4e", id + "0", "../../../", "0e5a6a4e%", strings.Repeat("a", 33)} {
		if err := memory.CheckRef(ref); memory.CodeOf(err) != memory.Invalid || memory.HintOf(err) == "" || memory.Names(ref, id) {
			t.Errorf("%q is taken for an id: %v", ref, err)
		}
	}
	if memory.Names("0e5a6a4f", id) {
		t.Error("another beginning names it")
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const one, other = "0e5a6a4e-12ab-8cde-8f01-23456789abcd", "0e5a6a4e-99ab-8cde-8f01-23456789abcd"
	found := []memory.Candidates{
		{Ref: "0e5a6a4e-1", Memories: []memory.Memory{{ID: one, State: memory.Live}}},
		{Ref: "0e5a6a4e", Memories: []memory.Memory{
			{ID: one, Text: "We use\n goose.", State: memory.Live}, {ID: other, Text: "Old.", State: memory.Forgotten},
		}},
		{Ref: "77777777"},
	}
	ids, err := memory.Resolve([]string{other, "0e5a6a4e-1"}, found, true)
	if err != nil || ids[0] != other || ids[1] != one {
		t.Errorf("%v, %v", ids, err)
	}
	_, err = memory.Resolve([]string{"0e5a6a4e"}, found, false)
	for _, want := range []string{one + " (We use goose.)", other + " (forgotten, Old.)"} {
		if memory.CodeOf(err) != memory.Conflict || !strings.Contains(err.Error(), want) || memory.HintOf(err) == "" {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	if _, err := memory.Resolve([]string{"77777777"}, found, true); memory.CodeOf(err) != memory.NotFound || !strings.Contains(err.Error(), "77777777") {
		t.Errorf("nobody: %v", err)
	}
	if ids, err := memory.Resolve([]string{"77777777"}, found, false); err != nil || ids[0] != "77777777" {
		t.Errorf("nobody, when that is no error: %v, %v", ids, err)
	}
}

// FuzzRefs checks that what is accepted spans valid ids, and names its own bounds.
func FuzzRefs(f *testing.F) {
	for _, seed := range []string{"0e5a6a4e", "0E5A6A4E-12", "--------", "0e5a6a4e-12ab-8cde-8f01-23456789abcd", "\x00", "ſ5a6a4e00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		first, last, err := memory.IDRange(ref)
		if (err == nil) != (memory.CheckRef(ref) == nil) {
			t.Fatalf("%q: %v", ref, err)
		}
		if err == nil && (!memory.ValidID(first) || !memory.ValidID(last) || first > last || !memory.Names(ref, first) || !memory.Names(ref, last)) {
			t.Fatalf("%q is %s to %s", ref, first, last)
		}
	})
}
