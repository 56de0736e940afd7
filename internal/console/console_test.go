package console

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

const (
	idA = "0e5a6a4e-0000-8000-8000-00000000000a"
	idB = "1b7c0d2f-0000-8000-8000-00000000000b"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// home is a client with two memories, which notes what it was asked to change.
type home struct {
	memories []memory.Memory
	err      error
	asked    []string
	updated  memory.UpdateInput
}

func newHome(text string) *home {
	a := memory.Memory{
		ID: idA, Collection: "claude_memories", Project: text, Type: memory.TypeFact, Tags: []string{"port"}, Text: text,
		Confidence: .5, Importance: .5, CreatedAt: day, LastAccessed: day, Source: text, Session: text, ContentHash: "h", State: memory.Live,
	}
	b := a
	b.ID, b.Text = idB, "another "+text
	return &home{memories: []memory.Memory{a, b}}
}

func (h *home) note(what string) error { h.asked = append(h.asked, what); return h.err }

func (h *home) Stats(context.Context) (memory.Stats, error) {
	return memory.Stats{
		Live: map[string]int{"claude_memories": 2}, Projects: 1, NearlyPruned: 1,
		Held: []memory.HeldPrune{{Project: h.memories[0].Text, Memories: 1, Live: 2}},
	}, h.err
}

func (h *home) Census(context.Context, memory.CensusInput) (memory.Census, error) {
	t := []memory.Tally{{Name: h.memories[0].Text, Count: 2}}
	return memory.Census{Projects: t, Tags: t}, h.err
}

func (h *home) Waiting(context.Context) ([]memory.Waiting, error) {
	return []memory.Waiting{{Wait: memory.Wait{Part: "Qdrant", Code: memory.Refused, Reason: h.memories[0].Text, Hint: h.memories[0].Text}, Count: 1, Since: day}}, h.err
}

func (h *home) Recall(_ context.Context, q memory.Query) (memory.RecallResult, error) {
	m := h.memories[0]
	hit := memory.Hit{
		ID: m.ID, Text: m.Text, Project: m.Project, Type: m.Type, Tags: m.Tags, Score: .9, Strong: true, CreatedAt: day,
		Reasons: []string{m.Text}, SupersededBy: &memory.Successor{ID: idB, Text: m.Text},
	}
	if q.Explain {
		hit.Why = &memory.Why{Cosine: .87}
	}
	if !q.Trial {
		h.asked = append(h.asked, "a recall that counts")
	}
	return memory.RecallResult{Hits: []memory.Hit{hit}, JustBelow: []memory.Hit{hit}, Degraded: m.Text}, h.err
}

func (h *home) List(_ context.Context, p memory.Page) ([]memory.Memory, error) {
	return h.memories[:min(len(h.memories), p.Limit)], h.err
}

func (h *home) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	var out []memory.Details
	for _, m := range h.memories {
		for _, id := range ids {
			if id == m.ID {
				out = append(out, memory.Details{Memory: m, SupersededBy: []string{idB}, Links: []memory.Link{{ID: "l", SourceID: idA, TargetID: idB, Type: "builds_on"}}})
			}
		}
	}
	return out, h.err
}

func (h *home) History(context.Context, string) (memory.History, error) {
	before, after := h.memories[0], h.memories[0]
	before.Text = "it was " + before.Text
	return memory.History{
		Memory: after,
		Versions: []memory.Version{
			{At: day, Action: "store", WorkflowID: "w", Step: "1", After: &before},
			{At: day, Action: "update", WorkflowID: "v", Step: "1", Before: &before, After: &after},
		},
		Audit: []memory.Audit{{WorkflowID: "v", Step: "1", User: after.Text}, {Action: memory.ActionRecall}},
	}, h.err
}

func (h *home) Related(context.Context, string, int, int) ([]memory.Related, error) {
	return []memory.Related{{Memory: h.memories[1], Link: memory.Link{Type: "builds_on"}}}, h.err
}

func (h *home) Update(_ context.Context, in memory.UpdateInput) (memory.Memory, error) {
	h.updated = in
	return h.memories[0], h.note("update")
}

