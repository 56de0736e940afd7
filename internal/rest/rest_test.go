package rest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mneme-memory/mneme/internal/live"
	"github.com/mneme-memory/mneme/memory"
)

var update = flag.Bool("update", false, "write the description in docs anew")

const (
	idA = "0e5a6a4e-0000-8000-8000-00000000000a"
	idB = "1b7c0d2f-0000-8000-8000-00000000000b"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fake answers with one memory, or fails, and notes what it was asked to change.
type fake struct {
	err    error
	status memory.Status
	asked  []string
	stored memory.StoreInput
	page   memory.Page
	query  memory.AuditQuery
	end    int64
	found  int
}

func (f *fake) note(what string) error { f.asked = append(f.asked, what); return f.err }

func (f *fake) m() memory.Memory {
	return memory.Memory{
		ID: idA, Collection: memory.Memories, Project: "shop", Type: memory.TypeFact, Tags: []string{"port"}, Text: "the port is 80",
		CreatedAt: day, LastAccessed: day, ExpiresAt: &day, State: memory.Live,
	}
}

func (f *fake) Recall(_ context.Context, q memory.Query) (memory.RecallResult, error) {
	h := memory.Hit{ID: idA, Text: q.Text, Tags: []string{}, CreatedAt: day, SupersededBy: &memory.Successor{ID: idB}, Why: &memory.Why{}}
	return memory.RecallResult{Hits: []memory.Hit{h}, JustBelow: []memory.Hit{h}, TookMillis: map[string]float64{"index": 1}}, f.err
}

func (f *fake) Store(_ context.Context, in memory.StoreInput) (memory.StoreResult, error) {
	f.stored = in
	return memory.StoreResult{ID: idA, Status: f.status, Alike: []memory.Alike{{ID: idB}}}, f.note("store")
}

func (f *fake) StoreOnce(_ context.Context, key string, in memory.StoreInput) (memory.StoreResult, error) {
	f.stored = in
	return memory.StoreResult{ID: idA, Status: f.status}, f.note("store " + key)
}

func (f *fake) List(_ context.Context, p memory.Page) ([]memory.Memory, error) {
	f.page = p
	var out []memory.Memory
	for range min(f.found, p.Limit) {
		out = append(out, f.m())
	}
	return out, f.err
}

func (f *fake) Get(_ context.Context, ids []string) ([]memory.Details, error) {
	if f.found == 0 {
		return nil, f.err
	}
	return []memory.Details{{Memory: f.m(), Links: []memory.Link{{ID: idB}}, StandsFor: ids}}, f.err
}

func (f *fake) History(context.Context, string) (memory.History, error) {
	m := f.m()
	return memory.History{
		Memory: m, Versions: []memory.Version{{At: day, After: &m}},
		Audit: []memory.Audit{{At: day, Details: map[string]any{"tokens": 3, "list": []any{"x"}}}},
	}, f.err
}

func (f *fake) Related(context.Context, string, int, int) ([]memory.Related, error) {
	return []memory.Related{{Memory: f.m(), Depth: 1}}, f.err
}

func (f *fake) Census(context.Context, memory.CensusInput) (memory.Census, error) {
	return memory.Census{Projects: []memory.Tally{{Name: "shop", Count: 2}}}, f.err
}

func (f *fake) Changes(context.Context, int) ([]memory.Change, error) {
	return []memory.Change{{WorkflowID: "forget/1", At: day}}, f.err
}

func (f *fake) Restore(context.Context, string, string) (memory.Memory, error) {
	return f.m(), f.note("restore")
}

func (f *fake) Organize(ctx context.Context, in memory.OrganizeInput, progress func(memory.OrganizeReport)) (memory.OrganizeReport, error) {
	if err := f.note("organize " + in.Project); err != nil {
		return memory.OrganizeReport{}, err
	}
	progress(memory.OrganizeReport{WorkflowID: "organize/1"})
	<-ctx.Done() // the run goes on, and nobody waits
	return memory.OrganizeReport{}, ctx.Err()
}

func (f *fake) Plan(context.Context, memory.PlanQuery) (memory.PlanPage, error) {
	return memory.PlanPage{Head: memory.PlanHead{At: day}, Steps: []memory.PlannedStep{{Number: 1, Memories: []memory.PlannedMemory{{ID: idA}}}}}, f.err
}

func (f *fake) CancelOrganize(_ context.Context, id string) ([]string, error) {
	return []string{id}, f.note("cancel " + id)
}

func (f *fake) Rebuild(context.Context, memory.RebuildInput, func(memory.RebuildReport)) (memory.RebuildReport, error) {
	return memory.RebuildReport{Collections: []memory.RebuildCollection{{Collection: memory.Memories}}}, f.note("rebuild")
}

func (f *fake) Runs(context.Context, int) ([]memory.Run, error) {
	return []memory.Run{{ID: "organize/1", Kind: "organize", Status: "running", StartedAt: day, EndedAt: &day}}, f.err
}

func (f *fake) Run(_ context.Context, id string) (memory.RunState, error) {
	return memory.RunState{Run: memory.Run{ID: id}, Organize: &memory.OrganizeReport{Collections: []memory.CollectionReport{{}}}}, f.err
}

func (f *fake) Update(_ context.Context, in memory.UpdateInput) (memory.Memory, error) {
	return f.m(), f.note("update " + in.ID)
}

func (f *fake) Forget(_ context.Context, in memory.ForgetInput) (memory.ForgetReceipt, error) {
	what := "forget "
	if in.Purge || in.Filter.Forgotten {
		what = "purge "
	}
	return memory.ForgetReceipt{IDs: in.Filter.IDs}, f.note(what + strings.Join(in.Filter.IDs, " "))
}

func (f *fake) Link(_ context.Context, l memory.Link) (memory.Link, error) {
	return l, f.note("link " + l.Type)
}

func (f *fake) Merge(_ context.Context, ids []string) (memory.MergedGroup, error) {
	return memory.MergedGroup{SurvivorID: ids[0], MergedIDs: ids[1:]}, f.note("merge")
}

func (f *fake) Undo(_ context.Context, in memory.UndoInput, _ func(memory.UndoReport)) (memory.UndoReport, error) {
	return memory.UndoReport{DryRun: in.DryRun, Left: []memory.Left{{}}, Examples: []memory.Undo{{}}}, f.note("undo " + in.Of)
}

func (f *fake) Position(context.Context) (int64, error) { return f.end, f.err }

func (f *fake) Events(_ context.Context, q memory.AuditQuery) ([]live.Event, error) {
	f.query = q
	var out []live.Event
	for seq := q.After + 1; seq <= q.UpTo && len(out) < q.Limit; seq++ {
		out = append(out, live.Event{Seq: seq, At: day, MemoryIDs: []string{idA}})
	}
	return out, f.err
}

func (f *fake) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
}

