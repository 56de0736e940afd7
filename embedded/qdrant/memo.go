package qdrant

import (
	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// A memo keeps what the parts of one request have in common, so that it is
// worked out once: a filter is often that of every prefetch, and a prefetch
// that of several queries. What a later write changes it forgets.
type memo struct {
	changes uint64              // of the collection, when this was worked out
	rows    map[string]bitset   // by the filter as it was sent
	found   map[string][]scored // by the prefetch as it was sent
}

// at makes the memo one of the collection's present state. The caller holds
// the collection for reading.
func (m *memo) at(c *collection) {
	if m.rows == nil || m.changes != c.changes {
		*m = memo{changes: c.changes, rows: map[string]bitset{}, found: map[string][]scored{}}
	}
}

// allowed is [collection.allowed]. The set must not be changed.
func (m *memo) allowed(c *collection, s stage) (bitset, error) {
	key, ok := keyOf(c, s.sent)
	if rows, known := m.rows[key]; ok && known {
		return rows, nil
	}
	rows, err := c.allowed(s.filter)
	if ok && err == nil {
		m.rows[key] = rows
	}
	return rows, err
}

// prefetched answers a prefetch. Only one under no other filter is the same
// wherever it stands.
func (m *memo) prefetched(c *collection, p *pb.PrefetchQuery, outer bitset) ([]scored, error) {
	key, ok := "", false
	if outer == nil {
		key, ok = keyOf(c, p)
	}
	if found, known := m.found[key]; ok && known {
		return found, nil
	}
	s, err := newStage(p.GetPrefetch(), p.GetQuery(), p.Using, p.GetFilter(), p.ScoreThreshold, p.Limit, "prefetch[0].")
	if err != nil {
		return nil, err
	}
	found, err := c.run(m, s, outer)
	if ok && err == nil {
		m.found[key] = found
	}
	return found, err
}

// keyOf is the same for equal messages, if there is one. In an empty
// collection an answer costs less than its key.
func keyOf(c *collection, message proto.Message) (string, bool) {
	if len(c.byID) == 0 {
		return "", false
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	return string(data), err == nil
}
