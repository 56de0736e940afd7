package memory

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// The bounds of one call.
const (
	MaxEvents       = 500
	MaxEventIDs     = 200      // memories that one event names
	MaxDetailsBytes = 16 << 10 // of one event's details as JSON
	MaxEventsBytes  = 1 << 20  // of all events of a call as JSON
	maxActionBytes  = 40
)

// Event is something that happened around memories and changed none, such as
// what a hook injected. It becomes one row of the audit.
type Event struct {
	ID         string         `json:"id"`     // chosen by the sender; the same id is written once
	Action     string         `json:"action"` // lower-case letters, digits, "_" and "-"; none of [Actions]
	At         time.Time      `json:"at"`     // zero: when it is written
	Project    string         `json:"project,omitempty"`
	Collection string         `json:"collection,omitempty"`
	Session    string         `json:"session,omitempty"`
	User       string         `json:"user,omitempty"`
	MemoryIDs  []string       `json:"memory_ids,omitempty"` // what it was about
	Details    map[string]any `json:"details,omitempty"`    // numbers and short names; never a memory's text
}

// CheckEvents refuses events that cannot be recorded.
func CheckEvents(events []Event) error {
	if len(events) > MaxEvents {
		return Errorf(Invalid, "split the call", "%d events given, the limit is %d", len(events), MaxEvents)
	}
	total := 0
	for i, e := range events {
		if err := e.check(); err != nil {
			return Errorf(Invalid, HintOf(err), "event %d: %w", i+1, err)
		}
		size, err := json.Marshal(e)
		if err != nil {
			return Errorf(Invalid, "details hold what JSON can", "event %d: %w", i+1, err)
		}
		total += len(size)
	}
	if total > MaxEventsBytes {
		return Errorf(Invalid, "split the call", "the events have %d bytes, the limit is %d", total, MaxEventsBytes)
	}
	return nil
}

func (e Event) check() error {
	if e.ID == "" {
		return Errorf(Invalid, "give each event an id of its own, the same when it is sent again", "it has no id")
	}
	if err := checkAction(e.Action); err != nil {
		return err
	}
	if e.Collection != "" && !KnownCollection(e.Collection) {
		return unknown("collection", e.Collection, Collections())
	}
	if len(e.MemoryIDs) > MaxEventIDs {
		return Errorf(Invalid, "name the first of them", "it names %d memories, the limit is %d", len(e.MemoryIDs), MaxEventIDs)
	}
	for _, id := range e.MemoryIDs {
		if err := CheckID(id); err != nil {
			return err
		}
	}
	details, err := json.Marshal(e.Details)
	if err != nil {
		return Errorf(Invalid, "details hold what JSON can", "%w", err)
	}
	if len(details) > MaxDetailsBytes {
		return Errorf(Invalid, "keep numbers and short names", "its details have %d bytes, the limit is %d", len(details), MaxDetailsBytes)
	}
	if strings.Contains(string(details), `\u0000`) {
		return Errorf(Invalid, "remove the NUL bytes", "its details hold NUL bytes")
	}
	return checkNames(map[string]string{"id": e.ID, "project": e.Project, "session": e.Session, "user": e.User})
}

// checkAction keeps the names of steps that change memories for those steps,
// so that the audit can be believed.
func checkAction(action string) error {
	if action == "" || len(action) > maxActionBytes || strings.ContainsFunc(action, notInAction) {
		return Errorf(Invalid, "use lower-case letters, digits, _ and -", "%q is no action", clip(action))
	}
	if slices.Contains(Actions(), action) {
		return Errorf(Invalid, "choose another name", "the action %q is written by mneme itself", action)
	}
	return nil
}

func notInAction(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-'
}
