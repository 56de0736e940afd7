package hook

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/internal/untrusted"
)

// afterTool sees every call that ended well, so it ends at once when there is
// nothing to learn from it: most sessions wait for nothing most of the time.
func (r *run) afterTool(ctx context.Context) error {
	r.log.Tool = r.in.ToolName
	if !toolname.Ours(r.in.ToolName) && r.in.ToolName == bash {
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
	helped, mended, err := r.judgeSuccess(ctx, state)
	if err != nil {
		return err
	}
	if err := r.suggest(ctx, state, mended); err != nil {
		return err
	}
	used, err := r.noteUse(ctx, state, inputText(r.in.ToolInput), "tool")
	if err != nil {
		return err
	}
	if len(helped)+len(used) == 0 && !r.suggested {
		return r.nothing(true)
	}
	return nil
}

// judgeSuccess raises the confidence of fixes that were shown when this kind
// of call failed, and forgets those failures, which it returns. What fixed it is in the
// transcript, from where the sweep takes it: see docs/decisions.
func (r *run) judgeSuccess(ctx context.Context, state session.State) (helped []string, mended []session.Failure, err error) {
	if toolname.Ours(r.in.ToolName) || !slices.ContainsFunc(state.Failures, func(f session.Failure) bool { return f.Tool == r.in.ToolName || f.News != "" }) {
		return nil, nil, nil
	}
	now := r.failure()
	for _, f := range state.Failures {
		if !sameKind(f, now) {
			continue
		}
		mended = append(mended, f)
		if len(f.Fixes) > 0 {
			if err := r.credit(f, true); err != nil {
				return nil, nil, err
			}
			helped = append(helped, f.Fixes...)
		}
	}
	if len(mended) == 0 {
		return nil, nil, r.acted(ctx, state, now)
	}
	r.log.Credited = helped
	return helped, mended, r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Failures = slices.DeleteFunc(s.Failures, func(f session.Failure) bool { return sameKind(f, now) })
		return nil
	})
}

// acted notes that something was done that can mend what failed before.
func (r *run) acted(ctx context.Context, state session.State, now session.Failure) error {
	waits := func(f session.Failure) bool { return f.News != "" && !f.Acted }
	if !slices.ContainsFunc(state.Failures, waits) || now.Tool == bash && !shell.Changes(now.Command) {
		return nil
	}
	return r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		for i := range s.Failures {
			s.Failures[i].Acted = true
		}
		return nil
	})
}

// suggest asks the model to keep what mended an error that no memory spoke of,
// once for each error and seldom in a session: it alone knows the cause.
func (r *run) suggest(ctx context.Context, state session.State, mended []session.Failure) error {
	at := slices.IndexFunc(mended, func(f session.Failure) bool {
		return f.News != "" && (f.Acted || f.Command != r.failure().Command) && !slices.Contains(state.Asked, f.News)
	})
	if at < 0 || len(state.Asked) >= maxAsks {
		return nil
	}
	told := mended[at].News
	if err := r.say(contextFor(r.in.Event, suggestion(told))); err != nil {
		return err
	}
	r.suggested = true
	return r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Asked = append(s.Asked, told)
		return nil
	})
}

func suggestion(told string) string {
	return "mneme: an error that no memory spoke of is gone; a tool had printed: " + strconv.Quote(untrusted.Text(told)) +
		". If its cause may come again, keep it in one sentence: memory_store with type error, what failed, why, and what fixed it."
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
