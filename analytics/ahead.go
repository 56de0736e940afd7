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

// ahead reads rows in the background, so that PostgreSQL and DuckDB work at
// the same time. Its owner calls stop, which waits for the end.
type ahead struct {
	ctx    context.Context // of the reading, which is one call of its owner
	cancel context.CancelFunc
	chunks chan chunk
	now    chunk // what next takes from
}

func readAhead(ctx context.Context, rows func(context.Context) iter.Seq2[memory.AuditRow, error]) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{ctx: ctx, cancel: cancel, chunks: make(chan chunk, chunksAhead)}
	go func() {
		defer close(a.chunks)
		a.read(rows(ctx))
	}()
	return a
}

// read sends the rows chunk by chunk, the last one with the error, if any.
func (a *ahead) read(rows iter.Seq2[memory.AuditRow, error]) {
	c := chunk{rows: make([]memory.AuditRow, 0, chunkRows)}
	for row, err := range rows {
		if err != nil {
			c.err = err
			break
		}
		if c.rows = append(c.rows, row); len(c.rows) < chunkRows {
			continue
		}
		if !a.send(c) {
			return
		}
		c.rows = make([]memory.AuditRow, 0, chunkRows)
	}
	a.send(c)
}

// send reports whether somebody still wants it.
func (a *ahead) send(c chunk) bool {
	select {
	case a.chunks <- c:
		return true
	case <-a.ctx.Done():
		return false
	}
}

// next returns a row or the error that ended them, and false after the last.
func (a *ahead) next() (memory.AuditRow, error, bool) {
	for len(a.now.rows) == 0 {
		if a.now.err != nil {
			return memory.AuditRow{}, a.now.err, true
		}
		var ok bool
		if a.now, ok = <-a.chunks; !ok {
			return memory.AuditRow{}, a.ctx.Err(), a.ctx.Err() != nil
		}
	}
	row := a.now.rows[0]
	a.now.rows = a.now.rows[1:]
	return row, nil, true
}

func (a *ahead) stop() {
	a.cancel()
	for range a.chunks { // until it has ended
	}
}
