package postgres

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mneme-memory/mneme/memory"
)

// pastDepth is how many candidates a search of the past hands to ranking, at least.
const pastDepth = 200

// past is a memory as it was, with what a query found in it.
type past struct {
	seq       int64 // of its version
	candidate memory.Candidate
	terms     map[int]float64 // of the query, by their place, with their weight in the text
}

// SearchPast implements [activities.Reader]. It compares the query with every
// version that held at a time: there is no index of the past. Vectors of
// another model than the query's are passed over; their texts are still found by words.
func (l *Ledger) SearchPast(ctx context.Context, at time.Time, model string, s memory.Search) ([]memory.Candidate, error) {
	const what = "search the past"
	var found []past
	err := l.again(ctx, what, func() (err error) {
		found, err = l.pastOf(ctx, at, model, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	asked, _ := l.query(s.Text)
	weigh(found, len(asked))
	slices.SortFunc(found, func(a, b past) int {
		return cmp.Or(cmp.Compare(memory.Evidence(b.candidate), memory.Evidence(a.candidate)), cmp.Compare(a.seq, b.seq))
	})
	found = found[:min(len(found), max(pastDepth, 4*s.Limit))]
	out := make([]memory.Candidate, len(found))
	for i, p := range found {
		out[i] = p.candidate
	}
	return out, nil
}

// pastOf reads the versions that held at a time, of memories that were live then. What is
// forgotten now is gone from the past too.
func (l *Ledger) pastOf(ctx context.Context, at time.Time, model string, s memory.Search) ([]past, error) {
	rows, err := l.pool.Query(ctx, `select seq, after, after_vector, model from (
	select distinct on (v.memory_id) v.seq, v.after,
	case when m.text = v.after ->> 'text' then m.vector else v.after_vector end as after_vector,
	case when m.text = v.after ->> 'text' then m.model else v.after ->> 'model' end as model
	from memory_versions v join memories m on m.id = v.memory_id
	where v.at <= $1 and m.state <> 'forgotten' and (cardinality($2::text[]) = 0 or m.project = any($2)) and m.id <> all($3::uuid[])
	order by v.memory_id, v.seq desc
) v where after ->> 'state' = 'live' and (cardinality($4::text[]) = 0 or after ->> 'collection' = any($4))
and (cardinality($5::text[]) = 0 or after ->> 'type' = any($5)) and after -> 'tags' @> to_jsonb($6::text[])
and ($7::timestamptz is null or (after ->> 'created_at')::timestamptz >= $7)
and ($8::timestamptz is null or (after ->> 'created_at')::timestamptz < $8)
and ($9 = '' or after ->> 'session' = $9)
and (after ->> 'expires_at' is null or (after ->> 'expires_at')::timestamptz > $1)`,
		at, noNil(s.Projects), noNil(s.Exclude), noNil(s.Collections), noNil(s.Types), noNil(s.Tags), s.Since, s.Before, s.Session)
	if err != nil {
		return nil, err
	}
	asked, _ := l.query(s.Text)
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (past, error) {
		var p past
		var vector []byte
		var of string // the same text has the vector of today's model
		if err := r.Scan(&p.seq, &p.candidate.Memory, &vector, &of); err != nil {
			return p, err
		}
		v, err := memory.VectorFromBytes(vector)
		if err != nil {
			return p, err
		}
		m := p.candidate.Memory
		if of == model && len(v) == len(s.Vector) && !v.IsZero() && !s.Vector.IsZero() {
			p.candidate.Cosine, p.candidate.HasCosine = memory.Cosine(v, s.Vector), true
		}
		p.terms = l.shared(asked, m.Text)
		return p, nil
	})
}

// shared returns the weights of a query's terms in a text, by their place in the query.
func (l *Ledger) shared(asked []uint32, text string) map[int]float64 {
	var out map[int]float64
	terms, weights := l.document(text)
	for i, term := range asked {
		if at, ok := slices.BinarySearch(terms, term); ok {
			if out == nil {
				out = map[int]float64{}
			}
			out[i] = float64(weights[at])
		}
	}
	return out
}

// weigh gives keyword scores: words that few of the memories hold count more,
// by the formula by which the index weighs them. Asked is the number of the query's terms.
func weigh(found []past, asked int) {
	holders := make([]float64, asked)
	for _, p := range found {
		for i := range p.terms {
			holders[i]++
		}
	}
	all := float64(len(found))
	for n := range found {
		for i, weight := range found[n].terms {
			found[n].candidate.Keyword += weight * math.Log(1+(all-holders[i]+0.5)/(holders[i]+0.5))
		}
	}
}
