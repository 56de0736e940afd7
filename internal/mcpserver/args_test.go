package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mneme-memory/mneme/memory"
)

// bad input, as raw JSON so that nothing mends it on the way.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	cases := []struct{ tool, raw, want string }{
		{"memory_store", `{}`, "text is missing"},
		{"memory_store", `{"text":""}`, "text is empty"},
		{"memory_store", `{"text":"  \n "}`, "text is empty"},
		{"memory_store", `{"text":5}`, "text must be a string, got 5"},
		{"memory_store", `{"text":["a"]}`, "text must be a string"},
		{"memory_store", `[]`, "must be a JSON object"},
		{"memory_store", `"x"`, "must be a JSON object"},
		{"memory_store", `{"text":"a\u0000b"}`, "NUL bytes"},
		{"memory_store", `{"text":"a\ud800b"}`, "lone surrogate"},
		{"memory_store", "{\"text\":\"a\xffb\"}", "not valid UTF-8"},
		{"memory_store", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, "1048576 bytes, the limit is 32768"},
		{"memory_store", `{"text":"x","type":"poem"}`, `there is no type "poem"`},
		{"memory_store", `{"text":"x","type":"poem"}`, "fact, preference"},
		{"memory_store", `{"text":"x","collection":"mine"}`, `there is no collection "mine"`},
		{"memory_store", `{"text":"x","content":"y"}`, `there is no parameter "content"`},
		{"memory_store", `{"text":"x","content":"y"}`, "known parameters: text, type, tags, project"},
		{"memory_store", `{"Text":"x"}`, "text is missing"},
		{"memory_store", `{"text":"x","tags":"go"}`, "tags must be a list of strings"},
		{"memory_store", `{"text":"x","tags":[1]}`, "tags[0] must be a string, got 1"},
		{"memory_store", `{"text":"x","tags":["` + strings.Repeat("t", 65) + `"]}`, "tags[0] has 65 bytes"},
		{"memory_store", `{"text":"x","importance":"high"}`, "importance must be a number from 0 to 1"},
		{"memory_store", `{"text":"x","importance":2}`, "importance must be 0 to 1, got 2"},
		{"memory_store", `{"text":"x","pinned":"true"}`, "without quotes"},
		{"memory_store", `{"text":"x","project":"a\nb"}`, "control characters"},
		{"memory_store", `{"text":"x","links":[{"target_id":"1","link_type":"clarifies"}]}`, "not a memory's id"},
		{"memory_store", `{"text":"x","links":[{"target_id":"` + idA + `"}]}`, "link_type is missing"},
		{"memory_store", `{"text":"x","links":{}}`, "links must be a list"},
		{"memory_recall", `{"query":"x","limit":0}`, "limit must be 1 to 100, got 0"},
		{"memory_recall", `{"query":"x","limit":10000}`, "limit must be 1 to 100, got 10000"},
		{"memory_recall", `{"query":"x","limit":"5"}`, "without quotes"},
		{"memory_recall", `{"query":"x","limit":1.5}`, "whole number"},
		{"memory_recall", `{"query":"x","min_score":2}`, "min_score must be 0 to 1, got 2"},
		{"memory_recall", `{"query":"x","collections":["nope"]}`, `there is no collection "nope"`},
		{"memory_recall", `{"query":"x","types":["nope"]}`, `there is no type "nope"`},
		{"memory_forget", `{"date_before":"some day"}`, `date_before: "some day" is not a date`},
		{"memory_recall", `{"query":"x","since":"next week"}`, `since: "next week" is not a date`},
		{"memory_recall", `{"query":["x",""]}`, "query[1] is empty"},
		{"memory_recall", `{"query":[]}`, "query is empty"},
		{"memory_recall", `{"query":7}`, "query must be a string, or a list of them"},
		{"rag_search", `{"query":"x","files":[" "]}`, "the name of a file is empty"},
		{"memory_forget", `{"date_before":"2026-02-30"}`, `date_before: "2026-02-30" is not a date`},
		{"memory_forget", `{"id":"../x"}`, "is not a memory's id"},
		{"memory_forget", `{"project":" "}`, "without any filter"},
		{"procedure", `{"name":"x","steps":[]}`, "steps is empty"},
		{"procedure", `{"name":"x","steps":[""]}`, "steps[0] is empty"},
		{"procedure", `{"steps":["a"]}`, "name is missing"},
		{"episode", `{"event":"x"}`, "outcome is missing"},
		{"memory_summarize", `{"sentences":51}`, "sentences must be 1 to 50"},
		{"memory_update", `{}`, "id is missing"},
		{"memory_update", `{"id":"` + idA + `"}`, "nothing was said to change"},
		{"memory_update", `{"id":"` + idA + `","text":""}`, "nothing was said to change"},
		{"memory_update", `{"id":"` + idA + `","type":"poem"}`, `there is no type "poem"`},
		{"memory_update", `{"id":"` + idA + `","importance":-1}`, "importance must be 0 to 1"},
		{"memory_related", `{"id":"` + idA + `","depth":9}`, "depth must be 1 to 3"},
	}
	s := newServer(t, &fake{})
	for _, tc := range cases {
		t.Run(tc.tool+" "+memory.Clip(tc.raw, memory.MaxRepeated), func(t *testing.T) {
			t.Parallel()
			text := rawCall(t, s, tc.tool, tc.raw)
			wantText(t, text, "error: ", "\nhint: ", tc.want)
			if len(text) > 1_000 || !utf8.ValidString(text) {
				t.Errorf("the text has %d bytes", len(text))
			}
		})
	}
}

