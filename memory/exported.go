package memory

import (
	"math"
	"slices"
	"time"
)

// Exported is what an export of mneme says of a memory besides what a [StoreInput] can say. An
// import keeps it where the memory is new. Where the memory is there, the version that was changed
// last stays or comes, and the counters stay those of the memory that is there: they count what
// happened in this home, and would count it twice.
type Exported struct {
	ID            string     `json:"id"`
	Confidence    float64    `json:"confidence"`
	AccessCount   int        `json:"access_count,omitempty"`
	Confirmations int        `json:"confirmations,omitempty"`
	LastAccessed  *time.Time `json:"last_accessed,omitempty"` // default: the date of the memory
	ArrivedAt     *time.Time `json:"arrived_at,omitempty"`    // default: now
	UpdatedAt     *time.Time `json:"updated_at,omitempty"`    // default: the date of the memory
	DecayedAt     *time.Time `json:"decayed_at,omitempty"`
	ExpiresAt     *time.Time `json:"expires_at,omitempty"` // none: it does not expire
	Source        string     `json:"source,omitempty"`     // default: SourceImport
}

// check returns an [Invalid] error for what no export of mneme says.
func (x Exported) check() error {
	if err := CheckID(x.ID); err != nil {
		return err
	}
	if !(x.Confidence >= 0 && x.Confidence <= 1) { // NaN is neither
		return Errorf(Invalid, "an export of mneme has it so", "confidence must be 0 to 1, got %v", x.Confidence)
	}
	for _, n := range []int{x.AccessCount, x.Confirmations} {
		if n < 0 || n > math.MaxInt32 {
			return Errorf(Invalid, "an export of mneme has it so", "a count must be 0 to %d, got %d", math.MaxInt32, n)
		}
	}
	if x.Source != "" && !slices.Contains(Sources(), x.Source) {
		return unknown("source", x.Source, Sources())
	}
	return nil
}

// apply gives a new memory what the export says of it. Dates after now, which a wrong clock wrote,
// become now.
func (x Exported) apply(m *Memory, now time.Time) {
	m.ID, m.Confidence, m.AccessCount = x.ID, x.Confidence, x.AccessCount
	m.Source = orDefault(x.Source, SourceImport)
	m.ArrivedAt = past(x.ArrivedAt, now, now)
	m.LastAccessed = past(x.LastAccessed, m.CreatedAt, now)
	m.ExpiresAt = nil
	if x.ExpiresAt != nil {
		at := x.ExpiresAt.UTC()
		m.ExpiresAt = &at
	}
}

// Updated returns when the content of the exported memory last changed; created is its date.
func (x Exported) Updated(created, now time.Time) time.Time { return past(x.UpdatedAt, created, now) }

// past returns t, or a default for none, and never what is after now.
func past(t *time.Time, def, now time.Time) time.Time {
	if t == nil {
		return def.UTC()
	}
	if t.After(now) {
		return now.UTC()
	}
	return t.UTC()
}

// SameContent reports whether two memories say the same and are of the same kind: nobody edited one
// of them. Counters, confidence and dates do not matter.
func SameContent(a, b Memory) bool {
	return a.ContentHash == b.ContentHash && a.Type == b.Type && slices.Equal(a.Tags, b.Tags) &&
		a.Collection == b.Collection && a.Importance == b.Importance && a.Pinned == b.Pinned &&
		a.SourceRef == b.SourceRef && a.Session == b.Session && (a.Position == b.Position || b.Position == 0)
}

// LinkEnd names a memory in an export: by its id, or, where the text was remembered under another id
// already, by its place and text.
type LinkEnd struct {
	ID         string `json:"id"`
	Project    string `json:"project,omitempty"`
	Collection string `json:"collection,omitempty"`
	Hash       string `json:"content_hash,omitempty"` // see [ContentHash]; empty if the export does not have the memory
}

// ExportedLink is a link of an export.
type ExportedLink struct {
	Source    LinkEnd    `json:"source"`
	Target    LinkEnd    `json:"target"`
	Type      string     `json:"link_type"`
	CreatedAt *time.Time `json:"created_at,omitempty"` // default: now
}

// Clean returns the link, or an [Invalid] error.
func (l ExportedLink) Clean() (ExportedLink, error) {
	for _, end := range []LinkEnd{l.Source, l.Target} {
		if err := CheckID(end.ID); err != nil {
			return l, err
		}
	}
	if !slices.Contains(LinkTypes(), l.Type) {
		return l, unknown("link_type", l.Type, LinkTypes())
	}
	return l, nil
}

// ImportedLinks counts what became of links.
type ImportedLinks struct {
	Added   int `json:"added"`
	There   int `json:"there"`   // were there already
	Without int `json:"without"` // one of their memories is not here
}
