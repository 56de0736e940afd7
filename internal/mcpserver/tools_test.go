package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

func TestStore(t *testing.T) {
	t.Parallel()
	var got memory.StoreInput
	f := &fake{store: func(in memory.StoreInput) (memory.StoreResult, error) {
		got = in
		return memory.StoreResult{
			ID: in.ID(), Status: memory.Stored, Project: in.Project, Collection: in.Collection, WorkflowID: "w", Redacted: []string{"aws-key"},
		}, nil
	}}
	c := connect(t, newServer(t, f))
	out := mustCall(t, c, "memory_store", map[string]any{
		"text": " We use tabs. ", "type": "preference", "tags": []string{"Style", "go"}, "importance": 0.9, "pinned": true,
		"links": []any{map[string]any{"target_id": idA, "link_type": "clarifies"}},
	})
	if got.Text != "We use tabs." || got.Project != "example.org/me/app" || got.Session != "s-default" || got.User != "me" ||
		got.Source != memory.SourceTool || *got.Importance != 0.9 || !got.Pinned || !reflect.DeepEqual(got.Tags, []string{"go", "style"}) ||
		!reflect.DeepEqual(got.Links, []memory.LinkRequest{{TargetID: idA, Type: "clarifies"}}) {
		t.Errorf("stored %+v", got)
	}
	if out["status"] != "stored" || out["id"] != memory.ShortID(got.ID()) || out["collection"] != memory.Memories || out["workflow_id"] != nil {
		t.Errorf("answered %v", out)
	}
	wantText(t, out["message"].(string), "aws-key")

	mustCall(t, c, "memory_store", map[string]any{"text": "x", "project": `a/"b" 'c'`, "session": "s2", "type": nil, "collection": ""})
	if got.Project != `a/"b" 'c'` || got.Session != "s2" || got.Type != memory.TypeFact {
		t.Errorf("stored %+v", got)
	}
}

func TestStoreAccepted(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{store: func(in memory.StoreInput) (memory.StoreResult, error) {
		return memory.StoreResult{ID: in.ID(), Status: memory.Accepted, WaitingFor: "Ollama", WorkflowID: "store/x"}, nil
	}}))
	out := mustCall(t, c, "memory_store", map[string]any{"text": "x"})
	if out["status"] != "accepted" || out["waiting_for"] != "Ollama" || out["workflow_id"] != "store/x" {
		t.Errorf("answered %v", out)
	}
	wantText(t, out["message"].(string), "when Ollama is back")
}

// TestRecallSaysWhatWaits has accepted changes wait for a part that refuses: an
// answer without them says so, with the remedy.
func TestRecallSaysWhatWaits(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{
		recall: func(memory.Query) (memory.RecallResult, error) {
			return memory.RecallResult{Degraded: "by keywords"}, nil
		},
		waiting: []memory.Waiting{{
			Wait:  memory.Wait{Part: "Qdrant", Code: memory.Refused, Reason: "Invalid API key", Hint: "check MNEME_QDRANT_API_KEY"},
			Count: 3, Since: time.Now(),
		}},
	}))
	out := mustCall(t, c, "memory_recall", map[string]any{"query": "which port"})
	for _, want := range []string{"by keywords", "3 changes wait for Qdrant", "Invalid API key", "MNEME_QDRANT_API_KEY"} {
		wantText(t, out["degraded"].(string), want)
	}
}

