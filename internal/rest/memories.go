package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/mneme-memory/mneme/memory"
)

// maxPage is the most memories of a page: what the workflows answer at a time, but one, by which it is
// known whether there are more.
const maxPage = 49

// NewMemory is a text to remember.
type NewMemory struct {
	Text       string               `json:"text" jsonschema:"one complete fact"`
	Type       string               `json:"type,omitempty" jsonschema:"default: fact"`
	Tags       []string             `json:"tags,omitempty"`
	Project    string               `json:"project,omitempty" jsonschema:"default: _global, which holds everywhere"`
	Collection string               `json:"collection,omitempty"`
	Importance *float64             `json:"importance,omitempty" jsonschema:"0 to 1, default 0.5"`
	Pinned     bool                 `json:"pinned,omitempty"`
	Session    string               `json:"session,omitempty"`
	Links      []memory.LinkRequest `json:"links,omitempty"`
}

// Edit changes the fields that it has, and no others.
type Edit struct {
	Text       *string   `json:"text,omitempty"`
	Type       *string   `json:"type,omitempty"`
	Tags       *[]string `json:"tags,omitempty" jsonschema:"in place of all tags"`
	Importance *float64  `json:"importance,omitempty"`
	Pinned     *bool     `json:"pinned,omitempty"`
	Keep       bool      `json:"keep,omitempty" jsonschema:"for good, if it would expire"`
}

// MemoryPage is a page of memories.
type MemoryPage struct {
	Memories []memory.Memory `json:"memories"`
	Next     string          `json:"next,omitempty"` // cursor of the next page; none after the last
}

// RelatedPage is what is linked to a memory.
type RelatedPage struct {
	Related []memory.Related `json:"related"`
}

func (s *server) memoryRoutes() []route {
	stored := []int{http.StatusCreated, http.StatusOK, http.StatusAccepted}
	filters := []param{
		{"project", "string", ""},
		{"type", "string", ""},
		{"tag", "string", ""},
		{"source", "string", "the way it came"},
		{"session", "string", ""},
		{"sort", "string", "newest, oldest, used, confidence or importance; default: newest"},
		limitParam, cursorParam,
	}
	return []route{
		operation("POST /memories", "addMemory", "remember a text: 201 when it is new, 200 when the same fact was there and is confirmed, "+
			"202 when it is safe and will be stored as soon as a part works again", stored, nil, s.add).once(),
		operation("GET /memories", "listMemories", "memories, in pages", ok, filters, s.list),
		operation("GET /memories/{id}", "getMemory", "one memory with its links", ok, nil, s.get),
		operation("GET /memories/{id}/history", "getHistory", "every version of a memory, and what happened to it", ok, nil, s.history),
		operation("GET /memories/{id}/related", "listRelated", "what is linked to a memory", ok,
			[]param{{"depth", "integer", "links away, 1 to 3; default 1"}, limitParam}, s.related),
		operation("PATCH /memories/{id}", "updateMemory", "change some fields of a memory", ok, nil, s.update).once(),
		operation("DELETE /memories/{id}", "deleteMemory", "forget a memory; it can be undone", ok, nil, s.remove).once(),
		operation("POST /memories/{id}/restore", "restoreMemory", "bring a memory back that is gone", ok, nil, s.restore),
	}
}

func (s *server) add(ctx context.Context, r *http.Request, in NewMemory) (memory.StoreResult, int, error) {
	store := memory.StoreInput{
		Text: in.Text, Type: in.Type, Tags: in.Tags, Project: in.Project, Collection: in.Collection, Importance: in.Importance,
		Pinned: in.Pinned, Session: in.Session, Links: in.Links, Source: memory.SourceAPI, User: s.User,
	}
	if _, err := store.Clean(); err != nil {
		return memory.StoreResult{}, 0, err
	}
	var out memory.StoreResult
	var err error
	if key := r.Header.Get(keyHeader); key != "" {
		out, err = s.Client.StoreOnce(ctx, "api-"+digest(key), store)
	} else {
		out, err = s.Client.Store(ctx, store)
	}
	status := map[memory.Status]int{memory.Stored: http.StatusCreated, memory.Accepted: http.StatusAccepted}[out.Status]
	if status == 0 {
		status = http.StatusOK
	}
	return out, status, err
}