func (f *fake) Sessions(context.Context, int, int) ([]memory.SessionTrace, error) {
	return []memory.SessionTrace{{Session: "s1", First: day, Last: day}}, f.err
}

// keyed notes the key of a change.
type keyed struct {
	*fake
	key string
}

func newAPI(t *testing.T, f *fake) http.Handler {
	t.Helper()
	api, err := New(Options{
		Client: f, Keyed: func(key string) Keyable { f.asked = append(f.asked, "key "+key); return keyed{f, key} },
		Events: f, Sessions: f, User: "me", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return Guard("secret", api)
}

// ask sends a request as a program does. Headers are pairs.
func ask(t *testing.T, api http.Handler, method, path, body string, headers ...string) (int, []byte, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:1234"+Root+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer secret")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, answer, w.Result().Header
}

// examples has a request for every operation.
var examples = map[string]struct{ method, path, body string }{
	"search":            {"POST", "/search", `{"query":"which port","explain":true}`},
	"listProjects":      {"GET", "/projects", ""},
	"addMemory":         {"POST", "/memories", `{"text":"the port is 80","tags":["port"],"links":[{"target_id":"` + idB + `","link_type":"builds_on"}]}`},
	"listMemories":      {"GET", "/memories?project=shop&type=fact&limit=2", ""},
	"getMemory":         {"GET", "/memories/" + idA, ""},
	"getHistory":        {"GET", "/memories/" + idA + "/history", ""},
	"listRelated":       {"GET", "/memories/" + idA + "/related?depth=2", ""},
	"updateMemory":      {"PATCH", "/memories/" + idA, `{"text":"the port is 81","tags":[]}`},
	"deleteMemory":      {"DELETE", "/memories/" + idA, ""},
	"restoreMemory":     {"POST", "/memories/" + idA + "/restore", ""},
	"forget":            {"POST", "/forget", `{"filter":{"tags":["old"]},"dry_run":true}`},
	"merge":             {"POST", "/merge", `{"ids":["` + idA + `","` + idB + `"]}`},
	"link":              {"POST", "/links", `{"source_id":"` + idA + `","target_id":"` + idB + `","link_type":"builds_on"}`},
	"listChanges":       {"GET", "/changes?limit=3", ""},
	"undo":              {"POST", "/undo", `{"of":"forget/1"}`},
	"listRuns":          {"GET", "/runs", ""},
	"startOrganize":     {"POST", "/runs", `{"dry_run":true}`},
	"getRun":            {"GET", "/runs/organize%2F1", ""},
	"cancelRun":         {"POST", "/runs/organize%2F1/cancel", ""},
	"getPlan":           {"GET", "/runs/organize%2F1/plan?after=0", ""},
	"reindex":           {"POST", "/reindex", `{"check":true}`},
	"listEvents":        {"GET", "/events?after=2&action=store&project=shop", ""},
	"listSessions":      {"GET", "/sessions", ""},
	"listSessionEvents": {"GET", "/sessions/s1/events", ""},
	"streamEvents":      {"GET", "/events/stream", ""},
}

// described is the description as a client reads it.
type described struct {
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		RequestBody *struct {
			Content map[string]struct{ Schema ref }
		} `json:"requestBody"`
		Responses map[string]struct {
			Content map[string]struct{ Schema ref }
		}
	}
	Components struct {
		Schemas map[string]*jsonschema.Schema
	}
}