func TestKeepers(t *testing.T) {
	t.Parallel()
	cases := []struct {
		tool       string
		args       map[string]any
		text       string
		collection string
		typ        string
	}{
		{"procedure", map[string]any{"name": "Release", "steps": []string{"tag", "push"}}, "Procedure: Release\n1. tag\n2. push", memory.Procedures, "procedure"},
		{"procedure", map[string]any{"name": "Release", "steps": "1. tag 2. push"}, "Procedure: Release\n1. tag 2. push", memory.Procedures, "procedure"},
		{"learning", map[string]any{"insight": "Sleep hides races", "context": "tests"}, "Sleep hides races\nContext: tests", memory.Learnings, "learning"},
		{"learning", map[string]any{"insight": "Sleep hides races"}, "Sleep hides races", memory.Learnings, "learning"},
		{"episode", map[string]any{"event": "Disk full", "outcome": "logs rotated", "type": "error"}, "Disk full\nOutcome: logs rotated", memory.Episodes, "error"},
		{"trajectory", map[string]any{"task": "Fix CI", "steps": []string{"read log", "pin image"}}, "Task: Fix CI\n1. read log\n2. pin image", memory.Trajectories, "trajectory"},
	}
	for _, tc := range cases {
		t.Run(tc.tool, func(t *testing.T) {
			t.Parallel()
			var got memory.StoreInput
			c := connect(t, newServer(t, &fake{store: func(in memory.StoreInput) (memory.StoreResult, error) {
				got = in
				return memory.StoreResult{ID: in.ID(), Status: memory.Stored}, nil
			}}))
			mustCall(t, c, tc.tool, tc.args)
			if got.Text != tc.text || got.Collection != tc.collection || got.Type != tc.typ || got.Project != "example.org/me/app" {
				t.Errorf("stored %+v", got)
			}
		})
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	var got memory.Query
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	f := &fake{recall: func(q memory.Query) (memory.RecallResult, error) {
		got = q
		return memory.RecallResult{BelowBar: 3, Hits: []memory.Hit{{
			ID: idA, Text: "red\x1b[31m \u202Eevil\x00", Collection: memory.Memories, Project: "example.org/me/app", Type: "fact",
			Score: 0.9, Strong: true, Confidence: 0.5, CreatedAt: at, LastAccessed: at,
		}, {ID: idB, Text: "b", Project: memory.Global, CreatedAt: at}}}, nil
	}}
	c := connect(t, newServer(t, f))
	out := mustCall(t, c, "memory_recall", map[string]any{"query": "tabs?", "limit": 7, "min_score": 0, "tags": []string{"Go"}, "types": []string{"fact"}})
	if got.Project != "example.org/me/app" || got.Limit != 7 || *got.MinScore != 0 || got.Source != memory.SourceTool ||
		len(got.Collections) != len(memory.Collections()) || !reflect.DeepEqual(got.Tags, []string{"go"}) {
		t.Errorf("asked %+v", got)
	}
	h := out["results"].([]any)[0].(map[string]any)
	want := map[string]any{
		"id": memory.ShortID(idA), "text": "red[31m evil", "date": "2026-01-02", "strong": true,
	}
	everywhere := map[string]any{"id": memory.ShortID(idB), "text": "b", "date": "2026-01-02", "strong": false, "project": memory.Global}
	if !reflect.DeepEqual(h, want) || !reflect.DeepEqual(out["results"].([]any)[1], everywhere) || out["below_bar"] != 3.0 {
		t.Errorf("answered %v", out)
	}
	mustCall(t, c, "rag_search", map[string]any{"query": "x", "collection": memory.Learnings, "all_projects": true})
	if !got.AllProjects || !reflect.DeepEqual(got.Collections, []string{memory.Learnings}) {
		t.Errorf("asked %+v", got)
	}
	before := time.Now()
	mustCall(t, c, "memory_recall", map[string]any{
		"query": []string{"x", "y"}, "since": "7d", "before": "2026-01-31", "session": "s1", "files": []string{"a/b.go"},
	})
	if !got.Each || got.Text != "x" || !reflect.DeepEqual(got.Then, []string{"y"}) || got.FromSession != "s1" || got.Session != "s-default" ||
		!reflect.DeepEqual(got.Files, []string{"a/b.go"}) || before.Sub(*got.Since).Round(time.Hour) != 7*24*time.Hour || got.Before.Day() != 31 {
		t.Errorf("asked %+v", got)
	}
	mustCall(t, c, "rag_search", map[string]any{"query": "x"})
	if len(got.Collections) != len(memory.Collections()) || got.AllProjects || got.Limit != memory.DefaultLimit {
		t.Errorf("asked %+v", got)
	}
}

func TestRecallStaysWithinBudget(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 400, 3_000, 30_000} {
		for _, n := range []int{0, 1, 5, 100} {
			t.Run(fmt.Sprintf("%d texts of %d", n, size), func(t *testing.T) {
				t.Parallel()
				var hits []memory.Hit
				for range n {
					hits = append(hits, memory.Hit{ID: idA, Text: strings.Repeat("wörd <b> \"q\" ", size/12+1), Collection: memory.Memories, Project: "p", Type: "fact"})
				}
				a := newFound(memory.RecallResult{Hits: hits, BelowBar: 1, Degraded: "no embedding"}, "p")
				b, err := json.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				if len(b) >= 10_000 {
					t.Errorf("%d bytes", len(b))
				}
				if len(a.Results)+a.Omitted != n {
					t.Errorf("%d results + %d omitted, want %d", len(a.Results), a.Omitted, n)
				}
				if n > 0 && len(a.Results) == 0 {
					t.Error("nothing is shown")
				}
				if n > 0 && size > 2_000 && (!a.Results[0].Truncated || !strings.Contains(a.Hint, "memory_get")) {
					t.Errorf("not marked: %+v", a)
				}
			})
		}
	}
}

