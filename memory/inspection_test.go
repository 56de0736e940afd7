package memory_test

import (
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestOlder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, than string
		want          bool
	}{
		{"1.9.7", "1.10", true},
		{"1.10.0", "1.10", false},
		{"1.17.1", "1.10", false},
		{"v1.9.0", "1.10", true},
		{"2.0", "1.10", false},
		{"0.3.3", "0.3.4", true},
		{"0.3", "0.3.4", false}, // not known to be older
		{"12.22 (Debian 12.22-1)", "13", true},
		{"15.18", "13", false},
		{"13beta1", "13", false},
		{"12rc1", "13", true},
		{"1.27.0-rc.2", "1.27", false},
		{"dev", "1.10", false},
		{"", "1.10", false},
	} {
		if got := memory.Older(c.version, c.than); got != c.want {
			t.Errorf("%q is older than %q: %v", c.version, c.than, got)
		}
	}
}

// TestLearn finds a problem in an old version, which says what is needed.
func TestLearn(t *testing.T) {
	t.Parallel()
	var old, fine memory.Inspection
	old.Learn("Qdrant", "1.9.7", "1.10")
	fine.Learn("Qdrant", "1.17.1", "1.10")
	if old.Supported || len(old.Problems) != 1 || memory.HintOf(old.Problems[0]) == "" || memory.PartOf(old.Problems[0]) != "Qdrant" {
		t.Errorf("an old one: %+v", old)
	}
	if !fine.Supported || len(fine.Problems) != 0 || fine.Version != "1.17.1" {
		t.Errorf("a new one: %+v", fine)
	}
}
