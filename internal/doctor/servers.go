package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// Server is one of the four servers, or the workers, as it is now.
type Server struct {
	Service    homestate.Service // where it is, and why; without an address if nobody knows
	Inspection memory.Inspection
}

// serverTimeout bounds what "mneme doctor" asks the servers.
const serverTimeout = 10 * time.Second

// Known reports whether somebody knows where the server is, so that it could be asked.
func (s Server) Known() bool { return s.Service.Address != "" }

// Fine reports whether the server was asked and has no problem.
func (s Server) Fine() bool { return s.Known() && len(s.Inspection.Problems) == 0 }

// Look asks all servers at once, and returns when all have answered or limit is over: a server
// that did not answer by then has that as its problem. Workers are missing while Temporal has a
// problem.
func (o Options) Look(ctx context.Context, limit time.Duration) map[string]Server {
	where := homestate.Where(o.Config, o.Daemon)
	found := map[string]Server{}
	var mu sync.Mutex // guards found
	var all sync.WaitGroup
	for _, name := range append(homestate.ServiceNames(), Worker) {
		all.Go(func() {
			s := o.ask(ctx, name, where[placeOf(name)], limit)
			mu.Lock()
			defer mu.Unlock()
			found[name] = s
		})
	}
	all.Wait()
	if !found[homestate.TemporalService].Fine() {
		delete(found, Worker) // nobody can tell; what is wrong, Temporal's problems say
	}
	fit(found)
	return found
}

// placeOf is the service where one of the names is to be found: workers are asked for at
// Temporal.
func placeOf(name string) string {
	if name == Worker {
		return homestate.TemporalService
	}
	return name
}

// ask asks one server, for limit at most. What asks may take a moment longer to give up, so it
// is not waited for.
func (o Options) ask(ctx context.Context, name string, at homestate.Service, limit time.Duration) Server {
	s := Server{Service: at}
	inspect := o.Servers.Inspect[name]
	if inspect == nil || at.Address == "" {
		s.Service.Address = ""
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer := make(chan memory.Inspection, 1)
	go func() { answer <- inspect(ctx) }()
	select {
	case s.Inspection = <-answer:
	case <-ctx.Done():
		s.Inspection.Fail(context.DeadlineExceeded)
	}
	problems := make([]error, len(s.Inspection.Problems))
	for i, problem := range s.Inspection.Problems {
		if ctx.Err() != nil && memory.CodeOf(problem) == memory.Unavailable { // the adapters word it in many ways
			problem = memory.Down(titleAt(name, at), memory.HintOf(problem), fmt.Errorf("no answer within %s", limit))
		}
		problems[i] = advise(name, at, problem)
	}
	s.Inspection.Problems = problems
	return s
}

// advise gives an error the hint that goes with where the server comes from. The adapters know
// only an address.
func advise(name string, at homestate.Service, problem error) error {
	if memory.CodeOf(problem) != memory.Unavailable {
		return problem
	}
	hint := ""
	switch {
	case at.Mode != homestate.Given && name != homestate.OllamaService, at.Mode == homestate.Embedded:
		hint = `"mneme down", then "mneme up"`
		if name == homestate.PostgresService {
			hint += "; its log is postgres/postgres.log in the data folder"
		}
	case at.Mode == homestate.Given:
		hint = givenHint(name)
	}
	if hint == "" {
		return problem
	}
	return &memory.Error{Code: memory.Unavailable, Part: titleAt(name, at), Hint: hint, Err: problem}
}

// givenHint says what to look at when a server does not answer at an address that was set.
func givenHint(name string) string {
	switch name {
	case homestate.TemporalService:
		return "check MNEME_TEMPORAL_ADDRESS, or start it"
	case homestate.PostgresService:
		return "check MNEME_POSTGRES_URL, or start it"
	case homestate.QdrantService:
		return "check MNEME_QDRANT_ADDRESS (gRPC, usually port 6334), or start it"
	case homestate.OllamaService:
		return `check MNEME_OLLAMA_URL, or start it with "ollama serve"`
	default:
		return ""
	}
}

// Title returns a service's name as its makers write it.
func Title(service string) string {
	switch service {
	case homestate.TemporalService:
		return nameTemporal
	case homestate.PostgresService:
		return namePostgres
	case homestate.QdrantService:
		return nameQdrant
	case homestate.OllamaService:
		return nameOllama
	default:
		return "the " + service
	}
}

// titleAt is the name of a service as its user knows it: the model that comes with mneme is no Ollama.
// Without an address nothing runs, and nobody knows which of both it will be.
func titleAt(service string, at homestate.Service) string {
	if service == homestate.OllamaService && at.Mode == homestate.Embedded && at.Address != "" {
		return nameBuiltIn
	}
	return Title(service)
}

// server is the check of one server. All are asked when the first of these checks is.
func (e *examination) server(name string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		e.once.Do(func() { e.servers = e.Look(ctx, serverTimeout) })
		s := e.servers[name]
		if !s.Known() {
			return "", Skipped("not asked: its address is not set here")
		}
		detail := strings.Join(s.Inspection.Facts, ", ")
		if version := s.Inspection.Version; version != "" {
			if titleAt(name, s.Service) == nameBuiltIn {
				version = "mneme's own" // the version of Ollama's protocol that it speaks says nothing to a user
			}
			detail = strings.TrimSuffix(version+" at "+config.ShownAddress(s.Service.Address)+", "+detail, ", ")
		}
		if problems := s.Inspection.Problems; len(problems) > 0 {
			return detail, problems[0]
		}
		if warnings := s.Inspection.Warnings; len(warnings) > 0 {
			return detail, Warning{warnings[0]}
		}
		return detail, nil
	}
}
