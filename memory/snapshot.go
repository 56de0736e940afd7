package memory

import (
	"encoding/json"
	"time"
)

// AuditRow is an audit row as it is copied for analysis: its details stay
// the JSON text that the ledger keeps.
type AuditRow struct {
	ID          int64
	User        string
	Action      string
	At          time.Time
	AffectedIDs []string
	Project     string
	Collection  string
	WorkflowID  string
	RunID       string
	Step        string
	Details     json.RawMessage
}

// MemoryRow is a memory's state as it is copied for analysis: without its
// text, of which only the length is told, and without its vector.
type MemoryRow struct {
	Memory
	TextBytes     int
	Confirmations int
	ChangedAt     time.Time
}

// SnapshotInput asks for a copy of the audit and of the memories' state in
// the file that is made for analysis.
type SnapshotInput struct {
	// Parquet writes the tables beside the file as Parquet files too.
	Parquet bool `json:"parquet,omitempty"`
	// Anew builds the file from nothing instead of adding to it.
	Anew bool   `json:"anew,omitempty"`
	User string `json:"user,omitempty"`
}

// SnapshotReport says what a snapshot copied.
type SnapshotReport struct {
	File        string   `json:"file"`
	Parquet     []string `json:"parquet,omitempty"`
	Rows        int64    `json:"rows"`     // of the audit, in the file
	NewRows     int64    `json:"new_rows"` // of them, added by this snapshot
	Memories    int64    `json:"memories"` // in every state
	UpTo        int64    `json:"up_to"`    // id of the newest audit row
	Bytes       int64    `json:"bytes"`    // of the file
	TookSeconds float64  `json:"took_seconds"`
	Anew        bool     `json:"anew,omitempty"` // the file was built from nothing
}
