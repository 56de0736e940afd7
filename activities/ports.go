package activities

import (
	"context"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Embedder turns texts into vectors, all of one dimension and in order.
type Embedder interface {
	Embed(ctx context.Context, purpose memory.Purpose, texts []string) ([]memory.Vector, error)
	// Model returns the name under which the vectors are kept.
	Model() string
}

// Index finds memories by vector and keyword. All writes are durable when
// they return, and may be repeated. A call to a collection that is not there
// fails with [memory.ErrNoCollection].
type Index interface {
	// EnsureCollections creates what is missing and refuses vectors of another dimension ([memory.Refused]).
	EnsureCollections(ctx context.Context, dimension int) error
	// Fit creates a collection that is missing, and makes one of another dimension or shape anew,
	// empty; a collection that fits is left alone.
	Fit(ctx context.Context, collection string, dimension int) error
	Upsert(ctx context.Context, records []memory.Record) error
	Delete(ctx context.Context, collection string, ids []string) error
	// Alike returns the live memories of projects and collections that may say what a record says: for each
	// collection the nearest by vector, and those with most of its words, at most limit of either.
	Alike(ctx context.Context, like memory.Record, projects, collections []string, limit int) ([]memory.Match, error)
	// NearEach returns, for each of many, the nearest live memories of its project, collection and type
	// (without one: of any type) whose cosine is above the bar; the answers are in the order of the question.
	NearEach(ctx context.Context, like []memory.Record, above float64, limit int) ([][]memory.Match, error)
	// Search finds nothing where no collection is there. Where some are missing, what the others
	// hold comes with a memory.ErrNoCollection.
	Search(ctx context.Context, s memory.Search) ([]memory.Candidate, error)
	// Pinned returns what is pinned or weighty (see memory.WeightyTypes) of the projects,
	// collections, types and tags of a search: what is pinned first, then the most important, at
	// most s.Limit. The search's text and vector do not matter.
	Pinned(ctx context.Context, s memory.Search) ([]memory.Memory, error)
	// Missing returns those of ids that a collection does not hold.
	Missing(ctx context.Context, collection string, ids []string) ([]string, error)
	// Counts returns how many points each collection holds, exactly or roughly, which is quicker.
	// A missing collection is left out.
	Counts(ctx context.Context, exact bool) (map[string]int, error)
	// Compare looks the points of records up in a collection, and tells what is not as Upsert would
	// write it: other payloads, keywords, or vectors of another direction.
	Compare(ctx context.Context, collection string, records []memory.Record) (memory.Difference, error)
	// IDs returns the ids of a collection's points after one, at most limit, in the order of ids.
	IDs(ctx context.Context, collection, after string, limit int) ([]string, error)
	// RebuildGraphs makes the server build its HNSW graphs anew and waits for it; false where there are none.
	RebuildGraphs(ctx context.Context, collection string) (bool, error)
	// MakeLike makes the collections that this generation lacks, for vectors of a dimension, with the
	// settings that an administrator gave those of the active generation.
	MakeLike(ctx context.Context, active string, dimension int) error
	// Drop deletes all collections of this generation. Names that an administrator gave them lead to
	// those of heir then.
	Drop(ctx context.Context, heir string) error
	Version(ctx context.Context) (string, error)
	Passages
}

// Ledger keeps the memories and every change of them. Each method with an Op
// applies it once: repeating it changes nothing and returns the same.
type Ledger interface {
	Storer
	Reviser
	Reader
	Indexer
	Forgetter
	Purger
	Sweeper
	Organizer
	Rehearser
	Planner
	Questioner
	Undoer
	Archive
	Reembedder
}

// Storer adds to the ledger.
type Storer interface {
	// Store adds one memory, or confirms the one that holds the same fact already:
	// the same normalised text, or one of those that near finds for which memory.SameFact holds, in any
	// collection of its project and of memory.Global. What else near finds is named if it is much like it.
	Store(ctx context.Context, op memory.Op, rec memory.Record, links []memory.LinkRequest, near memory.Near) (memory.StoreResult, error)
	// Import adds many; exact repeats are counted as existing. One audit row a memory. A record takes the
	// place of the live memory of its project with its SourceRef. Was names, by the id of a record, the
	// SourceRef that its text had before.
	Import(ctx context.Context, op memory.Op, recs []memory.Record, was map[string]string) (memory.Imported, error)
	// ImportLinks adds the links of an export between live memories; links that exist already are counted.
	ImportLinks(ctx context.Context, op memory.Op, links []memory.ExportedLink) (memory.ImportedLinks, error)
	// Link joins two live memories; an existing link is returned as it is.
	Link(ctx context.Context, op memory.Op, link memory.Link) (memory.Link, error)
	// Recalled counts an answered recall: access, last_accessed, confidence, one audit row.
	// Hits may be empty: a miss is audited too.
	Recalled(ctx context.Context, op memory.Op, r memory.Recalled) error
	// UseModel records the embedding model at the first store, and afterwards refuses another ([memory.Refused]).
	UseModel(ctx context.Context, model string, dimension int) error
	// ReplaceModel records another model; only a rebuild, which embeds everything anew, may do so.
	ReplaceModel(ctx context.Context, op memory.Op, model string, dimension int) error
	// Reembedded replaces vectors and model of memories.
	Reembedded(ctx context.Context, op memory.Op, recs []memory.Record) error
	// Note writes an audit row that changes no memory.
	Note(ctx context.Context, op memory.Op, project, collection string, details map[string]any) error
}

// Reviser changes what is remembered already.
type Reviser interface {
	// Confirm finds the memory that Store would confirm or merge rec into, and gives it a step of
	// confidence. It stores nothing; without such a memory nothing is written.
	Confirm(ctx context.Context, op memory.Op, rec memory.Record, near memory.Near) (memory.DuplicateResult, error)
	// Credit applies memory.Credit to live memories and returns the ids of those that changed.
	// A merged id stands for its survivor; unknown ids are left out.
	Credit(ctx context.Context, op memory.Op, in memory.CreditInput) ([]string, error)
	// Update edits a live memory; vector and model belong to the new text, if the edit has one. A text
	// that another live memory of the place holds is refused with its id ([memory.Conflict]).
	Update(ctx context.Context, op memory.Op, in memory.UpdateInput, vector memory.Vector, model string) (memory.Memory, error)
	// Fold merges all of ids or refuses and changes nothing.
	Fold(ctx context.Context, op memory.Op, ids []string) (memory.MergedGroup, error)
	// Record writes one audit row an event and returns how many are new. An event's id is written once,
	// whichever workflow brings it.
	Record(ctx context.Context, workflowID string, events []memory.Event) (int, error)
}

// Reader asks the ledger.
type Reader interface {
	// Get returns memories with their links in the order asked; missing ones are left out. A merged id returns its row as it is.
	Get(ctx context.Context, ids []string) ([]memory.Details, error)
	// Survivors follows merges: for each of ids that was merged away, the id at the end of the way.
	Survivors(ctx context.Context, ids []string) (map[string]string, error)
	// Resolve finds the memories, of whatever state, that references may mean; see memory.CheckRef.
	Resolve(ctx context.Context, refs []string) ([]memory.Candidates, error)
	// Beside tells two things of ids: which are gone (see Gone), and the links between live memories at
	// one end of which is one of them, oldest first.
	Beside(ctx context.Context, ids []string) (gone []string, links []memory.Link, err error)
	Records(ctx context.Context, page memory.Page) ([]memory.Record, error)
	// SearchPast finds candidates among what was remembered at a time, as it was then. Only vectors of the
	// model are compared. What is forgotten by now is not found.
	SearchPast(ctx context.Context, at time.Time, model string, s memory.Search) ([]memory.Candidate, error)
	Related(ctx context.Context, id string, depth, limit int) ([]memory.Related, error)
	History(ctx context.Context, id string) (memory.History, error)
	Stats(ctx context.Context) (memory.Stats, error)
	// Census counts live memories by type, collection, project, tag and month.
	Census(ctx context.Context, in memory.CensusInput) (memory.Census, error)
	Version(ctx context.Context) (string, error)
}

// Indexer keeps track of what the index has yet to learn.
type Indexer interface {
	// SyncIndex locks the rows of those ids that are not in step with the index, hands them
	// to apply, and marks them as in step when it succeeds.
	SyncIndex(ctx context.Context, ids []string, apply func(ctx context.Context, changes []memory.IndexChange) error) error
	// Unindexed returns ids that are not in step, oldest change first.
	Unindexed(ctx context.Context, limit int) ([]string, error)
	// Unfindable counts the live memories that have no point: those that are not written yet, up to
	// limit, and those that NoteLost was told of last.
	Unfindable(ctx context.Context, limit int) (unwritten, lost int, err error)
	// NoteLost keeps how many memories of collections the index has lost, for all who answer.
	NoteLost(ctx context.Context, lost map[string]int) error
	// Expected counts for each collection the points that there should be.
	Expected(ctx context.Context) (map[string]memory.Expected, error)
	// Settled locks the rows of those of ids that are live and in step with the index, so that
	// nobody changes their points meanwhile, and hands them to look, which must not call the ledger.
	Settled(ctx context.Context, ids []string, look func(ctx context.Context, records []memory.Record) error) error
	// Strangers returns those of ids that should have no point in a collection: no live memory of it
	// has this id, and none whose change is still on its way.
	Strangers(ctx context.Context, collection string, ids []string) ([]string, error)
	// Gone returns those of ids that are there and not live: forgotten, merged away, expired or pruned.
	Gone(ctx context.Context, ids []string) ([]string, error)
}

// Forgetter takes from the ledger.
type Forgetter interface {
	// Select returns ids of live memories that a filter selects, in the order of ids, after one.
	Select(ctx context.Context, filter memory.Filter, after string, limit int) ([]string, error)
	// Forget blanks text and vector, drops links, and with purge blanks the versions too.
	// It returns how many links went. The texts are kept in the versions unless purged.
	Forget(ctx context.Context, op memory.Op, ids []string, purge bool) (links int, err error)
}

// Organizer tidies the ledger up. Of the memories that a query finds, the rules
// of package memory decide which a step changes.
type Organizer interface {
	Expire(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error)
	Promote(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error)
	Decay(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error)
	// Prune leaves out the projects of Scope.Held.
	Prune(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error)
	// Announce notes that memories were named as nearly pruned.
	Announce(ctx context.Context, op memory.Op, scope memory.Scope) (memory.Tidied, error)
	// Hold notes, and returns, the projects of which Prune would take too much; none with yes.
	Hold(ctx context.Context, op memory.Op, scope memory.Scope, yes bool) ([]memory.HeldPrune, error)
	// Merge folds memories into the survivor with memory.MergeGroup, moves links, and returns the survivor.
	// It refuses to touch what is no longer live, and returns fewer merged ids then.
	Merge(ctx context.Context, op memory.Op, ids []string, scope memory.Scope) (memory.MergedGroup, error)
	// KeepGroups keeps what was found to say the same, for MergeGroups. It returns what is kept:
	// that of an earlier try if there was one.
	KeepGroups(ctx context.Context, op memory.Op, scope memory.Scope, found memory.Groups) (memory.FoundGroups, error)
	// MergeGroups is Merge, with memory.MergeFacts, for some of the groups that the step found of a workflow kept, from a place on. Each
	// merge has an audit row. Left out are groups of which nothing could be merged.
	MergeGroups(ctx context.Context, op memory.Op, found string, scope memory.Scope, from int) ([]memory.MergedGroup, error)
	// Held returns the projects whose pruning waits for a yes, in order.
	Held(ctx context.Context) ([]memory.HeldPrune, error)
}

// Rehearser tells what a dry run must know.
type Rehearser interface {
	// Standings returns the live memories of a project ("" for all) in the order of their ids.
	Standings(ctx context.Context, project string) ([]memory.Standing, error)
	// Members returns live memories with their vectors, by id.
	Members(ctx context.Context, ids []string) (map[string]memory.Record, error)
	// Ignored counts how often memories were shown since a time each and not used; those never shown are left out.
	Ignored(ctx context.Context, since map[string]time.Time) (map[string]int, error)
}
