package purge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Search looks for the texts of a receipt everywhere, and returns what it found. Backups that may hold
// them are named. With finish it also writes that into the receipt.
func (k *Keeper) Search(
	ctx context.Context, path string, finish bool, backups []memory.BackupPlace,
	each func(context.Context, func(memory.LedgerText)) error, progress func(),
) (memory.PurgeReport, error) {
	r, err := load(k.Home, path)
	if err != nil {
		return memory.PurgeReport{}, err
	}
	report := r.Report
	done := report.At // of the purge: what was backed up later does not hold the texts
	if finish || done.IsZero() {
		done = time.Now()
	}
	report.Receipt, report.At, report.Stage = path, time.Now().UTC(), ""
	report.Places, report.Found, report.More = []memory.Searched{}, []memory.Trace{}, 0
	report.Unreached = slices.Concat(r.Unreached, k.Unreached, backupsOf(backups, done))
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
				Hint: hintOf(t, report.Receipt),
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

// hintOf says what to do about a text of the ledger.
func hintOf(t memory.LedgerText, receipt string) string {
	switch t.Place {
	case memory.PlaceConversation:
		return again(receipt) + "; or all of the conversation: mneme conversations forget --session " + t.ID
	case memory.PlaceQuestion, memory.PlaceAudit:
		return again(receipt)
	default:
		return "if it is to go too: mneme forget --purge " + t.ID
	}
}
