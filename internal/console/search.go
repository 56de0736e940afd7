package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// searchView is a question and its answer.
type searchView struct {
	Asked    string
	Project  string // "" means every project
	Type     string
	Explain  bool
	Projects []memory.Tally
	Types    []string
	Result   *memory.RecallResult // nil before a question
	Strong   int                  // so many of the first hits are strong
}

// search answers a question. Looking is no use: the recall is a trial, which credits nothing.
func (s *server) search(ctx context.Context, r *http.Request) (answer, error) {
	census, err := s.Client.Census(ctx, memory.CensusInput{})
	if err != nil {
		return answer{}, err
	}
	v := searchView{
		Asked: strings.TrimSpace(r.FormValue("q")), Project: r.FormValue("project"), Type: r.FormValue("type"),
		Explain: r.FormValue("explain") != "", Projects: census.Projects, Types: memory.Types(),
	}
	if v.Asked != "" {
		q := memory.Query{
			Text: v.Asked, Project: v.Project, AllProjects: v.Project == "", Limit: memory.MaxLimit / 2,
			Explain: v.Explain, Trial: true, User: s.User,
		}
		if v.Type != "" {
			q.Types = []string{v.Type}
		}
		result, err := s.Client.Recall(ctx, q)
		if err != nil {
			return answer{}, err
		}
		for _, h := range result.Hits {
			if h.Strong {
				v.Strong++
			}
		}
		v.Result = &result
	}
	return answer{page: "search", view: view{Title: "Search", Here: "search", Data: v}}, nil
}