func TestEmptyRecallSaysWhatToDo(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, &fake{recall: func(memory.Query) (memory.RecallResult, error) {
		return memory.RecallResult{BelowBar: 2}, nil
	}}))
	out := mustCall(t, c, "memory_recall", map[string]any{"query": "x"})
	wantText(t, out["hint"].(string), "min_score", "2 below")
	if list, ok := out["results"].([]any); !ok || len(list) != 0 {
		t.Errorf("results is %v, want an empty list", out["results"])
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	var got memory.ForgetInput
	c := connect(t, newServer(t, &fake{forget: func(in memory.ForgetInput) (memory.ForgetReceipt, error) {
		got = in
		return memory.ForgetReceipt{IDs: []string{idA}, Count: 1, DryRun: in.DryRun, Verified: true}, nil
	}, get: oldOnes}))
	_, errText := callTool(t, c, "memory_forget", map[string]any{})
	wantText(t, errText, "error: a forget without any filter", "hint:")
	_, errText = callTool(t, c, "memory_forget", map[string]any{"dry_run": true, "purge": true, "tags": []string{" "}, "id": ""})
	wantText(t, errText, "without any filter")

	out := mustCall(t, c, "memory_forget", map[string]any{"id": idA})
	if got.Filter.Project != "" || !reflect.DeepEqual(got.Filter.IDs, []string{idA}) || got.User != "me" || out["count"] != 1.0 {
		t.Errorf("asked %+v, answered %v", got, out)
	}
	out = mustCall(t, c, "memory_forget", map[string]any{"tags": []string{"old"}, "date_before": "2026-01-31", "dry_run": true, "purge": true})
	want := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	if got.Filter.Project != "example.org/me/app" || !got.Filter.Before.Equal(want) || !got.DryRun || !got.Purge {
		t.Errorf("asked %+v", got)
	}
	wantText(t, out["message"].(string), "nothing was forgotten yet")
}

func oldOnes(ids []string) ([]memory.Details, error) {
	var out []memory.Details
	for _, id := range ids {
		out = append(out, memory.Details{Memory: memory.Memory{ID: id, Project: "shop", Text: "The old server had two disks.", CreatedAt: time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)}})
	}
	return out, nil
}

// TestForgetShowsFirst forgets more than one only when the caller says how many
// there are, and then what it showed.
func TestForgetShowsFirst(t *testing.T) {
	t.Parallel()
	var gone []string
	c := connect(t, newServer(t, &fake{forget: func(in memory.ForgetInput) (memory.ForgetReceipt, error) {
		if !in.DryRun {
			gone = in.Filter.IDs
		}
		return memory.ForgetReceipt{IDs: []string{idA, idB}, Count: 2, DryRun: in.DryRun, Verified: !in.DryRun}, nil
	}, get: oldOnes}))
	for _, confirm := range []int{0, 1, 3} {
		out := mustCall(t, c, "memory_forget", map[string]any{"tags": []string{"old"}, "confirm": confirm})
		shown, ok := out["memories"].([]any)
		if !ok || len(shown) != 2 || gone != nil {
			t.Fatalf("confirm %d: answered %v, gone %v", confirm, out, gone)
		}
		first, ok := shown[0].(map[string]any)
		if !ok || first["project"] != "shop" || first["date"] != "2025-03-01" || first["text"] != "The old server had two disks." {
			t.Errorf("shown %v", first)
		}
		wantText(t, out["message"].(string), "nothing was forgotten yet", "confirm: 2")
	}
	out := mustCall(t, c, "memory_forget", map[string]any{"tags": []string{"old"}, "confirm": 2})
	if !reflect.DeepEqual(gone, []string{idA, idB}) || out["verified"] != true {
		t.Errorf("answered %v, gone %v", out, gone)
	}
	wantText(t, out["message"].(string), "memory_undo")
}

func TestOrganizeGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	f := &fake{organize: func(ctx context.Context, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
		progress(memory.OrganizeReport{WorkflowID: "organize/1"}) // at once, as the client does
		progress(memory.OrganizeReport{WorkflowID: "organize/1", Collections: []memory.CollectionReport{{Collection: memory.Memories, Scanned: 2, Merged: 1}}})
		<-ctx.Done()
		return memory.OrganizeReport{}, fmt.Errorf("wait: %w", ctx.Err())
	}}
	s := New(Options{Dial: func(context.Context) (Client, error) { return f, nil }, Deadlines: Deadlines{Organize: 20 * time.Millisecond}})
	out := mustCall(t, connect(t, s), "memory_organize", map[string]any{})
	if out["status"] != "running" || out["workflow_id"] != "organize/1" {
		t.Errorf("answered %v", out)
	}
}

// TestDryRunAnswersWithThePlan shows the first steps, short and clean, and says where the rest is.
func TestDryRunAnswersWithThePlan(t *testing.T) {
	t.Parallel()
	merge := memory.PlannedStep{
		PlanStep: memory.PlanStep{Action: memory.ActionMerge, Project: "shop", IDs: []string{idA, idB}, Why: "they say the same"},
		Memories: []memory.PlannedMemory{{ID: idA, Text: "We use goose."}, {ID: idB, Text: "We use goose. " + strings.Repeat("And \x1b[2Jmore. ", 100)}},
		Text:     "We use goose. And more.",
	}
	f := &fake{
		organize: func(context.Context, func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
			return memory.OrganizeReport{WorkflowID: "organize/1", DryRun: true, Collections: []memory.CollectionReport{{Collection: memory.Memories, Scanned: 2, Merged: 1}}}, nil
		},
		plan: func(q memory.PlanQuery) (memory.PlanPage, error) {
			decay := memory.PlannedStep{PlanStep: memory.PlanStep{Action: memory.ActionDecay, IDs: []string{idA}}}
			if q.After == 0 {
				return memory.PlanPage{Steps: []memory.PlannedStep{decay, merge}, Next: 2}, nil
			}
			return memory.PlanPage{Steps: slices.Repeat([]memory.PlannedStep{merge}, 20)}, nil
		},
	}
	out := mustCall(t, connect(t, newServer(t, f)), "memory_organize", map[string]any{"dry_run": true})
	steps := out["plan"].([]any)
	if len(steps) != maxPlanSteps {
		t.Fatalf("%d steps are shown", len(steps))
	}
	first := steps[0].(map[string]any)
	texts := first["texts"].([]any)
	if first["action"] != "merge" || first["becomes"] != "We use goose. And more." || texts[0] != "We use goose." || len(texts[1].(string)) > maxGroupText+10 ||
		strings.Contains(texts[1].(string), "\x1b") {
		t.Errorf("answered %v", first)
	}
	wantText(t, out["message"].(string), "1 would be merged", "12 steps are shown")
}

