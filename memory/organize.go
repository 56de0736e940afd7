package memory

import (
	"slices"
	"time"
)

// OrganizeInput is a request to tidy up.
type OrganizeInput struct {
	Collections []string `json:"collections,omitempty"` // default: all
	Project     string   `json:"project,omitempty"`     // default: all
	DryRun      bool     `json:"dry_run,omitempty"`     // report what would be done, change nothing
	Yes         bool     `json:"yes,omitempty"`         // prune also where it takes more than a tenth of a project
	User        string   `json:"user,omitempty"`

	// Apply names a plan of a dry run. The run takes the steps of the plan and no
	// others, by the time at which the plan was made; Collections, Project and Yes
	// come from the plan.
	Apply *PlanRef `json:"apply,omitempty"`
}

// PlanRef names a plan by its id, with the digest that the plan must have.
type PlanRef struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
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

// Order returns the collections in the order in which they are tidied up, each
// once. The short-term memories come last: what is promoted comes into a
// collection that is done.
func (in OrganizeInput) Order() []string {
	var out []string
	last := false
	for _, c := range in.Collections {
		switch {
		case c == ShortTerm:
			last = true
		case !slices.Contains(out, c):
			out = append(out, c)
		}
	}
	if last {
		out = append(out, ShortTerm)
	}
	return out
}

// ReportMost is how many groups and memories of a collection a report names.
const ReportMost = 20

// OrganizeReport says what an organize run did, or with DryRun would do.
type OrganizeReport struct {
	WorkflowID  string             `json:"workflow_id"`
	RunID       string             `json:"run_id"`
	DryRun      bool               `json:"dry_run"`
	StartedAt   time.Time          `json:"started_at"`
	TookSeconds float64            `json:"took_seconds"`
	Collections []CollectionReport `json:"collections"`
	Held        []HeldPrune        `json:"held,omitempty"`      // projects of which nothing was pruned, because it waits for a yes
	LeftOut     []LeftOut          `json:"left_out,omitempty"`  // the first of what was not done because a question would lose its answer
	Applied     string             `json:"applied,omitempty"`   // the plan that was carried out
	Cancelled   bool               `json:"cancelled,omitempty"` // it ended before all was done
	Snapshot    bool               `json:"snapshot"`            // the audit was copied to where it is analysed
}

// Part returns the report on one collection, which is added if it is not there.
func (r *OrganizeReport) Part(collection string) *CollectionReport {
	for i := range r.Collections {
		if r.Collections[i].Collection == collection {
			return &r.Collections[i]
		}
	}
	r.Collections = append(r.Collections, CollectionReport{Collection: collection})
	return &r.Collections[len(r.Collections)-1]
}

// WithoutTexts is for the audit, which outlives what is forgotten.
func (r OrganizeReport) WithoutTexts() OrganizeReport {
	r.Collections = slices.Clone(r.Collections)
	for i := range r.Collections {
		c := &r.Collections[i]
		c.Groups, c.Nearly = slices.Clone(c.Groups), slices.Clone(c.Nearly)
		for k := range c.Groups {
			c.Groups[k].Text = ""
		}
		for k := range c.Nearly {
			c.Nearly[k].Text = ""
		}
	}
	return r
}

// CollectionReport is one collection's part of an [OrganizeReport].
type CollectionReport struct {
	Collection string         `json:"collection"`
	Scanned    int            `json:"scanned"`
	Expired    int            `json:"expired"`
	Promoted   int            `json:"promoted"`
	Merged     int            `json:"merged"` // memories that went into another
	Decayed    int            `json:"decayed"`
	Pruned     int            `json:"pruned"`
	Announced  int            `json:"announced"`        // named as nearly pruned for the first time
	Rebuilt    bool           `json:"rebuilt"`          // the HNSW graph was built anew
	Groups     []MergedGroup  `json:"groups,omitempty"` // the first few
	PrunedIDs  []string       `json:"pruned_ids,omitempty"`
	Nearly     []NearlyPruned `json:"nearly_pruned,omitempty"` // the first of the announced
}

// Counter returns the count of what a step of tidying up changed.
func (c *CollectionReport) Counter(action string) *int {
	switch action {
	case ActionExpire:
		return &c.Expired
	case ActionPromote:
		return &c.Promoted
	case ActionMerge:
		return &c.Merged
	case ActionDecay:
		return &c.Decayed
	case ActionPrune:
		return &c.Pruned
	case ActionAnnounce:
		return &c.Announced
	default:
		return new(int)
	}
}

// AddGroup shows a group in which something was merged, as long as there is room.
func (c *CollectionReport) AddGroup(g MergedGroup) {
	if len(g.MergedIDs) > 0 && len(c.Groups) < ReportMost {
		c.Groups = append(c.Groups, g)
	}
}

// AddMerge counts a group, and shows it as long as there is room.
func (c *CollectionReport) AddMerge(g MergedGroup) {
	c.Merged += len(g.MergedIDs)
	c.AddGroup(g)
}

// MergedGroup is one set of memories that are (or would become) one.
type MergedGroup struct {
	SurvivorID string   `json:"survivor_id"`
	MergedIDs  []string `json:"merged_ids"`
	Similarity float64  `json:"similarity"`           // of the least similar pair
	Text       string   `json:"text"`                 // of the survivor afterwards
	Collection string   `json:"collection,omitempty"` // of the survivor
}

// NearlyPruned is a memory that a later run prunes, in a week at the earliest,
// unless it is used, kept or pinned before.
type NearlyPruned struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Text    string `json:"text"`
}
