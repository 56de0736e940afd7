package cli

import (
	"math"
	"testing"
	"time"
)

func TestEvalFigures(t *testing.T) {
	t.Parallel()
	var r evalReport
	r.count([]int{1, 2, 4, 0, 7}, []time.Duration{3 * time.Millisecond, time.Millisecond, 2 * time.Millisecond})
	if r.Questions != 5 || r.Hit1 != 0.2 || r.Hit3 != 0.4 || r.Hit5 != 0.6 || math.Abs(r.MRR-(1+0.5+0.25+1.0/7)/5) > 1e-9 || r.Median != 2 {
		t.Errorf("%+v", r)
	}
	var none evalReport
	none.count(nil, nil)
	if none.Questions != 0 || none.MRR != 0 {
		t.Errorf("%+v", none)
	}
}

func TestEvalPlace(t *testing.T) {
	t.Parallel()
	texts, ids := []string{"nothing", "Port 8443 it is."}, []string{idA, idB}
	for want, q := range map[int]evalQuestion{
		0: {Contains: []string{"9100"}},
		1: {IDs: []string{"0e5a6a4e"}},
		2: {IDs: []string{"ffffffff"}, Contains: []string{" PORT 8443"}},
	} {
		if got := q.place(texts, ids); got != want {
			t.Errorf("%+v: %d, want %d", q, got, want)
		}
	}
}

func FuzzParseQuestion(f *testing.F) {
	f.Add([]byte(`{"question": "which port?", "contains": ["8443"]}`))
	f.Add([]byte(`{"question": 7}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		q, why := parseQuestion(line, false)
		if why == "" && (q.Question == "" || len(q.IDs)+len(q.Contains) == 0) {
			t.Errorf("%q can be measured: %+v", line, q)
		}
	})
}
