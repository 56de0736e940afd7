package qdrant

import (
	"slices"
	"sync"
)

// An idOrder lists the ids of a collection in order. New ids wait unsorted
// until someone reads, and ids that are gone are dropped then, so that a write
// costs nothing and a read after many writes one pass.
type idOrder struct {
	mu     sync.Mutex
	sorted []pointID
	added  []pointID
}

// add notes an id that was not there.
func (o *idOrder) add(id pointID) { o.added = append(o.added, id) }

// list returns all ids that are there, in order. The slice must not be
// changed. The caller holds the collection at least for reading.
func (o *idOrder) list(there map[pointID]uint32) []pointID {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.added) == 0 && len(o.sorted) == len(there) {
		return o.sorted
	}
	slices.SortFunc(o.added, compareIDs)
	merged := make([]pointID, 0, len(there))
	a, b := o.sorted, o.added
	for len(a) > 0 || len(b) > 0 {
		var id pointID
		if len(b) == 0 || len(a) > 0 && compareIDs(a[0], b[0]) <= 0 {
			id, a = a[0], a[1:]
		} else {
			id, b = b[0], b[1:]
		}
		if n := len(merged); n > 0 && merged[n-1] == id {
			continue // deleted and added again
		}
		if _, ok := there[id]; ok {
			merged = append(merged, id)
		}
	}
	o.sorted, o.added = merged, nil
	return merged
}
