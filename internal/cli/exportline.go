package cli

import (
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// exportJSON is one line of an export: all that mneme knows of a memory but its versions and its
// vector. An import reads it again.
type exportJSON struct {
	Text          string           `json:"text"`
	Type          string           `json:"type"`
	Tags          []string         `json:"tags"`
	Project       string           `json:"project"`
	Collection    string           `json:"collection"`
	Importance    float64          `json:"importance"`
	Pinned        bool             `json:"pinned,omitempty"`
	Session       string           `json:"session,omitempty"`
	Position      int              `json:"position,omitempty"`
	CreatedAt     time.Time        `json:"created_at"`
	UpdatedAt     time.Time        `json:"updated_at"`
	Source        string           `json:"source"`
	SourceRef     string           `json:"source_ref,omitempty"`
	ID            string           `json:"id"`
	Confidence    float64          `json:"confidence"`
	AccessCount   int              `json:"access_count"`
	Confirmations int              `json:"confirmations,omitempty"`
	LastAccessed  time.Time        `json:"last_accessed"`
	ArrivedAt     time.Time        `json:"arrived_at,omitzero"`
	DecayedAt     *time.Time       `json:"decayed_at,omitempty"`
	ExpiresAt     *time.Time       `json:"expires_at,omitempty"`
	ContentHash   string           `json:"content_hash"`
	Model         string           `json:"model"`
	Links         []exportLinkJSON `json:"links,omitempty"`
}

// exportLinkJSON is a link from the memory of its line to another.
type exportLinkJSON struct {
	TargetID  string     `json:"target_id"`
	Type      string     `json:"link_type"`
	CreatedAt *time.Time `json:"created_at,omitempty"`
}

func exportLine(d memory.Details) exportJSON {
	updated := d.CreatedAt
	if d.UpdatedAt != nil {
		updated = *d.UpdatedAt
	}
	out := exportJSON{
		Text: d.Text, Type: d.Type, Tags: list(d.Tags), Project: d.Project, Collection: d.Collection,
		Importance: d.Importance, Pinned: d.Pinned, Session: d.Session, Position: d.Position,
		CreatedAt: d.CreatedAt, UpdatedAt: updated, Source: d.Source, SourceRef: d.SourceRef, ID: d.ID,
		Confidence: d.Confidence, AccessCount: d.AccessCount, Confirmations: d.Confirmations,
		LastAccessed: d.LastAccessed, ArrivedAt: d.ArrivedAt, DecayedAt: d.DecayedAt, ExpiresAt: d.ExpiresAt,
		ContentHash: d.ContentHash, Model: d.Model,
	}
	for _, link := range d.Links {
		if link.SourceID == d.ID {
			out.Links = append(out.Links, exportLinkJSON{link.TargetID, link.Type, &link.CreatedAt})
		}
	}
	return out
}
