package cli

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-memory/mneme/memory"
)

// receiver takes the batches of an import, each once.
type receiver interface {
	waiter
	ImportStart(ctx context.Context, importID string) (memory.ImportProgress, error)
	ImportBatch(ctx context.Context, importID string, b memory.ImportBatch) (memory.ImportProgress, error)
	ImportFinish(ctx context.Context, importID string) (memory.ImportProgress, error)
}

// batched is what is imported, in batches that are the same each time.
type batched interface {
	batches(ctx context.Context, send func(memory.ImportBatch) error) error
}

// sender sends the batches of a file, several at once.
type sender struct {
	client   receiver
	id       string
	inFlight int
	skip     int       // batches that were done before
	done     func(int) // told of every batch's items; called by several goroutines
	skipped  func(int) // told of the items of batches that were done before
}

// all sends every batch of the file. After the first error no further one is
// sent.
func (s sender) all(ctx context.Context, file batched) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.inFlight) // so the file is read no faster than it is sent
	err := file.batches(ctx, func(b memory.ImportBatch) error {
		if b.Number < s.skip {
			s.skipped(len(b.Items))
			return nil
		}
		group.Go(func() error {
			if _, err := s.client.ImportBatch(ctx, s.id, b); err != nil {
				return err
			}
			s.done(len(b.Items))
			return nil
		})
		return ctx.Err()
	})
	if sent := group.Wait(); sent != nil {
		return sent // the cause: reading ended because of it
	}
	return err
}