func (s *server) list(ctx context.Context, r *http.Request, _ nothing) (MemoryPage, int, error) {
	var out MemoryPage
	limit, err := numberOf(r, "limit", maxPage, 1, maxPage)
	if err != nil {
		return out, 0, err
	}
	skip, err := skipOf(r)
	if err != nil {
		return out, 0, err
	}
	q := r.URL.Query()
	page := memory.Page{Source: q.Get("source"), Session: q.Get("session"), Sort: q.Get("sort"), Skip: skip, Limit: limit + 1, Tags: q["tag"]}
	if page.Sort == "" {
		page.Sort = memory.SortNewest
	}
	if p := q.Get("project"); p != "" {
		page.Projects = []string{p}
	}
	page.Types = slices.DeleteFunc(q["type"], func(t string) bool { return t == "" })
	found, err := s.Client.List(ctx, page)
	out.Memories, out.Next = more(found, skip, limit)
	return out, http.StatusOK, err
}

func (s *server) get(ctx context.Context, r *http.Request, _ nothing) (memory.Details, int, error) {
	id := r.PathValue("id")
	if err := memory.CheckRef(id); err != nil {
		return memory.Details{}, 0, err
	}
	found, err := s.Client.Get(ctx, []string{id})
	if err == nil && len(found) == 0 {
		err = memory.Errorf(memory.NotFound, "search for it", "there is no memory %s", id)
	}
	if err != nil {
		return memory.Details{}, 0, err
	}
	return found[0], http.StatusOK, nil
}

func (s *server) history(ctx context.Context, r *http.Request, _ nothing) (memory.History, int, error) {
	if err := memory.CheckRef(r.PathValue("id")); err != nil {
		return memory.History{}, 0, err
	}
	out, err := s.Client.History(ctx, r.PathValue("id"))
	return out, http.StatusOK, err
}

func (s *server) related(ctx context.Context, r *http.Request, _ nothing) (RelatedPage, int, error) {
	out := RelatedPage{Related: []memory.Related{}}
	depth, err := numberOf(r, "depth", 1, 1, 3)
	if err != nil {
		return out, 0, err
	}
	limit, err := numberOf(r, "limit", maxPage, 1, memory.MaxLimit)
	if err != nil {
		return out, 0, err
	}
	if err := memory.CheckRef(r.PathValue("id")); err != nil {
		return out, 0, err
	}
	found, err := s.Client.Related(ctx, r.PathValue("id"), depth, limit)
	out.Related = append(out.Related, found...)
	return out, http.StatusOK, err
}

func (s *server) update(ctx context.Context, r *http.Request, in Edit) (memory.Memory, int, error) {
	edit := memory.UpdateInput{
		ID: r.PathValue("id"), Text: in.Text, Type: in.Type, Tags: in.Tags, Importance: in.Importance, Pinned: in.Pinned, Keep: in.Keep,
		Source: memory.SourceAPI, User: s.User,
	}
	if _, err := edit.Clean(); err != nil {
		return memory.Memory{}, 0, err
	}
	out, err := s.keyed(r).Update(ctx, edit)
	return out, http.StatusOK, err
}

func (s *server) remove(ctx context.Context, r *http.Request, _ nothing) (memory.ForgetReceipt, int, error) {
	return s.forgetWhat(ctx, r, memory.ForgetInput{Filter: memory.Filter{IDs: []string{r.PathValue("id")}}})
}

func (s *server) restore(ctx context.Context, r *http.Request, _ nothing) (memory.Memory, int, error) {
	if err := memory.CheckRef(r.PathValue("id")); err != nil {
		return memory.Memory{}, 0, err
	}
	out, err := s.Client.Restore(ctx, r.PathValue("id"), s.User)
	return out, http.StatusOK, err
}
