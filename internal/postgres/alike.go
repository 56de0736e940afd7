package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

const (
	// leastLike is the similarity below which a memory that the index did not
	// name is not compared word by word: while an import runs there may be thousands.
	leastLike = 0.75
	// mostCompared bounds how many are compared word by word, the most similar first.
	mostCompared = 100
)

// likeness is a memory that may say what the new one says.
type likeness struct {
	memory.Memory
	similarity float64 // of the vectors; 0 for those of another model
	elsewhere  bool    // it is of another project, collection or type
}

// duplicate finds the live memory that says the same. What is only much like
// the new one is kept in s.alike.
func (s *store) duplicate(ctx context.Context) (*row, float64, error) {
	unindexed, inhabited, err := s.places(ctx)
	if err != nil {
		return nil, 0, err
	}
	var named []string
	if s.near != nil {
		matches, err := s.near(ctx, inhabited)
		if err != nil {
			return nil, 0, outside{fmt.Errorf("look for duplicates: %w", err)}
		}
		for _, m := range matches {
			named = append(named, m.ID)
		}
	}
	found, err := s.similar(ctx, unindexed, named)
	if err != nil {
		return nil, 0, err
	}
	compare := memory.Compare(s.rec.Text)
	for _, c := range found {
		if !compare.Same(c.Text) {
			s.nameAlike(compare, c)
			continue
		}
		rows, err := selectRows(ctx, s.tx, `id = $1 and state = 'live' for update`, c.ID)
		if err != nil {
			return nil, 0, err
		}
		if len(rows) == 1 && compare.Same(rows[0].Text) && memory.Mergeable(rows[0].Record, s.rec) {
			return &rows[0], max(c.similarity, leastSame), nil
		}
	}
	slices.SortStableFunc(s.alike, func(a, b memory.Alike) int { return cmp.Compare(b.Share, a.Share) })
	s.alike = s.alike[:min(len(s.alike), memory.MostAlike)]
	return nil, 0, nil
}

// leastSame is the similarity that is told of two texts that say the same word
// for word, however far apart a model puts them.
const leastSame = memory.DuplicateAbove

// nameAlike keeps a memory that is much like the new one.
func (s *store) nameAlike(compare *memory.Comparison, c likeness) {
	share, over := compare.Alike(c.Text, c.similarity)
	if share == 0 {
		return
	}
	s.alike = append(s.alike, memory.Alike{
		ID: c.ID, Text: c.Text, Project: c.Project, Collection: c.Collection, CreatedAt: c.CreatedAt, Share: share, Over: over,
	})
}

// places tells two things of the places that are searched, in one message: the memories which the
// index may not know yet, and the collections in which something can be found, since asking the
// index is dearer than asking here, and most projects use few of the seven. It is to be asked
// before the index is: what another store writes to the index between the two questions is then
// known from the first.
func (s *store) places(ctx context.Context) (unindexed, inhabited []string, err error) {
	var b pgx.Batch
	// As long as the planner has not looked at a table that grew, it believes
	// that half of it is dirty and live rows are few. So it may neither read
	// the table from end to end nor begin with the live ones.
	b.Queue(`set local enable_seqscan = off`)
	projects, collections := memory.SeenFrom(s.rec.Project), memory.Comparable(s.rec.Collection)
	ids := func(into *[]string) func(pgx.Rows) error {
		return func(rows pgx.Rows) (err error) {
			*into, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}
	}
	b.Queue(`with unindexed as materialized (select id, project, collection, state from memories where dirty)
select id from unindexed where project = any($1) and collection = any($2) and state = 'live'`, projects, collections).Query(ids(&unindexed))
	b.Queue(`select c from unnest($2::text[]) c
where exists (select from memories where project = any($1) and collection = c and state = 'live')`, projects, collections).Query(ids(&inhabited))
	if err := s.tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, nil, fmt.Errorf("find what is not indexed: %w", err)
	}
	return unindexed, inhabited, nil
}

// similar returns the memories named by the index, and unindexed memories whose vector is
// like the new memory's. Memories of the same project, collection and type come first, then
// the most similar ones.
func (s *store) similar(ctx context.Context, unindexed, named []string) ([]likeness, error) {
	similarity, err := s.similarities(ctx, slices.Concat(unindexed, named))
	if err != nil {
		return nil, err
	}
	var ids []string
	for id, sim := range similarity {
		if sim > leastLike || slices.Contains(named, id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(similarity[b], similarity[a]), cmp.Compare(a, b))
	})
	rows, err := s.tx.Query(ctx, `select `+memoryColumns+` from memories where id = any($1) and state = 'live'`, noNil(ids[:min(len(ids), mostCompared)]))
	if err != nil {
		return nil, fmt.Errorf("compare texts: %w", err)
	}
	memories, err := pgx.CollectRows(rows, scanMemory)
	if err != nil {
		return nil, fmt.Errorf("compare texts: %w", err)
	}
	found := make([]likeness, len(memories))
	for i, m := range memories {
		elsewhere := m.Project != s.rec.Project || m.Collection != s.rec.Collection || m.Type != s.rec.Type
		found[i] = likeness{m, similarity[m.ID], elsewhere}
	}
	slices.SortFunc(found, func(a, b likeness) int {
		if a.elsewhere != b.elsewhere {
			if b.elsewhere {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.ID, b.ID))
	})
	return found, nil
}

// similarities compares the new vector with those of ids and with every one
// that the index may have lost since; 0 stands for a vector of another model.
func (s *store) similarities(ctx context.Context, ids []string) (map[string]float64, error) {
	rows, err := s.tx.Query(ctx, `with candidate as materialized (
	select id, vector, project, collection, model, state from memories
	where id = any(array(select id from memories where dirty union select unnest($4::uuid[])))
) select id, vector, model from candidate
where project = any($1) and collection = any($2) and id <> $3 and state = 'live'`,
		memory.SeenFrom(s.rec.Project), memory.Comparable(s.rec.Collection), s.rec.ID, noNil(ids))
	if err != nil {
		return nil, fmt.Errorf("compare vectors: %w", err)
	}
	calibration := memory.CalibrationFor(s.rec.Model)
	found := map[string]float64{}
	var id, model string
	var bytes []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &bytes, &model}, func() error {
		v, err := memory.VectorFromBytes(bytes)
		if err != nil {
			return err
		}
		found[id] = 0
		if model == s.rec.Model {
			found[id] = calibration.Similarity(memory.Cosine(v, s.rec.Vector))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare vectors: %w", err)
	}
	return found, nil
}
