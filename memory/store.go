package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The bounds of what can be stored.
const (
	MaxTextBytes  = 32 << 10 // of a memory's text
	MaxQueryBytes = 8 << 10  // of a query's text
	MaxNameBytes  = 256      // of a project or session
	MaxTags       = 32
	MaxTagBytes   = 64
	MaxRefBytes   = 1024 // of a SourceRef
)

// StoreInput is a request to remember one text.
type StoreInput struct {
	Text       string     `json:"text"`
	Type       string     `json:"type,omitempty"` // default TypeFact
	Tags       []string   `json:"tags,omitempty"`
	Project    string     `json:"project,omitempty"`    // default Global
	Collection string     `json:"collection,omitempty"` // default CollectionOf(Type)
	Importance *float64   `json:"importance,omitempty"` // 0 to 1, default 0.5
	Pinned     bool       `json:"pinned,omitempty"`
	Session    string     `json:"session,omitempty"`
	Position   int        `json:"position,omitempty"` // default: after the last of Session
	CreatedAt  *time.Time `json:"created_at,omitempty"`
	Source     string     `json:"source,omitempty"`
	// SourceRef says where an import found the text: "file:docs/ops.md#Deploy", "issue:<url>",
	// "mem0:<id>". In a project, a place names one memory: a later import of a text from the same
	// place updates that memory.
	SourceRef string `json:"source_ref,omitempty"`
	// WasRef is the SourceRef that the same text had before, such as that of a file that was renamed.
	WasRef   string        `json:"was_ref,omitempty"`
	Exported *Exported     `json:"exported,omitempty"` // of a line that "mneme export" wrote
	User     string        `json:"user,omitempty"`
	Links    []LinkRequest `json:"links,omitempty"`
	Redacted []string      `json:"redacted,omitempty"` // kinds of what a door took out already; for the audit
	// Request names the call, so that one whose answer was lost counts once when
	// it is repeated underneath. The client of the workflows sets it.
	Request string `json:"request,omitempty"`
}

// LinkRequest asks for a link from the memory being stored to another.
type LinkRequest struct {
	TargetID string `json:"target_id"`
	Type     string `json:"link_type"`
}

// defaultImportance is the importance of a store without a weight.
const defaultImportance = 0.5

// Status is how a store ended.
type Status string

// The statuses of a store.
const (
	Stored   Status = "stored"   // a new memory
	MergedIn Status = "merged"   // the same fact was there: it was confirmed
	Accepted Status = "accepted" // durable in Temporal; will be stored when a part is back
)

// StoreResult answers a store.
type StoreResult struct {
	ID         string   `json:"id"` // of the memory that now holds the text
	Status     Status   `json:"status"`
	Similarity float64  `json:"similarity,omitempty"` // to what was there, when merged
	Project    string   `json:"project"`
	Collection string   `json:"collection"`
	WorkflowID string   `json:"workflow_id,omitempty"`
	WaitingFor string   `json:"waiting_for,omitempty"` // the part that is down or refuses, when accepted
	Redacted   []string `json:"redacted,omitempty"`    // kinds of what was taken out of the text
	Alike      []Alike  `json:"alike,omitempty"`       // when stored: what is much like it, most alike first
	Message    string   `json:"message,omitempty"`
}

// Clean returns the input with defaults filled in, tags in their normal form
// and white space trimmed, or an [Invalid] error that says what to change.
func (in StoreInput) Clean() (StoreInput, error) {
	if err := CheckText(in.Text, MaxTextBytes); err != nil {
		return in, err
	}
	in.Text = strings.TrimSpace(in.Text)
	in.Type = orDefault(in.Type, TypeFact)
	if !KnownType(in.Type) {
		return in, unknown("type", in.Type, Types())
	}
	in.Collection = orDefault(in.Collection, CollectionOf(in.Type))
	if !KnownCollection(in.Collection) {
		return in, unknown("collection", in.Collection, Collections())
	}
	in.Project = orDefault(strings.TrimSpace(in.Project), Global)
	if err := checkNames(map[string]string{"project": in.Project, "session": in.Session, "user": in.User, "request": in.Request}); err != nil {
		return in, err
	}
	for _, ref := range []string{in.SourceRef, in.WasRef} {
		if err := checkName("source_ref", ref, MaxRefBytes); err != nil {
			return in, err
		}
	}
	tags, err := CleanTags(in.Tags)
	if err != nil {
		return in, err
	}
	in.Tags = tags
	importance := in.importance()
	if err := checkImportance(importance); err != nil {
		return in, err
	}
	in.Importance = &importance
	if in.Exported != nil {
		if err := in.Exported.check(); err != nil {
			return in, err
		}
	}
	if in.Position < 0 {
		return in, Errorf(Invalid, "leave position out to append to the session", "position must not be negative, got %d", in.Position)
	}
	return in, in.checkLinks()
}

func (in StoreInput) checkLinks() error {
	for _, l := range in.Links {
		if err := CheckRef(l.TargetID); err != nil {
			return err
		}
		if !slices.Contains(LinkTypes(), l.Type) {
			return unknown("link_type", l.Type, LinkTypes())
		}
	}
	return nil
}

// ID returns the id that the cleaned input will have.
func (in StoreInput) ID() string { return NewID(in.Project, in.Collection, in.Text) }

// Adds reports whether the input says more of its text than another one of the
// same text: new tags, links, more importance or a pin. Both are cleaned.
func (in StoreInput) Adds(to StoreInput) bool {
	unknown := func(tag string) bool { return !slices.Contains(to.Tags, tag) }
	unlinked := func(l LinkRequest) bool { return !slices.Contains(to.Links, l) }
	return slices.ContainsFunc(in.Tags, unknown) || slices.ContainsFunc(in.Links, unlinked) ||
		in.Pinned && !to.Pinned || in.importance() > to.importance()
}