type ref struct {
	Ref  string `json:"$ref"`
	Type string
}

// check holds a value against the schema that a reference names.
func (d described) check(t *testing.T, r ref, value []byte) {
	t.Helper()
	schema := d.Components.Schemas[strings.TrimPrefix(r.Ref, "#/components/schemas/")]
	if schema == nil {
		t.Fatalf("there is no schema %q", r.Ref)
	}
	resolved, err := schema.CloneSchemas().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s is no %s: %v", value, r.Ref, err)
	}
}

// TestAnswersAreAsDescribed asks every operation of the description as a client that knows nothing
// else, and holds its request, its answer and its errors against the schemas.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	_, text, _ := ask(t, newAPI(t, &fake{}), "GET", "/openapi.json", "")
	var d described
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for path, item := range d.Paths {
		for method, op := range item {
			e, ok := examples[op.OperationID]
			if !ok || !strings.EqualFold(e.method, method) || seen[op.OperationID] {
				t.Errorf("%s %s: operation %q has no example, or another method, or is there twice", method, path, op.OperationID)
				continue
			}
			seen[op.OperationID] = true
			f := &fake{status: memory.Stored, found: 2, end: 5}
			status, answer, header := ask(t, newAPI(t, f), e.method, e.path, e.body)
			if op.OperationID == "streamEvents" {
				continue // is tried in package live
			}
			name := http.StatusText(status)
			response, ok := op.Responses[jsonNumber(status)]
			if !ok || header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s (%d) is not described: %s", op.OperationID, name, status, answer)
				continue
			}
			d.check(t, response.Content["application/json"].Schema, answer)
			if op.RequestBody != nil {
				d.check(t, op.RequestBody.Content["application/json"].Schema, []byte(e.body))
			}
			f.err = memory.Down("PostgreSQL", `run "mneme doctor"`, errors.New("away"))
			status, answer, header = ask(t, newAPI(t, f), e.method, e.path, e.body)
			if status != http.StatusServiceUnavailable || header.Get("Content-Type") != "application/problem+json" || header.Get("Retry-After") == "" {
				t.Errorf("%s without a database: %d %s", op.OperationID, status, answer)
			}
			d.check(t, op.Responses["default"].Content["application/problem+json"].Schema, answer)
		}
	}
	if len(seen) != len(examples) {
		t.Errorf("%d operations are described, there are examples of %d", len(seen), len(examples))
	}
}