func TestGetLinkRelatedSummarize(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 5_000)
	f := &fake{
		get: func(ids []string) ([]memory.Details, error) {
			if ids[0] == idB {
				return nil, nil
			}
			return []memory.Details{{Memory: memory.Memory{ID: idA, Text: long, State: memory.Live}, Links: []memory.Link{{SourceID: idA, TargetID: idB, Type: "clarifies"}}}}, nil
		},
		link: func(l memory.Link) (memory.Link, error) { l.ID = "L"; return l, nil },
		related: func(id string, depth, limit int) ([]memory.Related, error) {
			if id != idA || depth != 1 || limit != defaultRelated {
				return nil, fmt.Errorf("asked for %s, %d, %d", id, depth, limit)
			}
			return []memory.Related{{Memory: memory.Memory{ID: idB, Text: "b"}, Link: memory.Link{SourceID: idA, TargetID: idB, Type: "builds_on"}, Depth: 1}}, nil
		},
		summarize: func(in memory.SummaryInput) (memory.Summary, error) {
			return memory.Summary{Text: in.Project + " " + long, Method: "extractive", Memories: in.Sentences}, nil
		},
	}
	c := connect(t, newServer(t, f))
	out := mustCall(t, c, "memory_get", map[string]any{"id": idA, "ids": []string{idA, idB}})
	if m := out["memories"].([]any)[0].(map[string]any); m["text"] != strings.TrimSpace(long) || m["links"] == nil || out["missing"].([]any)[0] != idB {
		t.Errorf("answered %.300v", out)
	}
	_, errText := callTool(t, c, "memory_get", map[string]any{"id": idB})
	wantText(t, errText, "there is no memory "+idB, "memory_recall")
	_, errText = callTool(t, c, "memory_get", nil)
	wantText(t, errText, "give id or ids")

	out = mustCall(t, c, "memory_link", map[string]any{"source_id": idA, "target_id": idB, "link_type": "contradicts"})
	if out["id"] != nil || out["link_type"] != "contradicts" || out["target_id"] != memory.ShortID(idB) {
		t.Errorf("answered %v", out)
	}
	_, errText = callTool(t, c, "memory_link", map[string]any{"source_id": idA, "target_id": idA, "link_type": "contradicts"})
	wantText(t, errText, "linked to itself")
	_, errText = callTool(t, c, "memory_link", map[string]any{"source_id": idA, "target_id": idB, "link_type": "likes"})
	wantText(t, errText, `there is no link_type "likes"`, "builds_on, contradicts, clarifies")

	out = mustCall(t, c, "memory_related", map[string]any{"id": idA})
	if m := out["memories"].([]any)[0].(map[string]any); m["id"] != memory.ShortID(idB) || m["depth"] != 1.0 {
		t.Errorf("answered %v", out)
	}
	out = mustCall(t, c, "memory_summarize", map[string]any{})
	if s := out["summary"].(string); len(s) > 10_000 || !strings.HasPrefix(s, "example.org/me/app ") || out["memories"] != 10.0 {
		t.Errorf("answered %.200v", out)
	}
}

// Errors of the backend keep their hint, and a dial that fails is tried again.
func TestBackendErrors(t *testing.T) {
	t.Parallel()
	dials := 0
	f := &fake{recall: func(memory.Query) (memory.RecallResult, error) {
		return memory.RecallResult{}, fmt.Errorf("recall: %w", memory.Down("Ollama", `start it with "ollama serve"`, errors.New("no answer")))
	}}
	s := New(Options{Dial: func(context.Context) (Client, error) {
		if dials++; dials == 1 {
			return nil, errors.New("connection refused")
		}
		return f, nil
	}})
	c := connect(t, s)
	if dials != 0 {
		t.Fatal("the handshake touched the backend")
	}
	args := map[string]any{"query": "x"}
	_, errText := callTool(t, c, "memory_recall", args)
	wantText(t, errText, "error: ", "connection refused", `hint: mneme is not running: start it with "mneme up"`)
	for range 2 {
		_, errText = callTool(t, c, "memory_recall", args)
		wantText(t, errText, "no answer", `hint: start it with "ollama serve"`)
	}
	if dials != 2 {
		t.Errorf("%d dials, want 2", dials)
	}
}

// A restarted mneme may listen on another port, so a client that gets no
// answer is replaced.
func TestRedialsAfterARestart(t *testing.T) {
	t.Parallel()
	var dials int
	s := New(Options{Dial: func(context.Context) (Client, error) {
		dials++
		first := dials == 1
		return &fake{recall: func(memory.Query) (memory.RecallResult, error) {
			if first {
				return memory.RecallResult{}, memory.Down("Temporal", "start it", errors.New("no answer"))
			}
			return memory.RecallResult{}, nil
		}}, nil
	}})
	c := connect(t, s)
	_, errText := callTool(t, c, "memory_recall", map[string]any{"query": "x"})
	wantText(t, errText, "no answer")
	for range 2 {
		mustCall(t, c, "memory_recall", map[string]any{"query": "x"})
	}
	if dials != 2 {
		t.Errorf("%d dials, want 2", dials)
	}
}
