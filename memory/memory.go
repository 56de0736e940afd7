package memory

import (
	"slices"
	"time"
)

// Global is the project whose memories hold everywhere: a recall in any
// project sees them too.
const Global = "_global"

// The collections. Each is one Qdrant collection and one value of the
// ledger's collection column.
const (
	Memories     = "claude_memories"   // what is worth keeping; the default
	ShortTerm    = "short_term_memory" // extracted by hooks, kept if it earns its place
	Working      = "working_memory"    // one session's scratch
	Learnings    = "learnings"
	Procedures   = "procedures"
	Trajectories = "trajectories"
	Episodes     = "episodes"
)

// Collections lists all collections in the order they are shown.
func Collections() []string {
	return []string{Memories, ShortTerm, Working, Learnings, Procedures, Trajectories, Episodes}
}

// KnownCollection reports whether name is one of [Collections].
func KnownCollection(name string) bool { return slices.Contains(Collections(), name) }

// The types: what kind of statement a memory is.
const (
	TypeFact       = "fact" // the default
	TypePreference = "preference"
	TypeDecision   = "decision"
	TypeLearning   = "learning"
	TypeProcedure  = "procedure"
	TypeTrajectory = "trajectory"
	TypeEpisode    = "episode"
	TypeError      = "error" // an error and, if known, what fixed it
	TypeNote       = "note"
)

// Types lists all types in the order they are shown.
func Types() []string {
	return []string{
		TypeFact, TypePreference, TypeDecision, TypeLearning, TypeProcedure,
		TypeTrajectory, TypeEpisode, TypeError, TypeNote,
	}
}

// KnownType reports whether name is one of [Types].
func KnownType(name string) bool { return slices.Contains(Types(), name) }

// CollectionOf returns the collection in which memories of a type live for
// good: the type's own collection, or [Memories] for a type without one.
func CollectionOf(typ string) string {
	switch typ {
	case TypeLearning:
		return Learnings
	case TypeProcedure:
		return Procedures
	case TypeTrajectory:
		return Trajectories
	case TypeEpisode:
		return Episodes
	default:
		return Memories
	}
}

// Lifetime returns how long a memory of a collection lives unless it earns a
// better place. Zero means for good. In [ShortTerm] it is the least: see
// [StoreInput.Memory].
func Lifetime(collection string) time.Duration {
	switch collection {
	case Working:
		return 24 * time.Hour
	case ShortTerm:
		return 14 * 24 * time.Hour
	default:
		return 0
	}
}

// State is where a memory is in its life. Only live memories are in the index.
type State string

// The states of a memory.
const (
	Live      State = "live"
	Merged    State = "merged" // its content lives on in MergedInto
	Pruned    State = "pruned"
	Forgotten State = "forgotten"
	Expired   State = "expired"
)

// The sources: through which door a memory came.
const (
	SourceTool     = "tool"
	SourceHook     = "hook"
	SourceCLI      = "cli"
	SourceImport   = "import"
	SourceOrganize = "organize"
	SourceAPI      = "api"
)

// SourceConsole names the console in the audit: memories are changed in it, and none come from it.
const SourceConsole = "console"

// Sources lists the ways by which a memory can come.
func Sources() []string {
	return []string{SourceTool, SourceHook, SourceCLI, SourceImport, SourceOrganize, SourceAPI}
}

// Memory is one complete fact and all that is known about it.
type Memory struct {
	ID           string     `json:"id"` // UUID; see [NewID]
	Collection   string     `json:"collection"`
	Project      string     `json:"project"`
	Type         string     `json:"type"`
	Tags         []string   `json:"tags"` // lower case, sorted, no repeats
	Text         string     `json:"text"` // redacted, valid UTF-8
	Confidence   float64    `json:"confidence"`
	Importance   float64    `json:"importance"` // 0 to 1, given by whoever stored it; 0.5 by default
	Pinned       bool       `json:"pinned"`     // never pruned, expired or merged away
	AccessCount  int        `json:"access_count"`
	CreatedAt    time.Time  `json:"created_at"`
	LastAccessed time.Time  `json:"last_accessed"`          // last recalled or confirmed; CreatedAt at first
	ArrivedAt    time.Time  `json:"arrived_at,omitzero"`    // when the ledger took it in; an import's CreatedAt may be years earlier
	AnnouncedAt  *time.Time `json:"announced_at,omitempty"` // when it was named as nearly pruned; see [Memory.Announced]
	ExpiresAt    *time.Time `json:"expires_at,omitempty"`
	Source       string     `json:"source"`
	SourceRef    string     `json:"source_ref,omitempty"` // where an import found it; see [StoreInput.SourceRef]
	Session      string     `json:"session,omitempty"`    // the sitting it was said in
	Position     int        `json:"position,omitempty"`   // its place in Session, from 1; 0 if it has none
	ContentHash  string     `json:"content_hash"`         // see [ContentHash]
	Model        string     `json:"model"`                // embedding model of the vector
	State        State      `json:"state"`
	MergedInto   string     `json:"merged_into,omitempty"` // survivor's id when State is Merged
}

// Record is a memory with its vector, as the ledger and the index keep it.
type Record struct {
	Memory
	Vector Vector `json:"vector"`
	// Exported is set of a record that an export brought; the ledger keeps parts of it.
	Exported *Exported `json:"-"`
}

// Link says how one memory stands to another.
type Link struct {
	ID        string    `json:"id"`
	SourceID  string    `json:"source_id"`
	TargetID  string    `json:"target_id"`
	Type      string    `json:"link_type"`
	CreatedAt time.Time `json:"created_at"`
}

// The link types.
const (
	LinkBuildsOn    = "builds_on"
	LinkContradicts = "contradicts"
	LinkClarifies   = "clarifies"
)

// LinkTypes lists all link types.
func LinkTypes() []string { return []string{LinkBuildsOn, LinkContradicts, LinkClarifies} }

// Clean returns the link with its id filled in, or an [Invalid] error.
func (l Link) Clean() (Link, error) {
	for _, id := range []string{l.SourceID, l.TargetID} {
		if err := CheckRef(id); err != nil {
			return l, err
		}
	}
	if l.SourceID == l.TargetID {
		return l, Errorf(Invalid, "give two different memories", "a memory cannot be linked to itself")
	}
	if !slices.Contains(LinkTypes(), l.Type) {
		return l, unknown("link_type", l.Type, LinkTypes())
	}
	l.ID = NewLinkID(l.SourceID, l.TargetID, l.Type)
	return l, nil
}
