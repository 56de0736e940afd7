package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Search is a question.
type Search struct {
	Query       string     `json:"query" jsonschema:"the question, in a few plain words"`
	Project     string     `json:"project,omitempty" jsonschema:"sees this project and what holds everywhere; none: only what holds everywhere"`
	AllProjects bool       `json:"all_projects,omitempty"`
	Collections []string   `json:"collections,omitempty"`
	Types       []string   `json:"types,omitempty"`
	Tags        []string   `json:"tags,omitempty" jsonschema:"all of them"`
	Files       []string   `json:"files,omitempty" jsonschema:"naming one of these files"`
	Since       *time.Time `json:"since,omitempty"`
	Before      *time.Time `json:"before,omitempty"`
	Limit       int        `json:"limit,omitempty" jsonschema:"1 to 100, default 5"`
	MinScore    *float64   `json:"min_score,omitempty" jsonschema:"0 to 1"`
	Session     string     `json:"session,omitempty" jsonschema:"who asks, for the audit"`
	Explain     bool       `json:"explain,omitempty" jsonschema:"say why, in numbers"`
	Trial       bool       `json:"trial,omitempty" jsonschema:"only to look: counted nowhere"`
}

// Project is a project with the number of its memories.
type Project struct {
	Name     string `json:"name"`
	Memories int    `json:"memories"`
}

// Projects are all projects that have a memory.
type Projects struct {
	Projects []Project `json:"projects"`
}

func (s *server) searchRoutes() []route {
	return []route{
		operation("POST /search", "search", "search by meaning and words", ok, nil, s.search),
		operation("GET /projects", "listProjects", "the projects, with the number of their memories", ok, nil, s.projects),
	}
}

func (s *server) search(ctx context.Context, _ *http.Request, in Search) (memory.RecallResult, int, error) {
	out, err := s.Client.Recall(ctx, memory.Query{
		Text: in.Query, Project: in.Project, AllProjects: in.AllProjects, Collections: in.Collections, Types: in.Types, Tags: in.Tags,
		Files: in.Files, Since: in.Since, Before: in.Before, Limit: in.Limit, MinScore: in.MinScore, Session: in.Session,
		Explain: in.Explain, Trial: in.Trial, Source: memory.SourceAPI, User: s.User,
	})
	return out, http.StatusOK, err
}

func (s *server) projects(ctx context.Context, _ *http.Request, _ nothing) (Projects, int, error) {
	census, err := s.Client.Census(ctx, memory.CensusInput{})
	out := Projects{Projects: []Project{}}
	for _, t := range census.Projects {
		out.Projects = append(out.Projects, Project{t.Name, t.Count})
	}
	return out, http.StatusOK, err
}