func (in StoreInput) importance() float64 {
	if in.Importance == nil {
		return defaultImportance
	}
	return *in.Importance
}

// Memory returns the new memory that a cleaned input describes, as of now.
func (in StoreInput) Memory(now time.Time, model string) Memory {
	created := now
	if in.CreatedAt != nil {
		created = *in.CreatedAt
	}
	m := Memory{
		ID: in.ID(), Collection: in.Collection, Project: in.Project, Type: in.Type, Tags: in.Tags,
		Text: in.Text, Confidence: StartConfidence, Importance: *in.Importance, Pinned: in.Pinned,
		CreatedAt: created.UTC(), LastAccessed: created.UTC(), ArrivedAt: now.UTC(), Source: in.Source, Session: in.Session,
		Position: in.Position, ContentHash: ContentHash(in.Text), Model: model, State: Live, SourceRef: in.SourceRef,
	}
	if life := in.life(); life > 0 {
		expires := now.UTC().Add(life)
		m.ExpiresAt = &expires
	}
	if in.Exported != nil {
		in.Exported.apply(&m, now)
	}
	return m
}

// life is how long the new memory lives unless it earns a better place: what a
// session taught lives longer the more it matters, up to three times as long,
// and what somebody prefers or has decided holds until it is taken back.
func (in StoreInput) life() time.Duration {
	life := Lifetime(in.Collection)
	if in.Collection != ShortTerm {
		return life
	}
	if in.Type == TypePreference || in.Type == TypeDecision {
		return 0
	}
	above := max(0, in.importance()-defaultImportance) // of 0 to 0.5
	return time.Duration(float64(life) * (1 + 4*above))
}

// WithKind returns tags with that of the kind of memory, by which the recalls
// of old errors, procedures and findings ask, whoever stored it. It is left out
// where there are as many tags as there may be.
func WithKind(tags []string, kind string) []string {
	switch kind {
	case TypeError, TypeProcedure, TypeLearning, TypeEpisode, TypeTrajectory:
	default:
		return tags
	}
	if len(tags) >= MaxTags || slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(strings.TrimSpace(t), kind) }) {
		return tags
	}
	return append(slices.Clone(tags), kind)
}

// CheckText refuses a text that is empty, longer than limit bytes without what
// redaction added, not UTF-8, or holds NUL bytes (PostgreSQL cannot keep them).
func CheckText(text string, limit int) error {
	switch {
	case tooLong(text, limit):
		return Errorf(Invalid, "store the facts one by one, each in a few sentences",
			"the text has %d bytes, the limit is %d", len(text), limit)
	case !utf8.ValidString(text):
		return Errorf(Invalid, "convert it to UTF-8 first", "the text is not valid UTF-8")
	case strings.ContainsRune(text, 0):
		return Errorf(Invalid, "remove the NUL bytes; is this a binary file?", "the text holds NUL bytes")
	case strings.TrimSpace(text) == "":
		return Errorf(Invalid, "give at least one sentence", "the text is empty")
	}
	return nil
}

// CheckName refuses a name (of a project, a session …) that is too long, not
// UTF-8, or holds control characters. Slashes and quotes are fine.
func CheckName(what, name string) error { return checkName(what, name, MaxNameBytes) }

func checkName(what, name string, limit int) error {
	switch {
	case len(name) > limit:
		return Errorf(Invalid, "shorten it", "the %s has %d bytes, the limit is %d", what, len(name), limit)
	case !utf8.ValidString(name):
		return Errorf(Invalid, "convert it to UTF-8 first", "the %s is not valid UTF-8", what)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return Errorf(Invalid, "remove line breaks, tabs and NUL bytes", "the %s holds control characters", what)
	}
	return nil
}

// checkNames applies [CheckName] to names by what they name, in a fixed order:
// a workflow that is replayed must say the same again.
func checkNames(names map[string]string) error {
	for _, what := range slices.Sorted(maps.Keys(names)) {
		if err := CheckName(what, names[what]); err != nil {
			return err
		}
	}
	return nil
}

func checkImportance(v float64) error {
	if !(v >= 0 && v <= 1) { // NaN is neither
		return Errorf(Invalid, "give a number from 0 (trivial) to 1 (vital)", "importance must be 0 to 1, got %v", v)
	}
	return nil
}

// CheckID refuses what is not a memory's id.
func CheckID(id string) error {
	if !ValidID(id) {
		return Errorf(Invalid, "copy it from a store's or recall's answer", "%q is not a memory's id (a UUID in lower case)", clip(id))
	}
	return nil
}

// CleanTags returns tags in lower case, sorted, without repeats and blanks.
func CleanTags(tags []string) ([]string, error) {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		t = strings.ToLower(strings.TrimSpace(t))
		if t == "" {
			continue
		}
		if len(t) > MaxTagBytes {
			return nil, Errorf(Invalid, "a tag is one or two words", "a tag has %d bytes, the limit is %d", len(t), MaxTagBytes)
		}
		if err := CheckName("tag", t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > MaxTags {
		return nil, Errorf(Invalid, "keep the ones you would search for", "%d tags given, the limit is %d", len(out), MaxTags)
	}
	return out, nil
}

func unknown(what, got string, known []string) error {
	return Errorf(Invalid, fmt.Sprintf("use one of %s", strings.Join(known, ", ")), "there is no %s %q", what, clip(got))
}

// clip shortens what a user typed for an error message.
func clip(s string) string { return Clip(s, MaxRepeated) }

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