func jsonNumber(n int) string {
	b, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	return string(b)
}

// TestDescriptionIsInTheDocs keeps the file that the documentation points to.
func TestDescriptionIsInTheDocs(t *testing.T) {
	t.Parallel()
	const file = "../../docs/openapi.json"
	got, err := describe((&server{}).routes(), "1")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil { //nolint:gosec // documentation
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s is not up to date (%v): go test ./internal/rest -update", file, err)
	}
}

// TestGuard lets in only programs of this machine that bear the token.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		headers []string
		want    int
	}{
		"a program":              {nil, 200},
		"no token":               {[]string{"Authorization", ""}, 401},
		"another token":          {[]string{"Authorization", "Bearer secret2"}, 401},
		"another scheme":         {[]string{"Authorization", "Basic secret"}, 401},
		"a rebound name":         {[]string{"Host", "evil.example"}, 403},
		"another machine":        {[]string{"Host", "10.0.0.1:1234"}, 403},
		"a page of another site": {[]string{"Origin", "https://evil.example"}, 403},
		"a page of this machine": {[]string{"Origin", "http://127.0.0.1:1234"}, 200},
	} {
		if got, body, _ := ask(t, newAPI(t, &fake{}), "GET", "/projects", "", c.headers...); got != c.want {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, body)
		}
	}
}

// TestRefusals are what a request may have wrong. Nothing is changed by any.
func TestRefusals(t *testing.T) {
	t.Parallel()
	big := `{"text":"` + strings.Repeat("x", maxBody) + `"}`
	for name, c := range map[string]struct {
		method, path, body string
		want               int
	}{
		"unknown field":            {"POST", "/memories", `{"text":"x","txt":"y"}`, 400},
		"no JSON":                  {"POST", "/memories", `text=x`, 400},
		"two values":               {"POST", "/memories", `{"text":"x"} {}`, 400},
		"no body":                  {"POST", "/memories", ``, 400},
		"no text":                  {"POST", "/memories", `{}`, 400},
		"too much":                 {"POST", "/memories", big, 413},
		"unknown type":             {"POST", "/memories", `{"text":"x","type":"song"}`, 400},
		"unknown parameter":        {"GET", "/memories?projekt=x", ``, 400},
		"limit":                    {"GET", "/memories?limit=1000", ``, 400},
		"cursor":                   {"GET", "/memories?cursor=5", ``, 400},
		"negative cursor":          {"GET", "/memories?cursor=skip--5", ``, 400},
		"id":                       {"GET", "/memories/everything", ``, 400},
		"unknown memory":           {"GET", "/memories/" + idB, ``, 404},
		"an edit of nothing":       {"PATCH", "/memories/" + idA, `{}`, 400},
		"forget everything":        {"POST", "/forget", `{"filter":{}}`, 400},
		"purge":                    {"POST", "/forget", `{"filter":{"tags":["x"]},"purge":true}`, 400},
		"merge one":                {"POST", "/merge", `{"ids":["` + idA + `"]}`, 400},
		"undo nothing":             {"POST", "/undo", `{}`, 400},
		"undo the last by no name": {"POST", "/undo", `{"of":""}`, 400},
		"after":                    {"GET", "/events?after=x", ``, 400},
		"nowhere":                  {"GET", "/songs", ``, 404},
		"another method":           {"PUT", "/memories", `{}`, 404},
	} {
		f := &fake{}
		got, body, header := ask(t, newAPI(t, f), c.method, c.path, c.body)
		var p Problem
		if err := json.Unmarshal(body, &p); err != nil || got != c.want || p.Status != got || p.Detail == "" || header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, body)
		}
		if len(f.asked) > 0 {
			t.Errorf("%s: asked %q", name, f.asked)
		}
	}
}

