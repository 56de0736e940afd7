package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// source is where a memory of a project came from.
type source struct{ project, ref string }

// lookAtSources reads the live memories that came from where the batch comes
// from, and which of them others were merged into.
func (b *batch) lookAtSources(ctx context.Context) error {
	b.sources, b.absorbed = map[source]row{}, map[string]bool{}
	var projects, refs []string
	for _, r := range b.recs {
		for _, ref := range []string{r.SourceRef, b.was[r.ID]} {
			if ref != "" {
				projects, refs = append(projects, r.Project), append(refs, ref)
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	found, err := selectRows(ctx, b.tx, `id in (
select m.id from unnest($1::text[], $2::text[]) as given(project, source_ref)
join memories m using (project, source_ref) where m.state = 'live' and m.source_ref <> '') order by id for update`, projects, refs)
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(found))
	for _, r := range found {
		ids = append(ids, r.ID)
		b.keep(r)
	}
	rows, err := b.tx.Query(ctx, `select distinct merged_into::text from memories where merged_into = any($1)`, ids)
	if err != nil {
		return fmt.Errorf("look for what was merged: %w", err)
	}
	merged, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for what was merged: %w", err)
	}
	for _, id := range merged {
		b.absorbed[id] = true
	}
	return nil
}

// keep notes what a row is now, for the decisions that follow.
func (b *batch) keep(r row) {
	if old, known := b.own[r.ID]; known {
		if key := (text{old.Project, old.Collection, old.ContentHash}); b.holders[key] == r.ID {
			delete(b.holders, key)
		}
		if at := (source{old.Project, old.SourceRef}); b.sources[at].ID == r.ID {
			delete(b.sources, at)
		}
	}
	b.own[r.ID] = r
	if r.State != memory.Live {
		return
	}
	b.holders[text{r.Project, r.Collection, r.ContentHash}] = r.ID
	if r.SourceRef != "" {
		b.sources[source{r.Project, r.SourceRef}] = r
	}
}

// edit changes a row in place.
func (b *batch) edit(before, after row) {
	after.dirty = true
	b.edited = append(b.edited, change{before: &before, after: after})
	b.keep(after)
}

// replace decides on a record that came from where a memory of the ledger came from. It is
// false of all others, which are decided on by their text alone; the outcome then says no
// more than which memory went for it.
func (b *batch) replace(rec memory.Record) (outcome, bool) {
	if rec.SourceRef == "" {
		return outcome{}, false
	}
	own, known := b.sources[source{rec.Project, rec.SourceRef}]
	if !known {
		return b.move(rec)
	}
	same := own.ContentHash == rec.ContentHash || b.absorbed[own.ID] && memory.Holds(own.Text, rec.Text)
	switch {
	case same && own.Collection == rec.Collection:
		return b.addTags(own, rec), true
	case own.Collection != rec.Collection:
		// The record has another type, which belongs to another collection: the old memory is
		// forgotten, and the record is stored as a new memory.
		b.edit(own, forgotten(own).after)
		return outcome{Replaced: own.ID}, false
	}
	if id, taken := b.holders[text{own.Project, own.Collection, rec.ContentHash}]; taken {
		return b.giveWay(own, b.own[id], rec), true
	}
	after := own
	after.Text, after.ContentHash, after.Vector, after.Model = rec.Text, rec.ContentHash, rec.Vector, rec.Model
	after.Tags = united(own.Tags, rec.Tags)
	after.LastAccessed = latest(own.LastAccessed, moment(b.l.now()))
	b.edit(own, after)
	return outcome{ID: own.ID, Status: imported, rec: rec, updated: true}, true
}

// move takes a memory along whose text is found in another place of its source.
func (b *batch) move(rec memory.Record) (outcome, bool) {
	own, known := b.sources[source{rec.Project, b.was[rec.ID]}]
	if !known || own.ContentHash != rec.ContentHash || own.Collection != rec.Collection {
		return outcome{}, false
	}
	after := own
	after.SourceRef, after.Tags = rec.SourceRef, united(own.Tags, rec.Tags)
	b.edit(own, after)
	return outcome{ID: own.ID, Status: imported, rec: rec, updated: true}, true
}

func (b *batch) addTags(own row, rec memory.Record) outcome {
	tags := united(own.Tags, rec.Tags)
	if len(tags) == len(own.Tags) {
		return outcome{ID: own.ID, Status: memory.MergedIn, rec: rec, existing: true}
	}
	after := own
	after.Tags = tags
	b.edit(own, after)
	return outcome{ID: own.ID, Status: imported, rec: rec, updated: true}
}

// giveWay settles that another memory holds the text that own's place has now. If that came
// from the same file, the two change places, because own's text may have moved there;
// else own goes.
func (b *batch) giveWay(own, holder row, rec memory.Record) outcome {
	if !sameFile(own.SourceRef, holder.SourceRef) {
		b.edit(own, forgotten(own).after)
		return outcome{ID: holder.ID, Status: memory.MergedIn, Replaced: own.ID, rec: rec, existing: true}
	}
	mine, other := own, holder
	mine.SourceRef, other.SourceRef = holder.SourceRef, own.SourceRef
	b.edit(own, mine)
	b.edit(holder, other)
	return outcome{ID: holder.ID, Status: imported, rec: rec, updated: true}
}

// sameFile reports whether two places are in one file.
func sameFile(a, b string) bool {
	fileA, _, _ := strings.Cut(a, "#")
	fileB, _, _ := strings.Cut(b, "#")
	return fileA != "" && fileA == fileB
}

// united adds tags to those that are there, as many as there may be.
func united(tags, more []string) []string {
	out := slices.Clone(tags)
	for _, tag := range more {
		if !slices.Contains(out, tag) && len(out) < memory.MaxTags {
			out = append(out, tag)
		}
	}
	slices.Sort(out)
	return out
}

// imported is the status that the audit keeps of a memory that was changed in place.
const imported memory.Status = "updated"
