package mcpserver

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// The four tools that each keep one kind of memory make one complete text of
// their parts, because a memory must be understood alone.

const (
	maxSteps     = 50
	maxStepBytes = 2 << 10
)

// keepArgs are what the four share.
type keepArgs struct {
	Type    string   `json:"type"`
	Tags    []string `json:"tags"`
	Project string   `json:"project"`
}

// keeper is the arguments of one of the four.
type keeper interface {
	compose() string
	shared() keepArgs
}

func (k keepArgs) shared() keepArgs { return k }

// keepInput is the store that k asks for.
func keepInput(k keeper, collection, def string) memory.StoreInput {
	shared := k.shared()
	if shared.Type == "" {
		shared.Type = def
	}
	return memory.StoreInput{
		Text: k.compose(), Type: shared.Type, Tags: memory.WithKind(shared.Tags, def), Project: shared.Project, Collection: collection,
	}
}

type procedureArgs struct {
	keepArgs
	Name  string   `json:"name"`
	Steps []string `json:"steps"`
}

func (a procedureArgs) compose() string { return memory.ProcedureText(a.Name, a.Steps) }

type learningArgs struct {
	keepArgs
	Insight string `json:"insight"`
	Context string `json:"context"`
}

func (a learningArgs) compose() string { return memory.LearningText(a.Insight, a.Context) }

type episodeArgs struct {
	keepArgs
	Event   string `json:"event"`
	Outcome string `json:"outcome"`
}

func (a episodeArgs) compose() string { return memory.EpisodeText(a.Event, a.Outcome) }

type trajectoryArgs struct {
	keepArgs
	Task  string   `json:"task"`
	Steps []string `json:"steps"`
}

func (a trajectoryArgs) compose() string { return memory.TrajectoryText(a.Task, a.Steps) }

func (s *Server) addKeeping() {
	half := memory.MaxTextBytes / 2
	steps := func(about string) param {
		return param{name: "steps", kind: kindSteps, about: about, required: true, items: maxSteps, maxLen: maxStepBytes}
	}
	context := textParam("context", "when it holds", half)
	context.required = false
	addKeep[procedureArgs](s, memory.TypeProcedure, memory.Procedures, "Remember a procedure",
		"Remember how something is done.", asking("what the procedure achieves", textParam("name", "what it achieves", maxStepBytes)), steps(""))
	addKeep[learningArgs](s, memory.TypeLearning, memory.Learnings, "Remember a lesson",
		"Remember a lesson.", asking("what was learned, as a complete statement", textParam("insight", "a complete statement", half)), context)
	addKeep[episodeArgs](s, memory.TypeEpisode, memory.Episodes, "Remember an event",
		"Remember what happened and how it ended.", asking("what happened, with its date if it matters", textParam("event", "", half)),
		asking("how it ended and what follows", textParam("outcome", "", half)))
	addKeep[trajectoryArgs](s, memory.TypeTrajectory, memory.Trajectories, "Remember a solved task",
		"Remember how a task was solved.", asking("what was to be done", textParam("task", "", maxStepBytes)), steps("what was tried, with results"))
}

// addKeep adds the tool of one type, named like it.
func addKeep[In keeper](s *Server, typ, collection, title, about string, own ...param) {
	add(s, spec{
		name: typ, title: title, about: about, keeps: true, timeout: s.opts.Deadlines.Store,
		params: append(own, rare(typeParam("")), tagsParam(""), projectParam("")),
		effect: storeEffect(),
	}, func(ctx context.Context, c Client, in In) (answer, error) {
		return s.store(ctx, c, keepInput(in, collection, typ))
	})
}
