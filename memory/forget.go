package memory

import (
	"strings"
	"time"
)

// Filter selects memories to forget. All that is given must hold; an empty
// filter is refused, so that nobody forgets everything by accident.
type Filter struct {
	IDs        []string   `json:"ids,omitempty"`
	Tags       []string   `json:"tags,omitempty"`        // all of them
	Before     *time.Time `json:"date_before,omitempty"` // created before
	Since      *time.Time `json:"date_since,omitempty"`  // created at or after
	Project    string     `json:"project,omitempty"`
	Collection string     `json:"collection,omitempty"`
	Type       string     `json:"type,omitempty"`
	// Forgotten also selects memories of IDs that are already forgotten, so
	// that their history can be blanked too. A forget with Purge sets it.
	Forgotten bool `json:"forgotten,omitempty"`
}

// MaxForgetIDs bounds the ids of one filter.
const MaxForgetIDs = 1000

// Empty reports whether the filter would select everything.
func (f Filter) Empty() bool {
	return len(f.IDs) == 0 && len(f.Tags) == 0 && f.Before == nil && f.Since == nil && f.Project == "" && f.Collection == "" && f.Type == ""
}

// Clean returns the filter in its normal form, or an [Invalid] error.
func (f Filter) Clean() (Filter, error) {
	tags, err := CleanTags(f.Tags)
	if err != nil {
		return f, err
	}
	f.Tags, f.Project = tags, strings.TrimSpace(f.Project)
	if f.Empty() {
		return f, Errorf(Invalid, "give an id, tags, a date, a project, a collection or a type",
			"a forget without any filter would forget everything and is refused")
	}
	if len(f.IDs) > MaxForgetIDs {
		return f, Errorf(Invalid, "split the call", "%d ids given, the limit is %d", len(f.IDs), MaxForgetIDs)
	}
	for _, id := range f.IDs {
		if err := CheckRef(id); err != nil {
			return f, err
		}
	}
	if err := CheckName("project", f.Project); err != nil {
		return f, err
	}
	if f.Collection != "" && !KnownCollection(f.Collection) {
		return f, unknown("collection", f.Collection, Collections())
	}
	if f.Type != "" && !KnownType(f.Type) {
		return f, unknown("type", f.Type, Types())
	}
	return f, nil
}

// ForgetInput is a request to forget what a filter selects.
type ForgetInput struct {
	Filter Filter `json:"filter"`
	DryRun bool   `json:"dry_run,omitempty"` // say what would be forgotten, change nothing
	Purge  bool   `json:"purge,omitempty"`   // blank the history too, also of ids that are forgotten already: no undo
	User   string `json:"user,omitempty"`
}

// ForgetReceipt lists the forgotten memories and whether their absence was
// checked.
type ForgetReceipt struct {
	IDs        []string `json:"ids"` // the first MaxForgetIDs of them
	Count      int      `json:"count"`
	Links      int      `json:"links"` // links that went with them
	DryRun     bool     `json:"dry_run"`
	Purged     bool     `json:"purged"`
	Verified   bool     `json:"verified"` // looked for afterwards in ledger and index, and not found
	WorkflowID string   `json:"workflow_id"`
	// Purge is what a purge did and found; nil without one.
	Purge *PurgeReport `json:"purge,omitempty"`
}