func (h *home) Merge(_ context.Context, ids []string) (memory.MergedGroup, error) {
	return memory.MergedGroup{SurvivorID: ids[0], MergedIDs: ids[1:]}, h.note("merge " + strings.Join(ids, " "))
}

func (h *home) Forget(_ context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	return memory.ForgetReceipt{Count: len(in.Filter.IDs), WorkflowID: "forget/1"}, h.note("forget " + strings.Join(in.Filter.IDs, " "))
}

func (h *home) Changes(context.Context, int) ([]memory.Change, error) {
	return []memory.Change{{WorkflowID: h.memories[0].Text, Action: "update", At: day, User: h.memories[0].Text, Memories: 1}}, h.err
}

func (h *home) Undo(_ context.Context, in memory.UndoInput, _ func(memory.UndoReport)) (memory.UndoReport, error) {
	what := "undo "
	if in.DryRun {
		what = "rehearse the undo of "
	}
	text := h.memories[0].Text
	return memory.UndoReport{
		WorkflowID: "undo/1", Change: memory.Change{WorkflowID: "forget/1", Action: "forget", At: day}, Restored: 1,
		Examples: []memory.Undo{{ID: idA, From: "forgotten", To: "live", Was: text, Becomes: text + "!"}},
		Left:     []memory.Left{{ID: idB, Text: text, Reason: text}},
	}, h.note(what + in.Of)
}

// Position and Events are those of a feed with one event.
func (h *home) Position(context.Context) (int64, error) { return 7, nil }

func (h *home) Events(context.Context, memory.AuditQuery) ([]live.Event, error) {
	text := h.memories[0].Text
	return []live.Event{
		{Seq: 7, Action: memory.ActionInject, At: day, Project: text, Session: text, User: text, MemoryIDs: []string{idA}, Count: 1},
		{Seq: 6, Action: memory.ActionMerge, At: day, Project: text, MemoryIDs: []string{idA, idB}, Count: 2},
	}, h.err
}

func (h *home) Sessions(context.Context, int, int) ([]memory.SessionTrace, error) {
	text := h.memories[0].Text
	return []memory.SessionTrace{{Session: text, Project: text, First: day, Last: day, Shown: 3}}, h.err
}

func (h *home) Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
	what := "organize"
	switch {
	case in.DryRun:
		what = "plan " + in.Project
	case in.Apply != nil:
		what = "apply " + in.Apply.ID + " " + in.Apply.Digest
	}
	if err := h.note(what); err != nil {
		return memory.OrganizeReport{}, err
	}
	progress(memory.OrganizeReport{WorkflowID: "organize/1"})
	<-ctx.Done()
	return memory.OrganizeReport{}, ctx.Err()
}

func (h *home) Plan(context.Context, memory.PlanQuery) (memory.PlanPage, error) {
	text := h.memories[0].Text
	return memory.PlanPage{
		Head: memory.PlanHead{ID: "organize/1", Steps: 2, Digest: text}, Next: 2,
		Steps: []memory.PlannedStep{
			{Number: 1, PlanStep: memory.PlanStep{Action: memory.ActionMerge, Project: text, Why: text}, Text: text, Memories: []memory.PlannedMemory{{ID: idA, Text: text}, {ID: idB, Text: text}}},
			{Number: 2, PlanStep: memory.PlanStep{Action: memory.ActionDecay, IDs: []string{idA}}},
		},
	}, h.err
}

func (h *home) CancelOrganize(_ context.Context, id string) ([]string, error) {
	return []string{id}, h.note("cancel " + id)
}

func (h *home) Runs(context.Context, int) ([]memory.Run, error) {
	return []memory.Run{{ID: h.memories[0].Text, Kind: "organize", Status: "running", StartedAt: day, EndedAt: &day}}, h.err
}

func (h *home) Run(_ context.Context, id string) (memory.RunState, error) {
	text := h.memories[0].Text
	s := memory.RunState{Run: memory.Run{ID: text, Kind: "organize", Status: "completed", StartedAt: day, EndedAt: &day}}
	s.Organize = &memory.OrganizeReport{
		DryRun: id == "plan", Collections: []memory.CollectionReport{{Collection: text, Merged: 2}}, Held: []memory.HeldPrune{{Project: text}},
	}
	if id == "running" {
		s.Status = id
	}
	return s, h.err
}

