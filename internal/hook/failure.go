package hook

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mneme-memory/mneme/internal/failure"
	"github.com/mneme-memory/mneme/internal/hook/session"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

const (
	errorLimit  = 3
	errorTokens = 600
	errorTag    = "error"
	maxCommand  = 500 // bytes of a command that are kept to know it again
	bash        = "Bash"
)

// afterFailure recalls what is known of an error like this one.
func (r *run) afterFailure(ctx context.Context) error {
	if transcript.OwnTool(r.in.ToolName) || r.in.Interrupted {
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
	hits, recallErr := r.similarErrors(ctx, f, message, discarded)
	shown := frame(errorHeading, hits, errorTokens)
	if err := r.say(contextFor(r.in.Event, shown.text)); err != nil {
		return err
	}
	for _, h := range shown.shown {
		f.Fixes = append(f.Fixes, h.ID)
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
	return r.showed(shown)
}

// failure describes the call, so that it is known again when it comes again.
func (r *run) failure() session.Failure {
	command, _ := r.redactor.Redact(callOf(r.in)) // before it is cut: half of a secret is not known for one
	key := r.in.ToolUseID
	if key == "" {
		key = unique()
	}
	return session.Failure{Tool: r.in.ToolName, Command: clipText(command, maxCommand), Key: memory.ContentHash(r.in.Session + "/" + key)}
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
	}})
}

// similarErrors recalls errors like this one, but for those that did not help.
func (r *run) similarErrors(ctx context.Context, f session.Failure, message string, not []string) ([]memory.Hit, error) {
	command := ""
	if f.Tool == bash {
		command = f.Command
	}
	message, _ = r.redactor.Redact(message)
	query := failure.Signature(command, message).Query
	if query == "" {
		line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		query = strings.TrimSpace(f.Tool + ": " + line)
	}
	return r.recall(ctx, []string{query}, memory.Query{Limit: errorLimit, Tags: []string{errorTag}, Exclude: not})
}

// know fills in whose state it is, for sessions that began without us.
func (r *run) know(s *session.State) {
	s.Project, s.Dir, s.Ended = r.project, r.dir, false
	if r.in.Transcript != "" {
		s.Transcript = r.in.Transcript
	}
}
