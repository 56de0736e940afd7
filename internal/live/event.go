package live

import (
	"encoding/json"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// maxIDs bounds how many memories an event names. Count tells how many it is about.
const maxIDs = 50

// Event is a row of the audit as it is told: what happened, to which memories, and never a text.
type Event struct {
	Seq        int64     `json:"seq"`
	Action     string    `json:"action"`
	At         time.Time `json:"at"`
	User       string    `json:"user,omitempty"`
	Project    string    `json:"project,omitempty"`
	Session    string    `json:"session,omitempty"`
	WorkflowID string    `json:"workflow_id,omitempty"`
	MemoryIDs  []string  `json:"memory_ids"` // the first of them
	Count      int       `json:"count"`      // of the memories that it is about
}

// eventOf makes an event of a row. Details that cannot be read cost the event its session only.
func eventOf(r memory.AuditRow) Event {
	var notes struct {
		Session    string `json:"session"`
		WorkflowID string `json:"workflow_id"`
	}
	if err := json.Unmarshal(r.Details, &notes); err != nil {
		notes.Session, notes.WorkflowID = "", ""
	}
	e := Event{
		Seq: r.ID, Action: r.Action, At: r.At.UTC(), User: r.User, Project: r.Project, Session: notes.Session,
		WorkflowID: r.WorkflowID, MemoryIDs: r.AffectedIDs, Count: len(r.AffectedIDs),
	}
	if notes.WorkflowID != "" { // an event of a hook: the row itself names no workflow
		e.WorkflowID = notes.WorkflowID
	}
	if e.MemoryIDs == nil {
		e.MemoryIDs = []string{}
	}
	if len(e.MemoryIDs) > maxIDs {
		e.MemoryIDs = e.MemoryIDs[:maxIDs]
	}
	return e
}

// eventsOf makes events of rows.
func eventsOf(rows []memory.AuditRow) []Event {
	out := make([]Event, len(rows))
	for i, r := range rows {
		out[i] = eventOf(r)
	}
	return out
}