// TestKeys hands the Idempotency-Key on, and never as it is where a store's workflow is named.
func TestKeys(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"PATCH /memories/" + idA:  "key k1; update " + idA,
		"DELETE /memories/" + idA: "key k1; forget " + idA,
		"POST /memories":          "store api-" + digest("k1"),
		"POST /links":             "key k1; link builds_on",
		"POST /undo":              "key k1; undo forget/1",
	} {
		method, at, _ := strings.Cut(path, " ")
		body := map[string]string{
			"PATCH": `{"pinned":true}`, "POST /memories": `{"text":"x"}`, "POST /undo": `{"of":"forget/1"}`,
			"POST /links": examples["link"].body,
		}
		f := &fake{}
		status, answer, _ := ask(t, newAPI(t, f), method, at, body[path]+body[method], keyHeader, "k1")
		if got := strings.Join(f.asked, "; "); got != want || status != http.StatusOK {
			t.Errorf("%s: %d, asked %q, want %q: %s", path, status, got, want, answer)
		}
	}
	if status, _, _ := ask(t, newAPI(t, &fake{}), "DELETE", "/memories/"+idA, "", keyHeader, strings.Repeat("k", maxKey+1)); status != 400 {
		t.Errorf("a key that is too long: %d", status)
	}
}

// TestStatusesOfAStore tell what became of the text, and whose it is.
func TestStatusesOfAStore(t *testing.T) {
	t.Parallel()
	for status, want := range map[memory.Status]int{memory.Stored: 201, memory.MergedIn: 200, memory.Accepted: 202} {
		f := &fake{status: status}
		if got, _, _ := ask(t, newAPI(t, f), "POST", "/memories", `{"text":"x"}`); got != want || f.stored.User != "me" || f.stored.Source != memory.SourceAPI {
			t.Errorf("%s: %d, want %d, stored %+v", status, got, want, f.stored)
		}
	}
}

// TestPages go from one to the next, and end.
func TestPages(t *testing.T) {
	t.Parallel()
	f := &fake{found: 9}
	var page MemoryPage
	_, body, _ := ask(t, newAPI(t, f), "GET", "/memories?limit=3", "")
	if err := json.Unmarshal(body, &page); err != nil || len(page.Memories) != 3 || page.Next != "skip-3" {
		t.Fatalf("%s %v", body, err)
	}
	f.found = 1
	_, body, _ = ask(t, newAPI(t, f), "GET", "/memories?limit=3&cursor="+page.Next, "")
	page = MemoryPage{}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Memories) != 1 || page.Next != "" || f.page.Skip != 3 {
		t.Errorf("%s %v, asked %+v", body, err, f.page)
	}
	f.end = 7
	for after, want := range map[string]int64{"0": 4, "4": 7, "7": 7, "9": 9} {
		var events EventPage
		_, body, _ = ask(t, newAPI(t, f), "GET", "/events?limit=4&after="+after, "")
		if err := json.Unmarshal(body, &events); err != nil || events.Next != want {
			t.Errorf("after %s: %s %v, want %d", after, body, err, want)
		}
	}
}

// FuzzDecode reads bodies as anybody may send them.
func FuzzDecode(f *testing.F) {
	for _, e := range examples {
		f.Add(e.body)
	}
	f.Add(`{"text":null,"tags":[null]}`)
	f.Add(`[[[[[[`)
	f.Fuzz(func(t *testing.T, body string) {
		var in NewMemory
		if err := decode(strings.NewReader(body), &in); err != nil && memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%q: %v", body, err)
		}
	})
}
