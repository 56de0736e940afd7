package memory_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	rec := func(id, text string, v memory.Vector) memory.Record {
		return memory.Record{Memory: memory.Memory{ID: id, Text: text, Confidence: .5, Importance: .5}, Vector: v}
	}
	records := []memory.Record{
		rec("a", "Deploys run on Friday. They take long.", memory.Vector{1, 0, 0}),
		rec("b", "deploys run on Friday", memory.Vector{1, 0, 0}),
		rec("c", "Deploys happen each Friday", memory.Vector{.99, .1, 0}),
		rec("d", "The database is Postgres.", memory.Vector{0, 1, 0}),
		rec("e", "没有向量", memory.Vector{0, 0, 0}),
	}
	got := memory.Summarize(records, 2)
	if got.Method != "extractive" || got.Memories != 5 || len(got.IDs) != 2 {
		t.Fatalf("got %+v", got)
	}
	if !strings.Contains(got.Text, "Friday") || !strings.Contains(got.Text, "Postgres") {
		t.Errorf("two sentences of two subjects expected, got %q", got.Text)
	}
	slices.Reverse(records)
	if again := memory.Summarize(records, 2); !reflect.DeepEqual(got, again) {
		t.Errorf("the order matters: %+v and %+v", got, again)
	}
	if all := memory.Summarize(records, 50); len(all.IDs) != 4 {
		t.Errorf("a repeated sentence was taken twice, or one lost: %q", all.Text)
	}
	if none := memory.Summarize(nil, 3); none.Text != "" || none.IDs == nil {
		t.Errorf("nothing became %+v", none)
	}
}
