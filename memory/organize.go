package memory

import "time"

// OrganizeInput is a request to tidy up.
type OrganizeInput struct {
	Collections []string `json:"collections,omitempty"` // default: all
	Project     string   `json:"project,omitempty"`     // default: all
	DryRun      bool     `json:"dry_run,omitempty"`     // report what would be done, change nothing
	User        string   `json:"user,omitempty"`
}

// Clean checks the input and fills in defaults.
func (in OrganizeInput) Clean() (OrganizeInput, error) {
	if len(in.Collections) == 0 {
		in.Collections = Collections()
	}
	for _, c := range in.Collections {
		if !KnownCollection(c) {
			return in, unknown("collection", c, Collections())
		}
	}
	return in, CheckName("project", in.Project)
}

// OrganizeReport says what an organize run did, or with DryRun would do.
type OrganizeReport struct {
	WorkflowID  string             `json:"workflow_id"`
	RunID       string             `json:"run_id"`
	DryRun      bool               `json:"dry_run"`
	StartedAt   time.Time          `json:"started_at"`
	TookSeconds float64            `json:"took_seconds"`
	Collections []CollectionReport `json:"collections"`
}

// CollectionReport is one collection's part of an [OrganizeReport].
type CollectionReport struct {
	Collection string        `json:"collection"`
	Scanned    int           `json:"scanned"`
	Expired    int           `json:"expired"`
	Promoted   int           `json:"promoted"`
	Merged     int           `json:"merged"` // memories that went into another
	Decayed    int           `json:"decayed"`
	Pruned     int           `json:"pruned"`
	Rebuilt    bool          `json:"rebuilt"`          // the HNSW graph was built anew
	Groups     []MergedGroup `json:"groups,omitempty"` // the first few
	PrunedIDs  []string      `json:"pruned_ids,omitempty"`
}

// MergedGroup is one set of memories that are (or would become) one.
type MergedGroup struct {
	SurvivorID string   `json:"survivor_id"`
	MergedIDs  []string `json:"merged_ids"`
	Similarity float64  `json:"similarity"` // of the least similar pair
	Text       string   `json:"text"`       // of the survivor afterwards
}
