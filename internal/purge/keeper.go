package purge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// Run is one run of a workflow, whose history Temporal keeps.
type Run struct {
	WorkflowID string
	RunID      string
	Open       bool // it is still running
}

// Histories are what Temporal keeps of a ledger's workflows.
type Histories interface {
	// Runs hands over every run that Temporal knows.
	Runs(ctx context.Context, each func(Run) error) error
	// Read hands the decrypted events of a run to look. It calls look for no event, and returns no
	// error, if Temporal has deleted the run.
	Read(ctx context.Context, run Run, look func(event []byte)) error
	// Delete deletes a run that has ended, and returns when it is gone.
	Delete(ctx context.Context, run Run) error
}

// Keeper keeps the receipts of a home, takes texts from its files and from Temporal, and looks
// for them. All fields but Unreached are required.
type Keeper struct {
	Home      string
	Histories Histories
	// Unreached lists the places that this mneme has no way to search, such as the files of a server
	// that somebody else runs.
	Unreached []memory.Unreached
	// OwnPostgres says that PostgreSQL is the embedded one.
	OwnPostgres bool
	// CompactIndex has the embedded index write its log anew, without what was deleted; nil if the
	// index is another one.
	CompactIndex func(ctx context.Context) error
}

// path returns where the receipt of a workflow is.
func (k *Keeper) path(workflowID string) string {
	return filepath.Join(Dir(k.Home), fileName(workflowID))
}

// Note adds a page of texts to the receipt of a workflow, once, before they are taken away.
func (k *Keeper) Note(workflowID, user string, page int, ids []string, texts []memory.PurgedText) (string, error) {
	path := k.path(workflowID)
	r, err := load(k.Home, path)
	if memory.CodeOf(err) == memory.NotFound {
		r = receipt{
			Version: version, Name: fileName(workflowID), WorkflowID: workflowID,
			User: user, Begun: time.Now().UTC(), Hashes: []string{},
		}
		r.Report.Receipt = path
		r.content.Secret = newSecret()
		err = nil
	}
	if err != nil {
		return "", err
	}
	r.note(page, ids, texts)
	return path, r.save(k.Home)
}

// conversation is what the ledger calls a part of the archive of conversations.
const conversation = "conversation"

// Mark finds out which words of the texts memories have that stay: finding those in a file says
// nothing. It is done once, when the texts are gone from the ledger.
func (k *Keeper) Mark(
	ctx context.Context, path string, each func(context.Context, func(memory.LedgerText)) error,
) error {
	r, err := load(k.Home, path)
	if err != nil {
		return err
	}
	f := newFinder(r.content.Secret, r.content.Patterns, true)
	var kept []string
	err = each(ctx, func(t memory.LedgerText) {
		if t.Place == conversation { // it was said there, and finding it elsewhere says something
			return
		}
		s := f.scan()
		_, _ = s.Write([]byte(t.Text)) // never fails
		for at := range s.found {
			r.content.Patterns[at.pattern].Windows[at.window].Kept = true
		}
		if len(s.found) > 0 && !slices.Contains(kept, t.ID) {
			kept = append(kept, t.ID)
		}
	})
	if err != nil {
		return err
	}
	r.Report.Kept, r.Report.KeptMore = kept[:min(len(kept), memory.MaxTraces)], max(0, len(kept)-memory.MaxTraces)
	return r.save(k.Home)
}

// Clean takes the texts from spool, sessions and logs. It may be repeated.
func (k *Keeper) Clean(ctx context.Context, path string) error {
	r, err := load(k.Home, path)
	if err != nil {
		return err
	}
	f := newFinder(r.content.Secret, r.content.Patterns, false)
	some := func(data []byte) bool { return len(f.in(data)) > 0 }
	// A request that has only some of the words says something else too.
	whole := func(data []byte) bool {
		return slices.ContainsFunc(f.in(data), func(m match) bool { return m.whole })
	}
	spooled, err := spool.Open(k.Home, nil).Purge(ctx, whole)
	r.Report.Spooled += spooled
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, id := range r.content.IDs {
		ids[id] = true
	}
	sessions, err := session.Open(k.Home).Purge(ctx, ids, func(text string) bool { return some([]byte(text)) })
	r.Report.Sessions += sessions
	if err != nil {
		return err
	}
	if err := k.cleanFiles(&r, some); err != nil {
		return err
	}
	return r.save(k.Home)
}

func (k *Keeper) cleanFiles(r *receipt, some func([]byte) bool) error {
	files, err := logs(k.Home)
	if err != nil {
		return fmt.Errorf("list logs: %w", err)
	}
	for _, file := range files {
		n, err := blankLines(file, some)
		r.Report.LogLines += n
		if err != nil {
			return err
		}
	}
	files, err = torn(k.Home)
	if err != nil {
		return fmt.Errorf("list what crashes left: %w", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read what a crash left: %w", err)
		}
		if !some(data) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("delete what a crash left: %w", err)
		}
		r.Report.Files++
	}
	return nil
}

// Forget deletes the histories of ended runs that hold some of the texts. It
// returns how many it deleted, and the runs that hold some and still run.
func (k *Keeper) Forget(ctx context.Context, path string, progress func()) (deleted int, open []string, err error) {
	r, err := load(k.Home, path)
	if err != nil {
		return 0, nil, err
	}
	_, hits, err := k.searchHistories(ctx, &r, progress)
	if err != nil {
		return 0, nil, err
	}
	for _, h := range hits {
		progress()
		if h.run.Open {
			open = append(open, h.run.WorkflowID)
			continue
		}
		err := k.Histories.Delete(ctx, h.run)
		if memory.CodeOf(err) == memory.Refused {
			continue // the search finds it, and says so
		}
		if err != nil {
			return deleted, open, err
		}
		deleted++
	}
	r.Report.Histories += deleted
	return deleted, open, r.save(k.Home)
}

