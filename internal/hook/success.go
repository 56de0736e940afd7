package hook

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// afterTool sees every call that ended well, so it ends at once when there is
// nothing to learn from it: most sessions wait for nothing most of the time.
func (r *run) afterTool(ctx context.Context) error {
	r.log.Tool = r.in.ToolName
	if !transcript.OwnTool(r.in.ToolName) && r.in.ToolName == bash {
		if output := bashOutput(r.in.ToolResponse); failure.Hides(callOf(r.in), output) {
			r.cleanProject()
			return r.failed(ctx, output)
		}
	}
	state, ok, err := r.sessions.Get(r.in.Session)
	if err != nil {
		return err
	}
	if !ok || len(state.Failures)+len(state.Injected) == 0 {
		return r.nothing(true)
	}
	r.cleanProject()
	helped, err := r.judgeSuccess(ctx, state)
	if err != nil {
		return err
	}
	used, err := r.noteUse(ctx, state, inputText(r.in.ToolInput), "tool")
	if err != nil {
		return err
	}
	if len(helped)+len(used) == 0 {
		return r.nothing(true)
	}
	return nil
}

// judgeSuccess raises the confidence of fixes that were shown when this kind
// of call failed, and forgets those failures. What fixed it is in the
// transcript, from where the sweep takes it: see docs/decisions.
func (r *run) judgeSuccess(ctx context.Context, state session.State) ([]string, error) {
	if transcript.OwnTool(r.in.ToolName) || !slices.ContainsFunc(state.Failures, func(f session.Failure) bool { return f.Tool == r.in.ToolName }) {
		return nil, nil
	}
	now := r.failure()
	var helped []string
	resolved := false
	for _, f := range state.Failures {
		if !sameKind(f, now) {
			continue
		}
		resolved = true
		if len(f.Fixes) > 0 {
			if err := r.credit(f, true); err != nil {
				return nil, err
			}
			helped = append(helped, f.Fixes...)
		}
	}
	if !resolved {
		return nil, nil
	}
	r.log.Credited = helped
	return helped, r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Failures = slices.DeleteFunc(s.Failures, func(f session.Failure) bool { return sameKind(f, now) })
		return nil
	})
}

// bashOutput is what a command printed.
func bashOutput(response json.RawMessage) string {
	var out struct {
		Stdout string `json:"stdout"`
		Stderr string `json:"stderr"`
	}
	if json.Unmarshal(response, &out) != nil {
		return ""
	}
	if out.Stderr == "" {
		return out.Stdout
	}
	return out.Stdout + "\n" + out.Stderr
}
