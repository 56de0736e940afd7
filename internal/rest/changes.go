package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/mneme-memory/mneme/memory"
)

// Forget says what to forget.
type Forget struct {
	Filter memory.Filter `json:"filter" jsonschema:"all that is given must hold; an empty filter is refused"`
	DryRun bool          `json:"dry_run,omitempty" jsonschema:"say what would be forgotten, change nothing"`
}

// Merge names the memories that say the same.
type Merge struct {
	IDs []string `json:"ids"`
}

// NewLink joins two memories.
type NewLink struct {
	SourceID string `json:"source_id"`
	TargetID string `json:"target_id"`
	Type     string `json:"link_type" jsonschema:"builds_on, contradicts or clarifies"`
}

// Undo names the change to take back.
type Undo struct {
	Of     string `json:"of" jsonschema:"the workflow_id of a change, or the id of a memory for the last change of that memory"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would come back, change nothing"`
}

// Changes are the last changes, newest first.
type Changes struct {
	Changes []memory.Change `json:"changes"`
}

func (s *server) changeRoutes() []route {
	return []route{
		operation("POST /forget", "forget", "forget what a filter selects; it can be undone", ok, nil, s.forget).once(),
		operation("POST /merge", "merge", "make one memory of several that say the same", ok, nil, s.merge).once(),
		operation("POST /links", "link", "link two memories", ok, nil, s.link).once(),
		operation("GET /changes", "listChanges", "the last changes, newest first", ok, []param{limitParam}, s.changes),
		operation("POST /undo", "undo", "take a change back; 202 when it is still at work", []int{http.StatusOK, http.StatusAccepted}, nil, s.undo).once(),
	}
}

func (s *server) forget(ctx context.Context, r *http.Request, in Forget) (memory.ForgetReceipt, int, error) {
	in.Filter.Forgotten = false // is for purges
	return s.forgetWhat(ctx, r, memory.ForgetInput{Filter: in.Filter, DryRun: in.DryRun})
}

func (s *server) forgetWhat(ctx context.Context, r *http.Request, in memory.ForgetInput) (memory.ForgetReceipt, int, error) {
	in.User = s.User
	if _, err := in.Filter.Clean(); err != nil {
		return memory.ForgetReceipt{}, 0, err
	}
	out, err := s.keyed(r).Forget(ctx, in)
	return out, http.StatusOK, err
}

func (s *server) merge(ctx context.Context, r *http.Request, in Merge) (memory.MergedGroup, int, error) {
	for _, id := range in.IDs {
		if err := memory.CheckRef(id); err != nil {
			return memory.MergedGroup{}, 0, err
		}
	}
	if err := memory.CheckMerge(in.IDs); err != nil {
		return memory.MergedGroup{}, 0, err
	}
	out, err := s.keyed(r).Merge(ctx, in.IDs)
	return out, http.StatusOK, err
}

func (s *server) link(ctx context.Context, r *http.Request, in NewLink) (memory.Link, int, error) {
	out, err := s.keyed(r).Link(ctx, memory.Link{SourceID: in.SourceID, TargetID: in.TargetID, Type: in.Type})
	return out, http.StatusOK, err
}

// maxChanges is the most that the workflows list.
const maxChanges = 200

func (s *server) changes(ctx context.Context, r *http.Request, _ nothing) (Changes, int, error) {
	out := Changes{Changes: []memory.Change{}}
	limit, err := numberOf(r, "limit", 50, 1, maxChanges)
	if err != nil {
		return out, 0, err
	}
	found, err := s.Client.Changes(ctx, limit)
	out.Changes = append(out.Changes, found...)
	return out, http.StatusOK, err
}

func (s *server) undo(ctx context.Context, r *http.Request, in Undo) (memory.UndoReport, int, error) {
	if in.Of == "" {
		return memory.UndoReport{}, 0, memory.Errorf(memory.Invalid, "see GET "+Root+"/changes", "nothing was named to undo")
	}
	client := s.keyed(r)
	if in.DryRun { // changes nothing, so it takes no key
		client = s.Client
	}
	var far memory.UndoReport
	out, err := client.Undo(ctx, memory.UndoInput{Of: in.Of, DryRun: in.DryRun, User: s.User}, func(now memory.UndoReport) { far = now })
	if err != nil && ctx.Err() != nil && far.WorkflowID != "" {
		far.Left, far.Examples = []memory.Left{}, []memory.Undo{}
		return far, http.StatusAccepted, nil // it goes on; the client asks for the run
	}
	return out, http.StatusOK, err
}

// digest stands for a key, which may be anything and is a part of a workflow's id.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}
