package memory

import (
	"maps"
	"slices"
	"time"
)

// Rehearsal plays an organize run on a copy: each step sees what the steps
// before it would have done, and nothing is changed. It decides by the very
// rules by which the ledger decides in earnest. Of the memories it keeps in
// mind no texts but those that a merge made.
type Rehearsal struct {
	now     time.Time
	ids     []string // in order, as the ledger goes through them
	live    map[string]*Standing
	holders map[spot]string   // id of the live memory that holds a text
	merged  map[string]Record // survivors, as merges left them
}

// spot is where a text may be held once.
type spot struct{ project, collection, hash string }

func spotOf(m Memory) spot { return spot{m.Project, m.Collection, m.ContentHash} }

// NewRehearsal begins at now, with live memories in the order of their ids.
func NewRehearsal(now time.Time, standings []Standing) *Rehearsal {
	r := &Rehearsal{now: now, live: map[string]*Standing{}, holders: map[spot]string{}, merged: map[string]Record{}}
	for i := range standings {
		s := &standings[i]
		r.ids = append(r.ids, s.ID)
		r.live[s.ID], r.holders[spotOf(s.Memory)] = s, s.ID
	}
	return r
}

// those returns the live memories of a collection ("" for all) for which a rule holds.
func (r *Rehearsal) those(collection string, rule func(Standing) bool) []*Standing {
	var out []*Standing
	for _, id := range r.ids {
		if s, ok := r.live[id]; ok && (collection == "" || s.Collection == collection) && rule(*s) {
			out = append(out, s)
		}
	}
	return out
}

func (r *Rehearsal) gone(s *Standing) {
	delete(r.live, s.ID)
	if r.holders[spotOf(s.Memory)] == s.ID {
		delete(r.holders, spotOf(s.Memory))
	}
}

// Expire ends what outlived its time, and returns how many.
func (r *Rehearsal) Expire(collection string) int {
	found := r.those(collection, func(s Standing) bool { return s.Expirable(r.now) })
	for _, s := range found {
		r.gone(s)
	}
	return len(found)
}

// Promote moves what earned it to the collection of its type, into the one
// that holds the same text there if there is one. It returns how many.
func (r *Rehearsal) Promote(collection string) int {
	found := r.those(collection, Standing.Earned)
	for _, s := range found {
		r.gone(s)
		moved := *s
		moved.Collection, moved.ExpiresAt = CollectionOf(s.Type), nil
		if twin, ok := r.live[r.holders[spotOf(moved.Memory)]]; ok {
			twin.Memory = mergeUse(twin.Memory, s.Memory)
			continue
		}
		r.live[s.ID], r.holders[spotOf(moved.Memory)] = &moved, s.ID
	}
	return len(found)
}

// Merge makes one memory of a group of a collection. The records are as the
// ledger holds them.
func (r *Rehearsal) Merge(collection string, group []Record) MergedGroup {
	out := MergedGroup{MergedIDs: []string{}}
	var records []Record
	for _, rec := range group {
		s, ok := r.live[rec.ID]
		if !ok || s.Collection != collection {
			continue
		}
		if changed, ok := r.merged[rec.ID]; ok {
			rec = changed
		}
		records = append(records, rec)
	}
	survivor, after, gone := MergeFacts(records)
	if survivor < 0 {
		return out
	}
	out.SurvivorID, out.Text = after.ID, after.Text
	if len(gone) == 0 {
		return out
	}
	pairs := []Record{records[survivor]}
	for _, i := range gone {
		pairs = append(pairs, records[i])
		out.MergedIDs = append(out.MergedIDs, records[i].ID)
		r.gone(r.live[records[i].ID])
	}
	out.Similarity = LeastSimilar(pairs)
	r.settle(after)
	return out
}

// settle puts a survivor in its place. If another memory holds the new text in
// that place already, it is merged in.
func (r *Rehearsal) settle(after Record) {
	s := r.live[after.ID]
	delete(r.holders, spotOf(s.Memory))
	if twin, ok := r.live[r.holders[spotOf(after.Memory)]]; ok {
		after.Memory = mergeUse(after.Memory, twin.Memory)
		r.gone(twin)
	}
	s.Memory = after.Memory
	r.holders[spotOf(s.Memory)] = s.ID
	r.merged[s.ID] = after
}

// Decay lets confidence fade, and returns for how many. Ignored says how often
// each memory was shown since a time and not used.
func (r *Rehearsal) Decay(collection string, ignored func(since map[string]time.Time) (map[string]int, error)) (int, error) {
	found := r.those(collection, func(s Standing) bool { return s.Fades(r.now) })
	for page := range slices.Chunk(found, 1000) {
		since := make(map[string]time.Time, len(page))
		for _, s := range page {
			since[s.ID] = s.WatchedSince()
		}
		times, err := ignored(since)
		if err != nil {
			return 0, err
		}
		for _, s := range page {
			s.Confidence, s.DecayedAt = s.Faded(r.now, times[s.ID]), &r.now
		}
	}
	return len(found), nil
}

// Hold returns the projects of which too much would be pruned, in order.
func (r *Rehearsal) Hold() []HeldPrune {
	live, prunable := map[string]int{}, map[string]int{}
	for _, s := range r.live {
		live[s.Project]++
		if s.Prunable(r.now) {
			prunable[s.Project]++
		}
	}
	return HeldOf(prunable, live, r.now)
}

// Prune ends what nobody trusts or uses any more, but for held projects, and
// returns the ids in order.
func (r *Rehearsal) Prune(collection string, held []HeldPrune) []string {
	found := r.those(collection, func(s Standing) bool { return s.Prunable(r.now) && !holds(held, s.Project) })
	ids := make([]string, len(found))
	for i, s := range found {
		ids[i] = s.ID
		r.gone(s)
	}
	return ids
}

// Announce names what is nearly pruned, and returns the ids in order.
func (r *Rehearsal) Announce(collection string) []string {
	found := r.those(collection, func(s Standing) bool { return s.ToAnnounce(r.now) })
	ids := make([]string, len(found))
	for i, s := range found {
		ids[i] = s.ID
		s.AnnouncedAt = &r.now
	}
	return ids
}

// Text returns the text of a memory that others were merged into.
func (r *Rehearsal) Text(id string) (text string, merged bool) {
	rec, merged := r.merged[id]
	return rec.Text, merged
}

func holds(held []HeldPrune, project string) bool {
	return slices.ContainsFunc(held, func(h HeldPrune) bool { return h.Project == project })
}

// HeldOf returns, in order, the projects for whose numbers [HoldsPrune] holds.
func HeldOf(prunable, live map[string]int, now time.Time) []HeldPrune {
	held := []HeldPrune{}
	for _, project := range slices.Sorted(maps.Keys(prunable)) {
		if n := prunable[project]; HoldsPrune(n, live[project]) {
			held = append(held, HeldPrune{Project: project, Memories: n, Live: live[project], HeldAt: now})
		}
	}
	return held
}
