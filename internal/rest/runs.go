package rest

import (
	"context"
	"net/http"

	"github.com/mneme-memory/mneme/memory"
)

// NewRun is an organize run to begin.
type NewRun struct {
	Project string          `json:"project,omitempty" jsonschema:"default: all"`
	DryRun  bool            `json:"dry_run,omitempty" jsonschema:"make a plan, change nothing"`
	Yes     bool            `json:"yes,omitempty" jsonschema:"prune also where it takes more than a tenth of a project"`
	Apply   *memory.PlanRef `json:"apply,omitempty" jsonschema:"carry out this plan and nothing else"`
}

// Reindex asks to bring the search index in step with the database.
type Reindex struct {
	Check bool `json:"check,omitempty" jsonschema:"compare by count and sample first, and go through all only if that differs"`
}

// Reindexed is how index and database compare. Done is false while it is still at work: asking
// again joins the same run.
type Reindexed struct {
	Done   bool                 `json:"done"`
	Report memory.RebuildReport `json:"report"`
}

// Runs are the last long runs, newest first.
type Runs struct {
	Runs []memory.Run `json:"runs"`
}

// Started names a run that was begun.
type Started struct {
	ID string `json:"id"`
}

// Cancelled names the runs that were asked to end.
type Cancelled struct {
	IDs []string `json:"ids"`
}

func (s *server) runRoutes() []route {
	return []route{
		operation("GET /runs", "listRuns", "the last long runs: organize, rebuild, undo, import, purge", ok, []param{limitParam}, s.runs),
		operation("POST /runs", "startOrganize", "tidy up, or with dry_run make a plan of it", []int{http.StatusAccepted}, nil, s.organize),
		operation("GET /runs/{id}", "getRun", "how far a run has come; an id is sent with / as %2F", ok, nil, s.run),
		operation("POST /runs/{id}/cancel", "cancelRun", "end an organize run after the page that it is at", ok, nil, s.cancel),
		operation("GET /runs/{id}/plan", "getPlan", "the steps of a dry run, with their texts", ok, []param{{"after", "integer", "the number of the last step that was seen"}}, s.plan),
		operation("POST /reindex", "reindex", "compare the search index with the database and mend it; 202 while it is still at work",
			[]int{http.StatusOK, http.StatusAccepted}, nil, s.reindex),
	}
}

func (s *server) runs(ctx context.Context, r *http.Request, _ nothing) (Runs, int, error) {
	out := Runs{Runs: []memory.Run{}}
	limit, err := numberOf(r, "limit", 50, 1, maxChanges)
	if err != nil {
		return out, 0, err
	}
	found, err := s.Client.Runs(ctx, limit)
	out.Runs = append(out.Runs, found...)
	return out, http.StatusOK, err
}

func (s *server) run(ctx context.Context, r *http.Request, _ nothing) (memory.RunState, int, error) {
	out, err := s.Client.Run(ctx, r.PathValue("id"))
	return out, http.StatusOK, err
}

// organize begins a run and does not wait for its end.
func (s *server) organize(ctx context.Context, _ *http.Request, in NewRun) (Started, int, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var begun Started
	_, err := s.Client.Organize(ctx, memory.OrganizeInput{
		Project: in.Project, DryRun: in.DryRun, Yes: in.Yes, Apply: in.Apply, User: s.User,
	}, func(now memory.OrganizeReport) { begun.ID = now.WorkflowID; stop() })
	if begun.ID != "" {
		return begun, http.StatusAccepted, nil
	}
	return begun, http.StatusAccepted, err
}

func (s *server) cancel(ctx context.Context, r *http.Request, _ nothing) (Cancelled, int, error) {
	ids, err := s.Client.CancelOrganize(ctx, r.PathValue("id"))
	if ids == nil {
		ids = []string{}
	}
	return Cancelled{ids}, http.StatusOK, err
}

func (s *server) plan(ctx context.Context, r *http.Request, _ nothing) (memory.PlanPage, int, error) {
	after, err := numberOf(r, "after", 0, 0, maxSkip)
	if err != nil {
		return memory.PlanPage{}, 0, err
	}
	out, err := s.Client.Plan(ctx, memory.PlanQuery{ID: r.PathValue("id"), After: after})
	if out.Head.Totals == nil { // a plan of no steps
		out.Head.Totals = map[string]int{}
	}
	return out, http.StatusOK, err
}

func (s *server) reindex(ctx context.Context, _ *http.Request, in Reindex) (Reindexed, int, error) {
	var far Reindexed
	report, err := s.Client.Rebuild(ctx, memory.RebuildInput{Check: in.Check, User: s.User}, func(now memory.RebuildReport) { far.Report = now })
	if err != nil && ctx.Err() != nil {
		return far, http.StatusAccepted, nil
	}
	return Reindexed{Done: true, Report: report}, http.StatusOK, err
}
