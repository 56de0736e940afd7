package memory

import "strings"

// UpdateInput edits one memory. Nil fields stay unchanged. The memory keeps its
// id and project whatever changes: an id says where a text began, and the
// content hash what it is now. Only Keep moves it to another collection, where
// it goes into the memory that holds the same text, if there is one.
type UpdateInput struct {
	ID         string    `json:"id"`
	Text       *string   `json:"text,omitempty"` // embedded anew
	Type       *string   `json:"type,omitempty"`
	Tags       *[]string `json:"tags,omitempty"` // in place of all tags
	Importance *float64  `json:"importance,omitempty"`
	Pinned     *bool     `json:"pinned,omitempty"`
	Keep       bool      `json:"keep,omitempty"`   // for good: move it to where its type belongs, if it would expire
	Source     string    `json:"source,omitempty"` // through which door; for the audit
	User       string    `json:"user,omitempty"`
}

// Clean returns the input in its normal form, or an [Invalid] error that says
// what to change. An edit that names nothing to change is refused.
func (in UpdateInput) Clean() (UpdateInput, error) {
	if err := CheckRef(in.ID); err != nil {
		return in, err
	}
	if in.Text == nil && in.Type == nil && in.Tags == nil && in.Importance == nil && in.Pinned == nil && !in.Keep {
		return in, Errorf(Invalid, "give a text, type, tags, importance, pinned or keep", "nothing was said to change in memory %s", in.ID)
	}
	if in.Text != nil {
		if err := CheckText(*in.Text, MaxTextBytes); err != nil {
			return in, err
		}
		text := strings.TrimSpace(*in.Text)
		in.Text = &text
	}
	if in.Type != nil && !KnownType(*in.Type) {
		return in, unknown("type", *in.Type, Types())
	}
	if in.Tags != nil {
		tags, err := CleanTags(*in.Tags)
		if err != nil {
			return in, err
		}
		in.Tags = &tags
	}
	if in.Importance != nil {
		if err := checkImportance(*in.Importance); err != nil {
			return in, err
		}
	}
	return in, checkNames(map[string]string{"source": in.Source, "user": in.User})
}

// Apply returns m as a cleaned input edits it.
func (in UpdateInput) Apply(m Memory) Memory {
	if in.Text != nil {
		m.Text, m.ContentHash = *in.Text, ContentHash(*in.Text)
	}
	if in.Type != nil {
		m.Type = *in.Type
	}
	if in.Tags != nil {
		m.Tags = *in.Tags
	}
	if in.Importance != nil {
		m.Importance = *in.Importance
	}
	if in.Pinned != nil {
		m.Pinned = *in.Pinned
	}
	return m
}

// Holds reports whether a text says all that another one says, sentence by
// sentence: what was merged into a memory is held by it until it is edited.
func Holds(text, other string) bool {
	return SameFact(text, other) || MergeTexts(text, other) == strings.TrimSpace(text)
}
