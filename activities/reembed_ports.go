package activities

import (
	"context"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// Reembedder is the ledger's part of a change of the embedding model.
type Reembedder interface {
	// Generations tells which generation of the index is in force, and of the one beside it.
	Generations(ctx context.Context) (memory.Generations, error)
	// BeginGeneration has changes written to another generation from now on, whose vectors are those of a
	// model. An unfinished generation of the same model is continued; a generation of another model is a conflict.
	BeginGeneration(ctx context.Context, op memory.Op, model string, dimension int) (memory.Generations, error)
	// LackVectors returns some of the live memories that the generation beside lacks, with id, text and the
	// vector of its model if there is one, and how many those are in all.
	LackVectors(ctx context.Context, limit int) (records []memory.Record, left int, err error)
	// WriteBeside keeps vectors for the generation of a name. It locks the memories that still have the text
	// of their record and are in step, and has them written; write must not call the ledger.
	WriteBeside(ctx context.Context, name string, records []memory.Record, write func(ctx context.Context, records []memory.Record) error) error
	// BesideRecords returns records as the generation beside should hold them. Those of which it has no vector
	// yet have none.
	BesideRecords(ctx context.Context, records []memory.Record) ([]memory.Record, error)
	// SettledBeside is Settled for the generation beside.
	SettledBeside(ctx context.Context, ids []string, look func(ctx context.Context, records []memory.Record) error) error
	// FlipGenerations brings the generation of a name into force in one transaction, unless it lacks something.
	FlipGenerations(ctx context.Context, op memory.Op, to string) (memory.Generations, bool, error)
	// DropGeneration ends the writing to the generation beside and forgets its vectors; with gone it forgets
	// the generation, whose collections are deleted by then.
	DropGeneration(ctx context.Context, op memory.Op, gone bool) (memory.Generations, error)
	// ArchiveLackBeside returns indexed parts of messages that the generation beside lacks.
	ArchiveLackBeside(ctx context.Context, limit, maxBytes int) ([]conversation.Kept, error)
	// ArchiveWriteBeside locks the parts that are still as they were read and has their points written.
	ArchiveWriteBeside(ctx context.Context, name string, kept []conversation.Kept, write func(ctx context.Context, still []bool) error) error
}