// rawCall sends arguments byte for byte and returns the text of the error.
func rawCall(t *testing.T, s *Server, tool, raw string) string {
	t.Helper()
	msg := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + raw + `}}`
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(msg), &out); err != nil {
		t.Fatal(err)
	}
	var resp struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error any
	}
	if err := json.Unmarshal(out.Bytes(), &resp); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	if !resp.Result.IsError || resp.Error != nil {
		t.Fatalf("not a result with isError: %s", out.String())
	}
	return resp.Result.Content[0].Text
}

func TestWholeNumbersMayHaveAPoint(t *testing.T) {
	t.Parallel()
	var in searchArgs
	if err := decode([]byte(`{"limit":5.0}`), []param{limitParam(100)}, &in); err != nil || in.Limit != 5 {
		t.Errorf("limit %d, %v", in.Limit, err)
	}
}

// FuzzDecode checks that no bytes panic, that every refusal can be acted on,
// and that what is let through is within bounds.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","tags":["b"],"limit":5,"min_score":0.5,"links":[{"target_id":"` + idA + `","link_type":"clarifies"}],"pinned":true}`,
		`{"text":"\ud800"}`, `{"text":"\ufffd"}`, `null`, `{}`, `{"limit":1e999}`, `{"text":"a","text":"b"}`, "{\"text\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	params := []param{
		textParam("text", "", 100), tagsParam(""), limitParam(100), minScoreParam(),
		{name: "links", kind: kindLinks, items: 3},
		{name: "pinned", kind: kindBool},
		{name: "steps", kind: kindSteps, items: 2, maxLen: 10},
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in struct {
			Text     string
			Tags     []string
			Limit    *int
			MinScore *float64 `json:"min_score"`
			Links    []memory.LinkRequest
			Pinned   bool
			Steps    []string
		}
		err := decode(raw, params, &in)
		if err != nil {
			var e *memory.Error
			if !errors.As(err, &e) || e.Code != memory.Invalid || e.Hint == "" {
				t.Fatalf("%q: %v is no error to act on", raw, err)
			}
			return
		}
		if in.Text == "" || len(in.Text) > 100 || strings.ContainsRune(in.Text, 0) || !utf8.ValidString(in.Text) ||
			len(in.Tags) > memory.MaxTags || len(in.Links) > 3 || len(in.Steps) > 2 ||
			in.Limit != nil && (*in.Limit < 1 || *in.Limit > 100) || in.MinScore != nil && (*in.MinScore < 0 || *in.MinScore > 1) {
			t.Fatalf("%q passed as %+v", raw, in)
		}
	})
}

func FuzzCut(f *testing.F) {
	f.Add("some words here", 7)
	f.Add("日本語日本語", 4)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 1 || most > 1<<16 || !utf8.ValidString(s) {
			return
		}
		got, cutOff := cut(s, most)
		if cutOff != (len(s) > most) || len(got) > most+len("…") || !utf8.ValidString(got) || !cutOff && got != s {
			t.Fatalf("cut(%q, %d) = %q, %v", s, most, got, cutOff)
		}
	})
}
