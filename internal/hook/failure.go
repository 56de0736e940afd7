package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/toolname"
	"github.com/mneme-memory/mneme/memory"
)

const (
	errorLimit  = 3
	errorTokens = 600
	errorTag    = memory.TypeError
	errorsAsked = 24  // memories that are compared with an error
	errorsNear  = 0.6 // of the best one's score: what fits much worse is not shown beside it
	maxTold     = 160 // bytes of an error that are kept to name it
	maxAsks     = 3   // of a session: to keep what fixed an error
	maxCommand  = 500 // bytes of a command that are kept to know it again
	bash        = "Bash"
)

// afterFailure recalls what is known of an error like this one.
func (r *run) afterFailure(ctx context.Context) error {
	if toolname.Ours(r.in.ToolName) || r.in.Interrupted {
		return r.nothing(true)
	}
	return r.failed(ctx, r.in.Error)
}

// failed handles a failure that the client told of, or that a success hides.
func (r *run) failed(ctx context.Context, message string) error {
	r.log.Tool = r.in.ToolName
	f := r.failure()
	discarded, err := r.judgeAgain(ctx, f)
	if err != nil {
		return err
	}
	known, recallErr := r.similarErrors(ctx, &f, message, discarded)
	shown := frame(errorHeading, known.fit, errorTokens)
	if err := r.say(contextFor(r.in.Event, shown.text)); err != nil {
		return err
	}
	for _, h := range shown.shown {
		f.Fixes = append(f.Fixes, h.ID)
	}
	if len(f.Fixes) > 0 || recallErr != nil {
		f.News = "" // it is known, or nobody could say
	}
	if err := r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		r.know(s)
		s.Fail(f)
		s.Show(r.injections(shown)...)
		return nil
	}); err != nil {
		return err
	}
	if recallErr != nil {
		return recallErr
	}
	if len(shown.shown) == 0 {
		return r.nothing(false)
	}
	if err := r.count(ctx, known); err != nil {
		return err
	}
	return r.showed(shown)
}

// failure describes the call, so that it is known again when it comes again.
func (r *run) failure() session.Failure {
	command, _ := r.redactor.Redact(callOf(r.in)) // before it is cut: half of a secret is not known for one
	key := r.in.ToolUseID
	if key == "" {
		key = unique()
	}
	return session.Failure{
		Tool: r.in.ToolName, Command: memory.Clip(command, maxCommand),
		Key: memory.ContentHash(r.in.Session + "/" + key), At: r.opts.Now().UTC(),
	}
}

// callOf says in one line what a tool was asked to do: the command, or the
// file, or nothing for a tool that is known by its name.
func callOf(in input) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(in.ToolInput, &args) != nil {
		return ""
	}
	for _, name := range []string{"command", "file_path", "notebook_path", "path", "url"} {
		var s string
		if json.Unmarshal(args[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// sameKind reports whether two calls try the same thing.
func sameKind(a, b session.Failure) bool {
	if a.Tool != b.Tool {
		return false
	}
	if a.Tool == bash {
		return shell.SameKind(a.Command, b.Command)
	}
	return a.Command == b.Command
}

// judgeAgain lowers the confidence of fixes that were shown for this kind of
// call, which has now failed again. It returns their ids.
func (r *run) judgeAgain(ctx context.Context, f session.Failure) ([]string, error) {
	state, ok, err := r.sessions.Get(r.in.Session)
	if err != nil || !ok {
		return nil, err
	}
	var discarded []string
	for _, old := range state.Failures {
		if !sameKind(old, f) {
			continue
		}
		if len(old.Fixes) > 0 {
			if err := r.credit(old, false); err != nil {
				return nil, err
			}
			discarded = append(discarded, old.Fixes...)
		}
	}
	if len(discarded) == 0 {
		return nil, nil
	}
	r.log.Discarded = discarded
	return discarded, r.sessions.Update(ctx, r.in.Session, func(s *session.State) error {
		for i := range s.Failures {
			if sameKind(s.Failures[i], f) {
				s.Failures[i].Fixes = nil
			}
		}
		return nil
	})
}

// credit keeps what the outcome says about the fixes that were shown for a
// failure. Its key is the failure's: each is judged once, however many hooks
// see the outcome.
func (r *run) credit(f session.Failure, helped bool) error {
	reason := "failed again"
	if helped {
		reason = "the same command succeeded"
	}
	return r.keep(spool.Entry{Key: "credit/" + f.Key, Credit: &memory.CreditInput{
		IDs: f.Fixes, Helped: helped, Project: r.project, Session: r.in.Session, Reason: reason, Source: memory.SourceHook,
		User: r.cfg.User,
	}})
}

// similarErrors finds what speaks of this error, but for what did not help. It
// asks for much and chooses itself: an error is known by its message, its codes
// and its names, whatever the type and the tags of the memory, and the nearest
// memories are of other errors more often than not.
func (r *run) similarErrors(ctx context.Context, f *session.Failure, message string, not []string) (sought, error) {
	command := ""
	if f.Tool == bash {
		command = f.Command
	}
	message, _ = r.redactor.Redact(message)
	sig := failure.Signature(command, message)
	query := sig.Query
	if query == "" {
		line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		query = strings.TrimSpace(f.Tool + ": " + line)
	}
	if f.Tool == bash && !sig.Empty() {
		f.Error = memory.Clip(sig.Lines[0], maxTold)
		if !failure.Passing(sig) {
			f.News = f.Error
		}
	}
	anything := 0.0
	found, err := r.recall(ctx, []string{query}, memory.Query{Limit: errorsAsked, MinScore: &anything, Exclude: not, Trial: true})
	if err != nil {
		return sought{}, err
	}
	s := sought{query: query, fit: fitting(failure.Read(command, message), found), others: not}
	for _, h := range found {
		if !slices.ContainsFunc(s.fit, func(o memory.Hit) bool { return o.ID == h.ID }) {
			s.others = append(s.others, h.ID)
		}
	}
	return s, nil
}

// sought is what was found of an error.
type sought struct {
	query  string
	fit    []memory.Hit // speak of it, the best first
	others []string     // ids of what was near, and does not
}

// count recalls the shown memories once more, which counts them as recalled:
// the many that it was chosen from were only looked at. The answer is on its
// way already, and a mneme that is gone by now has nothing to count.
func (r *run) count(ctx context.Context, s sought) error {
	anything := 0.0
	_, err := r.recall(ctx, []string{s.query}, memory.Query{Limit: len(s.fit), MinScore: &anything, Exclude: s.others})
	if memory.CodeOf(err) == memory.Unavailable || ctx.Err() != nil {
		return nil
	}
	return err
}

// fitting are the memories that speak of an error, the best first.
func fitting(report failure.Report, found []memory.Hit) []memory.Hit {
	type scored struct {
		hit   memory.Hit
		score float64
	}
	var list []scored
	for _, h := range found {
		if h.Type == memory.TypePreference {
			continue // how somebody wants things mends nothing
		}
		if score := report.Score(h.Text); score >= 1 {
			list = append(list, scored{h, score})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []memory.Hit
	for _, one := range list {
		if len(out) < errorLimit && one.score >= errorsNear*list[0].score {
			out = append(out, one.hit)
		}
	}
	return out
}

// know fills in whose state it is, for sessions that began without us.
func (r *run) know(s *session.State) {
	s.Project, s.Dir, s.Ended = r.project, r.dir, false
	if r.in.Transcript != "" {
		s.Transcript = r.in.Transcript
	}
}
