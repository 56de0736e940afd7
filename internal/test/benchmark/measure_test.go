package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var d durations
	if d.p50() != 0 || d.p95() != 0 {
		t.Errorf("of nothing: %s", d)
	}
	for i := range 100 {
		d = append(d, time.Duration(100-i)*time.Millisecond)
	}
	if d.p50() != 51*time.Millisecond || d.p95() != 96*time.Millisecond || d[0] != 100*time.Millisecond {
		t.Errorf("got %s, first %s", d, d[0])
	}
	for d, want := range map[time.Duration]string{
		1500 * time.Microsecond: "1.50 ms", 15 * time.Millisecond: "15.0 ms",
		150 * time.Millisecond: "150 ms", 15 * time.Second: "15.0 s",
	} {
		if got := ms(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestInTurns(t *testing.T) {
	t.Parallel()
	var calls []string
	call := func(name string, took time.Duration) func(int) (time.Duration, error) {
		return func(int) (time.Duration, error) {
			calls = append(calls, name)
			return took, nil
		}
	}
	each, err := inTurns(t.Context(), 3, 0, call("a", 1), call("b", 2))
	if err != nil || !slices.Equal(each[0], durations{1, 1, 1}) || !slices.Equal(each[1], durations{2, 2, 2}) {
		t.Errorf("got %v, %v", each, err)
	}
	if got, want := strings.Join(calls, ""), strings.Repeat("ab", 3+warmUp); got != want {
		t.Errorf("called %s, want %s", got, want)
	}
	broken := errors.New("broken")
	if _, err := inTurns(t.Context(), 3, 0, func(int) (time.Duration, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := inTurns(ctx, 3, time.Hour, call("c", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestCorpus makes sure that a run can be repeated, that no two memories are
// one fact, and that every line is one that import takes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var one, two bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &two} {
		if err := newCorpus(1).write(b, 2000); err != nil {
			t.Fatal(err)
		}
	}
	if one.String() != two.String() {
		t.Error("the same seed made another corpus")
	}
	ids := map[string]bool{}
	for line := range strings.Lines(one.String()) {
		var in memory.StoreInput
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatal(err)
		}
		in, err := in.Clean()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if strings.Contains(in.Text, "%!") || ids[in.ID()] {
			t.Errorf("%q is broken or there already", in.Text)
		}
		ids[in.ID()] = true
	}
	if len(ids) != 2000 {
		t.Errorf("%d memories", len(ids))
	}
}

// TestUsage looks at this process, where there is a /proc.
func TestUsage(t *testing.T) {
	t.Parallel()
	if text("/proc/self/stat") == "" {
		t.Skip("no /proc on this machine")
	}
	own, family, err := usages(1)
	if err != nil || own.bytes <= 0 || family.bytes < own.bytes || family.cpu < own.cpu {
		t.Errorf("got %+v, %+v, %v", own, family, err)
	}
	if _, err := usageOf(1 << 30); err == nil {
		t.Error("a process that is not there has used something")
	}
}