// Compact writes the files of ledger and index anew.
func (k *Keeper) Compact(
	ctx context.Context, path string,
	rewrite func(ctx context.Context, own bool) ([]memory.Unreached, error),
) error {
	unreached, err := rewrite(ctx, k.OwnPostgres)
	if err != nil {
		return err
	}
	if len(unreached) > 0 {
		r, err := load(k.Home, path)
		if err != nil {
			return err
		}
		r.Unreached = unreached
		if err := r.save(k.Home); err != nil {
			return err
		}
	}
	if k.CompactIndex == nil {
		return nil
	}
	return k.CompactIndex(ctx)
}

// hit is a run whose history holds some of the texts.
type hit struct {
	run     Run
	matches []match
}

func (k *Keeper) searchHistories(ctx context.Context, r *receipt, progress func()) (memory.Searched, []hit, error) {
	f := newFinder(r.content.Secret, r.content.Patterns, false)
	out := memory.Searched{Place: "Temporal", What: "histories"}
	var hits []hit
	err := k.Histories.Runs(ctx, func(run Run) error {
		progress()
		s := f.scan()
		err := k.Histories.Read(ctx, run, func(event []byte) {
			out.Bytes += int64(len(event))
			_, _ = s.Write(event)     // never fails
			_, _ = s.Write([]byte{0}) // no text goes on in the next event
		})
		if err != nil {
			return err
		}
		out.Count++
		if len(s.found) > 0 {
			hits = append(hits, hit{run, s.matches()})
		}
		return nil
	})
	return out, hits, err
}

// Search looks for the texts of a receipt everywhere, and returns what it found. With finish it
// also writes that into the receipt.
func (k *Keeper) Search(
	ctx context.Context, path string, finish bool,
	each func(context.Context, func(memory.LedgerText)) error, progress func(),
) (memory.PurgeReport, error) {
	r, err := load(k.Home, path)
	if err != nil {
		return memory.PurgeReport{}, err
	}
	report := r.Report
	report.Receipt, report.At, report.Stage = path, time.Now().UTC(), ""
	report.Places, report.Found, report.More = []memory.Searched{}, []memory.Trace{}, 0
	report.Unreached = slices.Concat(r.Unreached, k.Unreached)
	if err := k.searchLedger(ctx, &r, &report, each); err != nil {
		return report, err
	}
	if err := k.searchTemporal(ctx, &r, &report, progress); err != nil {
		return report, err
	}
	f := newFinder(r.content.Secret, r.content.Patterns, false)
	searched, unreached, err := searchFiles(ctx, f, k.Home, progress, func(file string, found []match) {
		for _, m := range found {
			report.AddFound(memory.Trace{
				Place: file, ID: r.content.Patterns[m.pattern].ID,
				Whole: m.whole, Hint: k.hint(file, report.Receipt),
			})
		}
	})
	if err != nil {
		return report, fmt.Errorf("search the files of the home: %w", err)
	}
	report.Places = append(report.Places, searched)
	report.Unreached = append(report.Unreached, unreached...)
	if !finish {
		return report, nil
	}
	r.Report = report
	return report, r.save(k.Home)
}

// searchLedger reads every text, which PostgreSQL may keep compressed. A whole text that a memory
// has which stays is a find; some of its words are not.
func (k *Keeper) searchLedger(
	ctx context.Context, r *receipt, report *memory.PurgeReport,
	each func(context.Context, func(memory.LedgerText)) error,
) error {
	f := newFinder(r.content.Secret, r.content.Patterns, true)
	out := memory.Searched{Place: "PostgreSQL", What: "texts"}
	err := each(ctx, func(t memory.LedgerText) {
		out.Count++
		out.Bytes += int64(len(t.Text))
		s := f.scan()
		_, _ = s.Write([]byte(t.Text)) // never fails
		if len(s.found) == 0 {
			return
		}
		for _, m := range s.matches() {
			news := false
			for i, w := range r.content.Patterns[m.pattern].Windows {
				news = news || !w.Kept && s.found[ref{m.pattern, i}]
			}
			if !m.whole && !news {
				continue
			}
			trace := memory.Trace{
				Place: fmt.Sprintf("PostgreSQL, %s %s", t.Place, t.ID),
				ID:    r.content.Patterns[m.pattern].ID, Whole: m.whole,
				Hint: "if it is to go too: mneme forget --purge " + t.ID,
			}
			if t.Place == conversation {
				trace.Hint = "the archive of conversations is forgotten by itself: mneme conversations forget --help"
			}
			report.AddFound(trace)
		}
	})
	if err != nil {
		return err
	}
	report.Places = append(report.Places, out)
	return nil
}

func (k *Keeper) searchTemporal(ctx context.Context, r *receipt, report *memory.PurgeReport, progress func()) error {
	searched, hits, err := k.searchHistories(ctx, r, progress)
	if err != nil {
		return err
	}
	report.Places = append(report.Places, searched)
	for _, h := range hits {
		for _, m := range h.matches {
			t := memory.Trace{
				Place: "Temporal, history of " + h.run.WorkflowID, ID: r.content.Patterns[m.pattern].ID, Whole: m.whole,
				Hint: again(report.Receipt) + "; where Temporal lets nobody delete, it goes when its retention is over",
			}
			if h.run.Open {
				t.Hint = "it still runs; when it has ended: " + again(report.Receipt)
			}
			report.AddFound(t)
		}
	}
	return nil
}
