package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// keptHere is the status that the audit keeps of a memory that stayed the version it is here.
const keptHere memory.Status = "kept"

// exported decides on a record that an export brought, by its id. It is false of one that is new,
// or gone here, or whose id a memory of another project has: these are decided on by their text.
//
// Of two versions the one whose content was changed last stays or comes. Counters and confidence of a
// memory that is here stay in any case, so that an export may be imported as often as somebody likes.
func (b *batch) exported(ctx context.Context, rec memory.Record) (outcome, bool, error) {
	own, known := b.own[rec.ID]
	if !known || own.Project != rec.Project {
		return b.exportedPlace(rec)
	}
	switch own.State {
	case memory.Live:
		return b.newer(own, rec), true, nil
	case memory.Merged:
		end, err := survivor(ctx, b.tx, own.ID)
		if err != nil || end == nil || own.ContentHash != rec.ContentHash {
			return outcome{}, false, err
		}
		return outcome{ID: end.ID, Status: memory.MergedIn, rec: rec, existing: true}, true, nil
	default:
		return outcome{}, false, nil
	}
}

// exportedPlace keeps an older export from changing a memory that came from the same place as the
// exported one, and has another id.
func (b *batch) exportedPlace(rec memory.Record) (outcome, bool, error) {
	own, known := b.sources[source{rec.Project, rec.SourceRef}]
	if rec.SourceRef == "" || !known || own.ContentHash == rec.ContentHash || b.isNewer(rec, own) {
		return outcome{}, false, nil
	}
	return outcome{ID: own.ID, Status: keptHere, rec: rec, kept: true}, true, nil
}

func (b *batch) isNewer(rec memory.Record, own row) bool {
	here := own.CreatedAt
	if own.updatedAt != nil {
		here = *own.updatedAt
	}
	return moment(rec.Exported.Updated(rec.CreatedAt, b.l.now())).After(here)
}

// newer gives a live memory the content of the export if that was changed later.
func (b *batch) newer(own row, rec memory.Record) outcome {
	if memory.SameContent(own.Memory, rec.Memory) {
		return outcome{ID: own.ID, Status: memory.MergedIn, rec: rec, existing: true}
	}
	holder := b.holders[text{rec.Project, rec.Collection, rec.ContentHash}]
	if !b.isNewer(rec, own) || holder != "" && holder != own.ID {
		return outcome{ID: own.ID, Status: keptHere, rec: rec, kept: true}
	}
	after := own
	if after.Collection != rec.Collection && after.indexedIn == "" {
		after.indexedIn = own.Collection // a point may be there, not yet noted
	}
	after.Text, after.ContentHash, after.Vector, after.Model = rec.Text, rec.ContentHash, rec.Vector, rec.Model
	after.Type, after.Tags, after.Collection, after.ExpiresAt = rec.Type, rec.Tags, rec.Collection, momentOrNil(rec.ExpiresAt)
	after.Importance, after.Pinned, after.SourceRef = rec.Importance, rec.Pinned, rec.SourceRef
	if after.Session = rec.Session; rec.Position != 0 || rec.Session == "" {
		after.Position = rec.Position
	}
	updated := moment(rec.Exported.Updated(rec.CreatedAt, b.l.now()))
	after.updatedAt = &updated
	b.edit(own, after)
	return outcome{ID: own.ID, Status: imported, rec: rec, updated: true}
}

// earned gives a row that is new or comes back what an export says of it.
func (b *batch) earned(x row, rec memory.Record) row {
	if e := rec.Exported; e != nil {
		updated := moment(e.Updated(rec.CreatedAt, b.l.now()))
		x.confirmations, x.decayedAt, x.updatedAt = e.Confirmations, momentOrNil(e.DecayedAt), &updated
	}
	return x
}

// ImportLinks implements activities.Storer. At most memory.MaxImportBatch at a time.
func (l *Ledger) ImportLinks(ctx context.Context, op memory.Op, links []memory.ExportedLink) (memory.ImportedLinks, error) {
	if len(links) > memory.MaxImportBatch {
		return memory.ImportedLinks{}, memory.Errorf(memory.Invalid, "split it",
			"a batch holds %d links, not %d", memory.MaxImportBatch, len(links))
	}
	return once(ctx, l, op, "import links", func(tx pgx.Tx, e *entry) (memory.ImportedLinks, error) {
		var out memory.ImportedLinks
		ends, err := lockEnds(ctx, tx, links)
		if err != nil {
			return out, err
		}
		affected := map[string]bool{}
		for _, link := range links {
			source, target := ends.live(link.Source), ends.live(link.Target)
			switch {
			case source == "" || target == "":
				out.Without++
				continue
			case source == target: // the two were merged
				out.There++
				continue
			}
			at := l.now()
			if link.CreatedAt != nil && link.CreatedAt.Before(at) {
				at = *link.CreatedAt
			}
			added, err := l.insertLink(ctx, tx, op, memory.Link{SourceID: source, TargetID: target, Type: link.Type, CreatedAt: moment(at)})
			if err != nil {
				return out, err
			}
			if !added {
				out.There++
				continue
			}
			out.Added++
			affected[source], affected[target] = true, true
		}
		e.affected = slices.Sorted(maps.Keys(affected))
		return out, nil
	})
}

// linkEnds are the live memories that ends of links name.
type linkEnds struct {
	ids   map[string]string // by the id that names it
	texts map[text]string
}

func (e linkEnds) live(end memory.LinkEnd) string {
	if id := e.ids[end.ID]; id != "" {
		return id
	}
	return e.texts[text{end.Project, end.Collection, end.Hash}]
}

// lockEnds locks the live memories of links, so that none is forgotten before its links are there,
// in the order of their ids, so that two batches cannot wait for each other.
func lockEnds(ctx context.Context, tx pgx.Tx, links []memory.ExportedLink) (linkEnds, error) {
	var ids, projects, collections, hashes []string
	for _, link := range links {
		for _, end := range []memory.LinkEnd{link.Source, link.Target} {
			ids = append(ids, end.ID)
			projects, collections, hashes = append(projects, end.Project), append(collections, end.Collection), append(hashes, end.Hash)
		}
	}
	out := linkEnds{ids: map[string]string{}, texts: map[text]string{}}
	survivors, err := survivorsOf(ctx, tx, ids)
	if err != nil {
		return out, err
	}
	rows, err := tx.Query(ctx, `select id::text, project, collection, content_hash from memories where state = 'live' and id in (
select unnest($1::uuid[]) union select unnest($2::uuid[]) union
select m.id from unnest($3::text[], $4::text[], $5::text[]) as given(project, collection, content_hash)
join memories m using (project, collection, content_hash) where m.state = 'live') order by id for update`,
		noNil(ids), noNil(slices.Collect(maps.Values(survivors))), noNil(projects), noNil(collections), noNil(hashes))
	if err != nil {
		return out, fmt.Errorf("find what is linked: %w", err)
	}
	var id string
	var t text
	if _, err := pgx.ForEachRow(rows, []any{&id, &t.project, &t.collection, &t.hash}, func() error {
		out.ids[id], out.texts[t] = id, id
		return nil
	}); err != nil {
		return out, fmt.Errorf("find what is linked: %w", err)
	}
	for from, to := range survivors {
		out.ids[from] = out.ids[to]
	}
	return out, nil
}
