package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/mneme-memory/mneme/memory"
)

// runsShown is how many of the last runs a page shows.
const runsShown = 50

// runsView is the last long runs, and the projects that a new one can be about.
type runsView struct {
	Runs     []memory.Run
	Projects []memory.Tally
}

func (s *server) runs(ctx context.Context, _ *http.Request) (answer, error) {
	var v runsView
	var err error
	if v.Runs, err = s.Client.Runs(ctx, runsShown); err != nil {
		return answer{}, err
	}
	census, err := s.Client.Census(ctx, memory.CensusInput{})
	if err != nil {
		return answer{}, err
	}
	v.Projects = census.Projects
	return answer{page: "runs", view: view{Title: "Runs", Here: "runs", Data: v, Follow: everything}}, nil
}

// runView is a run with its report, and the plan of a dry run.
type runView struct {
	memory.RunState
	Running bool
	Plan    *memory.PlanPage // of a dry run that has ended
	Next    string           // address of the next steps; "" after the last
}

func (s *server) run(ctx context.Context, r *http.Request) (answer, error) {
	after, err := number(r.FormValue("after"))
	if err != nil {
		return answer{}, err
	}
	var v runView
	if v.RunState, err = s.Client.Run(ctx, r.FormValue("id")); err != nil {
		return answer{}, err
	}
	v.Running = v.Status == "running"
	if v.Organize != nil && v.Organize.DryRun && !v.Running {
		plan, err := s.Client.Plan(ctx, memory.PlanQuery{ID: v.ID, After: after})
		if err != nil {
			return answer{}, err
		}
		v.Plan = &plan
		if plan.Next > 0 {
			v.Next = "/run?" + url.Values{"id": {v.ID}, "after": {strconv.Itoa(plan.Next)}}.Encode()
		}
	}
	return answer{page: "run", view: view{Title: "A run", Here: "runs", Data: v, Follow: everything}}, nil
}

// begin begins an organize run: a dry run, which makes a plan, or one that carries out a plan. It does not
// wait for the end of the run.
func (s *server) begin(ctx context.Context, r *http.Request) (answer, error) {
	in := memory.OrganizeInput{Project: r.FormValue("project"), DryRun: true, User: s.User}
	if plan := r.FormValue("plan"); plan != "" {
		in = memory.OrganizeInput{Apply: &memory.PlanRef{ID: plan, Digest: r.FormValue("digest")}, User: s.User}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	id := ""
	_, err := s.Client.Organize(ctx, in, func(now memory.OrganizeReport) { id = now.WorkflowID; stop() })
	if id == "" && err != nil {
		return answer{}, err
	}
	return answer{goTo: "/run?" + url.Values{"id": {id}}.Encode()}, nil
}

// cancel ends a run after the page that it is at.
func (s *server) cancel(ctx context.Context, r *http.Request) (answer, error) {
	id := r.FormValue("id")
	if id == "" {
		return answer{}, memory.Errorf(memory.Invalid, "choose a run in the list", "no run was named")
	}
	if _, err := s.Client.CancelOrganize(ctx, id); err != nil {
		return answer{}, err
	}
	return answer{goTo: "/run?" + url.Values{"id": {id}}.Encode()}, nil
}
