package hook

import (
	"context"
	"strings"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/sweep"
	"github.com/mneme-memory/mneme/memory"
)

const promptLimit = 3

// prompt recalls for one prompt, if the user wants that, and never what the
// session was shown before.
func (r *run) prompt(ctx context.Context) error {
	text := strings.TrimSpace(r.in.Prompt)
	if !r.cfg.Hooks.Prompt.Enabled || len(text) < sweep.LeastPrompt || strings.HasPrefix(text, "/") {
		return r.nothing(true)
	}
	state, _, err := r.sessions.Get(r.in.Session)
	if err != nil {
		return err
	}
	q := memory.Query{Limit: promptLimit}
	for _, i := range state.Injected {
		q.Exclude = append(q.Exclude, i.ID)
	}
	hits, err := r.news(ctx, text, q)
	if err != nil {
		return err
	}
	f := frame(promptHeading, hits, r.cfg.Hooks.Prompt.Tokens)
	if f.text == "" {
		return r.nothing(false)
	}
	if err := r.say(contextFor(r.in.Event, f.text)); err != nil {
		return err
	}
	if err := r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		s.Show(r.injections(f)...)
		return nil
	}); err != nil {
		return err
	}
	return r.showed(f)
}

// news recalls what the session does not know. Memories of the session's own making
// are recognised only after they are found, so a second question fills their
// places.
func (r *run) news(ctx context.Context, text string, q memory.Query) ([]memory.Hit, error) {
	var out []memory.Hit
	for range 2 {
		hits, err := r.recall(ctx, []string{text}, q)
		if err != nil {
			return nil, err
		}
		fresh, seen, err := r.unseen(ctx, hits)
		if err != nil {
			return nil, err
		}
		out = append(out, fresh...)
		if len(seen) == 0 {
			break
		}
		for _, h := range hits {
			q.Exclude = append(q.Exclude, h.ID)
		}
		q.Limit -= len(fresh)
	}
	return out, nil
}