func (h *home) Restore(context.Context, string, string) (memory.Memory, error) {
	return h.memories[0], h.note("restore")
}

// ask sends a request to the pages of a home. A form is sent when there is one.
func ask(t *testing.T, h *home, address string, form url.Values) *http.Response {
	t.Helper()
	pages, err := New(Options{Client: h, Settings: []Setting{{"user", h.memories[0].Text, h.memories[0].Text, "MNEME_USER", "who"}}, Events: h, Sessions: h, API: http.NotFoundHandler(), Version: "1.2.3", Location: time.UTC, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if form != nil {
		r = httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, r)
	return w.Result()
}

// body reads an answer.
func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// everyPage are the addresses of all pages that are read.
var everyPage = []string{
	"/", "/search", "/search?q=port&explain=yes&type=fact", "/memories", "/memories?type=fact&sort=oldest&skip=1&tags=port", "/memories/" + idA,
	"/settings", "/sessions", "/sessions?skip=50", "/session?id=s1", "/runs", "/run?id=plan", "/run?id=running", "/run?id=organize/1", "/graph", "/graph?project=shop",
	"/changes", "/undo?of=forget/1", "/nowhere", "/memories/not-an-id", "/?did=forgotten&n=2&undo=forget/1",
}

// TestHostileTextsStayTexts puts texts that look like markup, addresses and other things into each
// field that a page shows. The page must have exactly the same elements as with a plain text.
func TestHostileTextsStayTexts(t *testing.T) {
	t.Parallel()
	forms := []struct {
		to   string
		form url.Values
	}{
		{"/chosen", url.Values{"id": {idA}, "do": {"forget"}, "back": {"/memories"}}},
		{"/chosen", url.Values{"id": {idA, idB}, "do": {"merge"}, "back": {"/memories"}}},
	}
	all := func(text string) map[string]string {
		out := map[string]string{}
		for _, address := range everyPage {
			out[address] = outline(t, body(t, ask(t, newHome(text), address, nil)))
		}
		for i, f := range forms {
			out["form "+f.to+strings.Repeat("'", i)] = outline(t, body(t, ask(t, newHome(text), f.to, f.form)))
		}
		return out
	}
	plain := all("plain words")
	for _, text := range hostile {
		for address, got := range all(text) {
			if got != plain[address] {
				t.Errorf("%s shows %q with other elements:\n%s\nwith plain words:\n%s", address, text, got, plain[address])
			}
		}
	}
}

// hostile are texts that want to be more than texts.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</textarea><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`, `<a href="javascript:alert(1)">x</a>`, `javascript:alert(1)`, `<iframe srcdoc="<script>alert(1)</script>">`,
	`<style>*{display:none}</style>`, `<base href="//evil.example/">`, `<meta http-equiv="refresh" content="0;url=//evil.example">`,
	`<form action="//evil.example"><input name=x>`, `</form><form action="/forget" method="post">`, `<input type="hidden" name="id" value="x">`,
	`{{.}}`, `${7*7}`, `<!--`, `-->`, `]]>`, `<![CDATA[`, `&lt;script&gt;`, `&#60;script&#62;`, "\x00<b>", "\u202e<b>", `<b`, `</`, `<math><mi xlink:href="x">`,
	`<details open ontoggle=alert(1)>`, `" autofocus onfocus="alert(1)`, `' style='x:expression(alert(1))`, "` onclick=alert(1) `", `<x contenteditable onblur=alert(1)>`,
	`</blockquote></main><script src=//evil.example/x.js></script>`, `<object data="data:text/html,x">`, `<embed src="x">`, `<link rel=stylesheet href=//evil.example>`,
	`<button formaction="//evil.example">`, `<option selected>`, `</select><script>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
}

// outline writes the elements of a page with the names of their attributes, and the addresses that are
// not the page's own.
func outline(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			out.WriteString("<!-->")
		}
		if n.Type != html.ElementNode {
			continue
		}
		out.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			out.WriteString(" " + a.Key)
			if address := a.Key == "href" || a.Key == "src" || a.Key == "action"; address && !strings.HasPrefix(a.Val, "/") && a.Val != "#content" {
				t.Errorf("%s leads to %q", n.Data, a.Val)
			}
		}
		out.WriteString(">")
	}
	return out.String()
}

func TestPages(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		status int
		text   string
	}{
		"/":                                    {200, "Newest memories"},
		"/search?q=port&explain=yes":           {200, "meaning (cosine)</dt><dd>0.87"},
		"/memories":                            {200, "the port is 80"},
		"/memories/" + idA:                     {200, "<del>it was</del>"},
		"/changes":                             {200, "Undo…"},
		"/sessions":                            {200, "<td>3</td>"},
		"/session?id=s1":                       {200, "shown to Claude:"},
		"/session":                             {400, "no session was named"},
		"/runs":                                {200, "Make a plan"},
		"/run?id=plan":                         {200, "Carry out all 2 steps"},
		"/run?id=running":                      {200, "End it after this page"},
		"/run?id=organize/1":                   {200, "Undo…"},
		"/run?id=plan&after=x":                 {400, "must be a number"},
		"/graph":                               {200, "builds on"},
		"/settings":                            {200, "MNEME_USER"},
		"/undo?of=forget/1":                    {200, "1 memory goes back to what it was before"},
		"/nowhere":                             {404, "there is no page"},
		"/memories/not-an-id":                  {400, "not-an-id"},
		"/memories?skip=x":                     {400, "skip must be a number"},
		"/?did=forgotten&n=2&undo=f":           {200, "2 memories forgotten."},
		"/?did=%3Cscript%3E":                   {200, "Newest memories"},
		"/assets/console.css":                  {200, ":root"},
		"/assets/live.js":                      {200, "EventSource"},
		"/api/v1/nowhere":                      {404, ""},
		"/assets/../console.go":                {307, ""},
		"/assets/nothing":                      {404, ""},
		"/memories?project=x&type=y&source=z'": {200, "the port is 80"},
	} {
		got := ask(t, newHome("the port is 80"), address, nil)
		if text := body(t, got); got.StatusCode != want.status || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d, want %d with %q:\n%s", address, got.StatusCode, want.status, want.text, text)
		}
		policy := got.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") || got.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: the policy is %q", address, policy)
		}
	}
}

// TestErrorsAreShown has every page of a home whose database refuses say so, and what to do.
func TestErrorsAreShown(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"/", "/search?q=port", "/memories", "/memories/" + idA, "/changes", "/undo?of=forget/1", "/sessions", "/session?id=s1", "/runs", "/run?id=x", "/graph"} {
		h := newHome("the port is 80")
		h.err = memory.Down("PostgreSQL", `run "mneme doctor"`, io.ErrUnexpectedEOF)
		got := ask(t, h, address, nil)
		if text := body(t, got); got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "run &#34;mneme doctor&#34;") {
			t.Errorf("%s: %d\n%s", address, got.StatusCode, text)
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	same := url.Values{"hash": {"h"}, "text": {"the port is 80"}, "type": {"fact"}, "tags": {"port"}, "importance": {"0.5"}}
	changed := func(key, value string) url.Values {
		out := url.Values{}
		for k, v := range same {
			out[k] = v
		}
		out.Set(key, value)
		return out
	}
	for _, c := range []struct {
		name, to string
		form     url.Values
		status   int
		asked    string // "" for nothing
		goesTo   string
	}{
		{"an edit that changes nothing", "/memories/" + idA, same, 303, "", "/memories/" + idA},
		{"an edit of the text", "/memories/" + idA, changed("text", "the port is 81"), 303, "update", "/memories/" + idA + "?did=edited&undo=" + idA},
		{"an edit of what is no longer so", "/memories/" + idA, changed("hash", "old"), 409, "", ""},
		{"an importance that is no number", "/memories/" + idA, changed("importance", "much"), 400, "", ""},
		{"pin", "/memories/" + idA + "/pin", url.Values{"pinned": {"yes"}}, 303, "update", "/memories/" + idA + "?did=pinned&undo=" + idA},
		{"restore", "/memories/" + idA + "/restore", url.Values{}, 303, "restore", "/memories/" + idA + "?did=restored"},
		{"forget asks first", "/chosen", url.Values{"do": {"forget"}, "id": {idA}}, 200, "", ""},
		{"forget", "/forget", url.Values{"id": {idA, idB, idA}, "back": {"/memories?skip=50"}}, 303, "forget " + idA + " " + idB, "/memories?did=forgotten&n=2&skip=50&undo=forget%2F1"},
		{"forget nothing", "/forget", url.Values{}, 400, "", ""},
		{"forget what is no id", "/forget", url.Values{"id": {"everything"}}, 400, "", ""},
		{"merge one", "/chosen", url.Values{"do": {"merge"}, "id": {idA}}, 400, "", ""},
		{"merge", "/merge", url.Values{"id": {idA, idB}}, 303, "merge " + idA + " " + idB, "/memories/" + idA + "?did=merged&n=2&undo=" + idA},
		{"another action", "/chosen", url.Values{"do": {"purge"}, "id": {idA}}, 400, "", ""},
		{"a plan", "/runs", url.Values{"project": {"shop"}}, 303, "plan shop", "/run?id=organize%2F1"},
		{"apply a plan", "/runs", url.Values{"plan": {"organize/1"}, "digest": {"d"}}, 303, "apply organize/1 d", "/run?id=organize%2F1"},
		{"cancel", "/runs/cancel", url.Values{"id": {"organize/1"}}, 303, "cancel organize/1", "/run?id=organize%2F1"},
		{"cancel every run", "/runs/cancel", url.Values{}, 400, "", ""},
		{"undo nothing", "/undo", url.Values{}, 400, "", ""},
		{"undo", "/undo", url.Values{"of": {"forget/1"}}, 303, "undo forget/1", "/changes?did=undone&n=1&undo=undo%2F1"},
		{"back to another server", "/forget", url.Values{"id": {idA}, "back": {"//evil.example/"}}, 303, "forget " + idA, "/?did=forgotten&n=1&undo=forget%2F1"},
		{"back to a script", "/forget", url.Values{"id": {idA}, "back": {"javascript:alert(1)"}}, 303, "forget " + idA, "/?did=forgotten&n=1&undo=forget%2F1"},
		{"more than a form may hold", "/memories/" + idA, changed("text", strings.Repeat("x", maxForm)), 400, "", ""},
	} {
		h := newHome("the port is 80")
		got := ask(t, h, c.to, c.form)
		if asked := strings.Join(h.asked, "; "); got.StatusCode != c.status || asked != c.asked || got.Header.Get("Location") != c.goesTo {
			t.Errorf("%s: %d to %q, asked %q; want %d to %q, %q\n%s", c.name, got.StatusCode, got.Header.Get("Location"), asked, c.status, c.goesTo, c.asked, body(t, got))
		}
	}
}

// TestEditChangesOneField leaves the other fields of a memory as they are.
func TestEditChangesOneField(t *testing.T) {
	t.Parallel()
	h := newHome("the port is 80")
	ask(t, h, "/memories/"+idA, url.Values{"hash": {"h"}, "text": {"the port is 80"}, "type": {"fact"}, "tags": {"#port, http"}, "importance": {"0.5"}})
	if in := h.updated; in.Tags == nil || strings.Join(*in.Tags, " ") != "port http" || in.Text != nil || in.Type != nil || in.Importance != nil || in.Pinned != nil {
		t.Errorf("changed: %+v", in)
	}
}

// TestSearchCreditsNothing recalls as a trial.
func TestSearchCreditsNothing(t *testing.T) {
	t.Parallel()
	h := newHome("the port is 80")
	if ask(t, h, "/search?q=port", nil); len(h.asked) > 0 {
		t.Errorf("asked %q", h.asked)
	}
}
