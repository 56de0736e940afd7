package durability

import (
	"context"
	"fmt"
	"testing"

	"github.com/mneme-memory/mneme/memory"
)

// undone is how many memories the test forgets and takes back: more than two
// pages of an undo.
const undone = 450

// importedAtOnce divides it.
const importedAtOnce = 90

// TestKillWhileUndoing kills the worker at messages of an undo of hundreds of
// memories. Whoever goes on for it brings the rest back, each once, and the
// report is as if nobody had been killed.
func TestKillWhileUndoing(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{
		lanes: 2, every: 400, // each statement is a message: some 1,500 in all
		prepare: func(l *lane, project string) {
			items := make([]memory.StoreInput, undone)
			for i := range items {
				items[i] = memory.StoreInput{Text: fmt.Sprintf("Machine %d of the farm stands in rack %d.", i, i*7), Project: project}
			}
			for n := 0; n*importedAtOnce < undone; n++ {
				batch := memory.ImportBatch{Number: n, Items: items[n*importedAtOnce : (n+1)*importedAtOnce]}
				eventually(l, func(ctx context.Context) string {
					if _, err := l.client.ImportBatch(ctx, project, batch); err != nil {
						return fmt.Sprintf("%s: import: %v", project, err)
					}
					return ""
				})
			}
			eventually(l, func(ctx context.Context) string {
				_, err := l.client.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{Project: project}})
				// On a busy machine it may be made later: then nothing is left for the next call.
				if n := l.eyes.count(l, `select count(*) from memories where project = $1 and state = 'forgotten'`, project); n != undone {
					return fmt.Sprintf("%s: forgot %d, %v", project, n, err)
				}
				return ""
			})
		},
		call: func(l *lane, project string) {
			ctx, cancel := context.WithTimeout(l.Context(), patience)
			defer cancel()
			var changes []memory.Change
			eventually(l, func(ctx context.Context) string { // a question whose worker was killed is asked again
				var err error
				changes, err = l.client.Changes(ctx, 50)
				return nilOr(err)
			})
			l.checkUndo(ctx, project, forgetOf(changes, project))
		},
	}, shared(t))
}

func nilOr(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// forgetOf finds the forget of a project.
func forgetOf(changes []memory.Change, project string) memory.Change {
	for _, c := range changes {
		if c.Action == memory.ActionForget && c.Project == project {
			return c
		}
	}
	return memory.Change{}
}

// checkUndo takes a forget back and looks whether everything is there, once.
func (l *lane) checkUndo(ctx context.Context, project string, forget memory.Change) {
	r, err := l.client.Undo(ctx, memory.UndoInput{Of: forget.Chain}, nil)
	if err != nil || r.Restored != undone || !r.Verified || r.LeftCount != 0 || r.Was != r.Is {
		l.Errorf("%s: undo of %+v: told %+v, %v; want %d back, and compared", project, forget, r, err, undone)
	}
	for what, check := range map[string]struct {
		sql  string
		want int
	}{
		"live and indexed": {`select count(*) from memories where project = $1 and state = 'live' and not dirty and text <> ''`, undone},
		"undone once":      {`select count(*) from memory_versions v join memories m on m.id = v.memory_id where m.project = $1 and v.action = 'undo'`, undone},
		"pages":            {`select count(*) from memory_audit where project = $1 and action = 'undo'`, 3},
	} {
		if n := l.eyes.count(l, check.sql, project); n != check.want {
			l.Errorf("%s: %d rows are %s, want %d", project, n, what, check.want)
		}
	}
	ids := make([]string, undone)
	for i := range ids {
		in := memory.StoreInput{Text: fmt.Sprintf("Machine %d of the farm stands in rack %d.", i, i*7), Project: project, Collection: collection()}
		ids[i] = in.ID()
	}
	l.eyes.checkIndexed(l, ids...)
}
