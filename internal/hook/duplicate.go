package hook

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

// storeArgs are the arguments of all five tools.
type storeArgs struct {
	Text       string   `json:"text"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags"`
	Project    string   `json:"project"`
	Collection string   `json:"collection"`
	Insight    string   `json:"insight"`
	Context    string   `json:"context"`
	Name       string   `json:"name"`
	Task       string   `json:"task"`
	Steps      steps    `json:"steps"`
	Event      string   `json:"event"`
	Outcome    string   `json:"outcome"`
}

// steps are a list; one string counts as a list of one.
type steps []string

// UnmarshalJSON reads either form.
func (s *steps) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*s = steps{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(s))
}

// storeInput is what a call of a storing tool asks to be stored; ok is false
// when it is no such call, or one that the server will refuse.
func storeInput(tool string, raw json.RawMessage) (in memory.StoreInput, ok bool) {
	var a storeArgs
	if json.Unmarshal(raw, &a) != nil {
		return in, false
	}
	in = memory.StoreInput{Type: a.Type, Tags: a.Tags, Project: a.Project}
	kept := func(text, typ string, complete bool) (memory.StoreInput, bool) {
		if in.Type == "" {
			in.Type = typ
		}
		in.Text, in.Collection = text, memory.CollectionOf(typ)
		return in, complete
	}
	switch toolname.Bare(tool) {
	case toolname.Store:
		in.Text, in.Collection = a.Text, a.Collection
		return in, a.Text != ""
	case toolname.Learning:
		return kept(memory.LearningText(a.Insight, a.Context), memory.TypeLearning, a.Insight != "")
	case toolname.Procedure:
		return kept(memory.ProcedureText(a.Name, a.Steps), memory.TypeProcedure, a.Name != "" && len(a.Steps) > 0)
	case toolname.Episode:
		return kept(memory.EpisodeText(a.Event, a.Outcome), memory.TypeEpisode, a.Event != "" && a.Outcome != "")
	case toolname.Trajectory:
		return kept(memory.TrajectoryText(a.Task, a.Steps), memory.TypeTrajectory, a.Task != "" && len(a.Steps) > 0)
	default:
		return in, false
	}
}

// beforeTool keeps a fact from being stored twice. When in doubt the call goes
// on: the server merges a repeated text in any case.
func (r *run) beforeTool(ctx context.Context) error {
	in, ok := storeInput(r.in.ToolName, r.in.ToolInput)
	if !ok {
		return r.nothing(true)
	}
	r.log.Tool = r.in.ToolName
	if in.Project == "" {
		in.Project = r.project
	}
	in.Session, in.User, in.Source = r.in.Session, r.cfg.User, memory.SourceHook
	if _, err := in.Clean(); err != nil {
		return r.nothing(false) // the server says what is wrong with it
	}
	client, err := r.connect(ctx)
	if err != nil {
		return err
	}
	found, err := client.Duplicate(ctx, in)
	r.waited(ctx, err)
	if err != nil {
		return err
	}
	if !found.Found {
		return r.nothing(false)
	}
	r.log.Outcome, r.log.Duplicate = hooklog.OK, found.ID
	return r.say(deny(r.in.Event, duplicateReason(found)))
}

// duplicateReason is worded so that the model is content: at some clients it
// arrives as an error, which would be tried again.
func duplicateReason(d memory.DuplicateResult) string {
	return fmt.Sprintf("duplicate detected (%s, similarity %.2f): already stored, nothing to do; to change it call memory_update with id %s",
		memory.ShortID(d.ID), d.Similarity, memory.ShortID(d.ID))
}
