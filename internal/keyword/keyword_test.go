package keyword

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"HTTPServer restarts":             {"http", "server", "httpserver", "restart"},
		"the worker is restarting":        {"worker", "restart"},
		"max_retries=3":                   {"max", "retri", "max_retries", "3"},
		"Temporal 1.32.1.":                {"tempor", "1", "32", "1", "1.32.1"},
		"cmd/mneme/main.go":               {"cmd", "mneme", "main", "go", "main.go"},
		"I'll say it wasn't":              {"say"},
		"Café CAFÉ cafe\u0301 ﬁle":        {"cafe", "caf", "cafe", "caf", "cafe", "file"},
		"日志文件 log":                        {"日志", "志文", "文件", "log"},
		"字":                               {"字"},
		"привет":                          {"привет"},
		"\xff…":                           nil,
		"":                                nil,
		"¿Por qué falló el planificador?": {"fallo", "fall", "planificador", "planif"},
		"die Verträge der Kunden":         {"vertrag", "kunden", "kund"},
	} {
		if got := Terms(text); !slices.Equal(got, want) {
			t.Errorf("Terms(%q) = %q, want %q", text, got, want)
		}
	}
}

// A stored vector must mean the same after an update of the program.
func TestStableHash(t *testing.T) {
	t.Parallel()
	indices, values := Query("worker")
	if !slices.Equal(indices, []uint32{hash("worker")}) || indices[0] != 2513319767 || values[0] != 1 {
		t.Errorf("%v %v", indices, values)
	}
}

func TestVectorWeights(t *testing.T) {
	t.Parallel()
	_, once := Vector("worker")
	_, twice := Vector("worker worker")
	_, long := Vector("worker" + strings.Repeat(" alpha beta gamma", 40))
	if !(once[0] < twice[0] && twice[0] < saturation+1) {
		t.Errorf("once %v, twice %v", once, twice)
	}
	if slices.Min(long) >= once[0] {
		t.Errorf("a long text does not weigh less: %v, %v", long, once)
	}
	indices, values := Query("worker worker queue")
	if len(indices) != 2 || values[0] != 1 || values[1] != 1 {
		t.Errorf("query %v %v", indices, values)
	}
}

// wrong tells which property of a sparse vector does not hold.
func wrong(indices []uint32, values []float32) string {
	if len(indices) != len(values) {
		return "lengths differ"
	}
	for i := range indices {
		if i > 0 && indices[i] <= indices[i-1] {
			return "indices are not ascending"
		}
		if v := float64(values[i]); !(v > 0) || math.IsInf(v, 0) {
			return "a value is not above 0 and finite"
		}
	}
	return ""
}

func checkText(text string) string {
	indices, values := Vector(text)
	again, same := Vector(text)
	if !slices.Equal(indices, again) || !slices.Equal(values, same) {
		return "the same text has two vectors"
	}
	asked, ones := Query(text)
	if !slices.Equal(asked, indices) {
		return "a query and a document of one text have other terms"
	}
	if w := wrong(asked, ones); w != "" {
		return "query: " + w
	}
	return wrong(indices, values)
}

func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		if w := checkText(rapid.String().Draw(rt, "text")); w != "" {
			rt.Fatal(w)
		}
	})
}

// Any part of a sentence finds the sentence: each word of a text shares a term
// with it.
func TestWordsFindTheirText(t *testing.T) {
	t.Parallel()
	text := "Set worker_pool.size in HTTPServer v2.10 (日志文件) before restarting café"
	indices, _ := Vector(text)
	for _, ask := range []string{"worker_pool.size", "pool", "httpserver", "Server", "v2.10", "日志", "CAFE", "restarts"} {
		asked, _ := Query(ask)
		if !slices.ContainsFunc(asked, func(i uint32) bool { _, ok := slices.BinarySearch(indices, i); return ok }) {
			t.Errorf("%q does not find the text", ask)
		}
	}
}

func TestHugeTextIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("日", 1<<19), strings.Repeat("a1_", 1<<19)} {
		terms := Terms(text)
		if len(terms) == 0 || len(terms) > maxTerms {
			t.Errorf("%d terms", len(terms))
		}
		for _, term := range terms {
			if len(term) > maxTerm {
				t.Fatalf("a term of %d bytes", len(term))
			}
		}
	}
}

func FuzzVector(f *testing.F) {
	for _, seed := range []string{"HTTPServer 1.32.1", "日志文件 log", "a__b..c", "\xffé\u0301", "İẞﬁ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if w := checkText(text); w != "" {
			t.Fatal(w)
		}
	})
}

func BenchmarkVector(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Vector("Restart it with `systemctl restart mneme-worker` after HTTPServer 1.32.1 was deployed.")
	}
}
