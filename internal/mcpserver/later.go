package mcpserver

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/memory"
)

// unreachable stands for a [Client] while mneme is down, for the tools that store: every store
// fails with the reason, and is then kept for later. It has no other method.
type unreachable struct {
	Client
	reason error
}

func (u *unreachable) Store(context.Context, memory.StoreInput) (memory.StoreResult, error) {
	return memory.StoreResult{}, u.reason
}

// keepsFor reports whether a tool can do its work although the connection failed with err.
func (s *Server) keepsFor(d spec, err error) bool {
	return d.keeps && s.opts.Keep != nil && memory.CodeOf(err) == memory.Unavailable
}

// keepForLater keeps on disk what mneme could not be given because it is down, as the hooks do.
// Any other failure is returned as it is.
func (s *Server) keepForLater(in memory.StoreInput, failed error) (answer, error) {
	if s.opts.Keep == nil || memory.CodeOf(failed) != memory.Unavailable {
		return nil, failed
	}
	kept, err := s.opts.Keep(in)
	if err != nil {
		s.opts.Logger.Warn("keep a text for later", "err", err)
		return nil, &memory.Error{
			Code: memory.Unavailable, Part: memory.PartOf(failed), Hint: memory.HintOf(failed),
			Err: fmt.Errorf("%w; it could not be kept for later either: %w", failed, err),
		}
	}
	a := newStored(memory.StoreResult{
		ID: kept.ID(), Status: memory.Accepted, Project: kept.Project, Collection: kept.Collection,
		WaitingFor: "mneme", Redacted: kept.Redacted,
		Message: "accepted, waiting: mneme is not running; the text is kept on disk and stored when it runs again " +
			`(the user starts it with "mneme up"); do not send it again`,
	})
	return a, nil
}
