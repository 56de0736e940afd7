package analytics

import (
	"context"
	"iter"

	"github.com/mneme-memory/mneme/memory"
)

// How far the ledger is read ahead while DuckDB works: some tens of megabytes.
const (
	chunkRows   = 1000
	chunksAhead = 64
)

// chunk is some rows of the audit, or the error that ended them.
type chunk struct {
	rows []memory.AuditRow
	err  error
}

// readAhead reads rows in the background, so that PostgreSQL and DuckDB work
// at the same time. Stop ends it and waits for its end.
func readAhead(ctx context.Context, rows func(context.Context) iter.Seq2[memory.AuditRow, error]) (next func() (memory.AuditRow, error, bool), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	chunks := make(chan chunk, chunksAhead)
	go func() {
		defer close(chunks)
		send := func(c chunk) bool {
			select {
			case chunks <- c:
				return true
			case <-ctx.Done():
				return false
			}
		}
		c := chunk{rows: make([]memory.AuditRow, 0, chunkRows)}
		for row, err := range rows(ctx) {
			if err != nil {
				c.err = err
				break
			}
			if c.rows = append(c.rows, row); len(c.rows) < chunkRows {
				continue
			}
			if !send(c) {
				return
			}
			c.rows = make([]memory.AuditRow, 0, chunkRows)
		}
		send(c)
	}()
	var now chunk
	next = func() (memory.AuditRow, error, bool) {
		for len(now.rows) == 0 {
			if now.err != nil {
				return memory.AuditRow{}, now.err, true
			}
			var ok bool
			if now, ok = <-chunks; !ok {
				return memory.AuditRow{}, ctx.Err(), ctx.Err() != nil
			}
		}
		row := now.rows[0]
		now.rows = now.rows[1:]
		return row, nil, true
	}
	stop = func() {
		cancel()
		for range chunks { // until it has ended
		}
	}
	return next, stop
}
