package memory

import (
	"fmt"
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
	merged  map[string]Record // survivors, as merges and promotions left them
	into    map[string]string // what was merged away, and into which

	watch   *Watch // holds merges against questions, if it is set
	leftOut []LeftOut

	origin map[string]Standing // how each memory stood at the beginning
	plan   []PlanStep
}

// spot is where a text may be held once.
type spot struct{ project, collection, hash string }

func spotOf(m Memory) spot { return spot{m.Project, m.Collection, m.ContentHash} }

// NewRehearsal begins at now, with live memories in the order of their ids.
func NewRehearsal(now time.Time, standings []Standing) *Rehearsal {
	r := &Rehearsal{
		now: now, live: map[string]*Standing{}, holders: map[spot]string{}, merged: map[string]Record{}, into: map[string]string{},
		origin: make(map[string]Standing, len(standings)),
	}
	for i := range standings {
		s := &standings[i]
		r.ids, r.origin[s.ID] = append(r.ids, s.ID), *s
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

// Plan returns the steps that were taken so far, in their order.
func (r *Rehearsal) Plan() []PlanStep { return r.plan }

// Heed has merges be held against questions from now on.
func (r *Rehearsal) Heed(w *Watch) {
	r.watch = w
	w.Live = func(id string) (float64, bool) {
		s, there := r.live[id]
		if !there {
			return 0, false
		}
		return s.Confidence, true
	}
}

// LeftOut returns what was not done because a question would lose its answer.
func (r *Rehearsal) LeftOut() []LeftOut { return r.leftOut }

// keptFrom notes the live memories that a step leaves because they answer a pinned question.
func (r *Rehearsal) keptFrom(action, collection string, rule func(Standing) bool) {
	kept := r.those(collection, func(s Standing) bool { return s.KeptFrom(rule) })
	if len(kept) == 0 {
		return
	}
	ids := make([]string, len(kept))
	for i, s := range kept {
		ids[i] = s.ID
	}
	r.leftOut = append(r.leftOut, KeptAnswers(action, ids))
}

// step adds to the plan what is done to memories of one project.
func (r *Rehearsal) step(action string, s *Standing, why string, ids ...string) *PlanStep {
	step := PlanStep{Action: action, Collection: s.Collection, Project: s.Project, IDs: append([]string{s.ID}, ids...), Why: why}
	for _, id := range step.IDs {
		step.Marks = append(step.Marks, r.origin[id].Mark(action))
	}
	r.plan = append(r.plan, step)
	return &r.plan[len(r.plan)-1]
}

// Expire ends what outlived its time, and returns how many.
func (r *Rehearsal) Expire(collection string) int {
	rule := func(s Standing) bool { return s.Expirable(r.now) }
	r.keptFrom(ActionExpire, collection, rule)
	found := r.those(collection, rule)
	for _, s := range found {
		r.step(ActionExpire, s, "its last day was "+s.ExpiresAt.UTC().Format(time.DateOnly))
		r.gone(s)
	}
	return len(found)
}

// Promote moves the memories that earned it to the collection of their type. If a
// memory there has the same text, the promoted memory is merged into that memory.
// Promote returns the number of promoted memories. members reads records as the
// ledger holds them.
func (r *Rehearsal) Promote(collection string, members func(ids []string) (map[string]Record, error)) (int, error) {
	found := r.those(collection, Standing.Earned)
	for _, s := range found {
		step := r.step(ActionPromote, s, s.earnedBy())
		r.gone(s)
		moved := *s
		moved.Collection, moved.ExpiresAt = CollectionOf(s.Type), nil
		twin, ok := r.live[r.holders[spotOf(moved.Memory)]]
		if !ok {
			r.live[s.ID], r.holders[spotOf(moved.Memory)] = &moved, s.ID
			continue
		}
		step.Into = twin.ID
		both, err := members([]string{s.ID, twin.ID})
		if err != nil {
			return 0, err
		}
		after := Merge(r.record(twin, both[twin.ID]), r.record(s, both[s.ID]))
		twin.Memory = mergeUse(twin.Memory, s.Memory)
		twin.Confirmations++
		twin.Answers = twin.Answers || s.Answers
		r.merged[twin.ID], r.into[s.ID] = after, twin.ID
	}
	return len(found), nil
}

// earnedBy says why a short-term memory is promoted.
func (s Standing) earnedBy() string {
	if s.AccessCount >= PromoteAfter {
		return fmt.Sprintf("recalled %d times", s.AccessCount)
	}
	return "stored more than once"
}

// record is a memory as it stands now: what a merge left, and what steps
// changed of its use since then.
func (r *Rehearsal) record(s *Standing, rec Record) Record {
	if changed, ok := r.merged[s.ID]; ok {
		rec = changed
	}
	rec.Collection, rec.Confidence, rec.Pinned, rec.AccessCount = s.Collection, s.Confidence, s.Pinned, s.AccessCount
	rec.CreatedAt, rec.LastAccessed, rec.ArrivedAt, rec.ExpiresAt = s.CreatedAt, s.LastAccessed, s.ArrivedAt, s.ExpiresAt
	return rec
}

// Merge makes one memory of a group of a collection. The records are as the
// ledger holds them.
func (r *Rehearsal) Merge(collection string, group []Record) MergedGroup {
	var records []Record
	for _, rec := range group {
		s, ok := r.live[rec.ID]
		if !ok || s.Collection != collection {
			continue
		}
		records = append(records, r.record(s, rec))
	}
	return r.mergeThose(records, MergeFacts)
}

// MergeAcross merges a group of memories of several collections into one memory.
// A member that was merged into another memory since the group was found is
// replaced by that memory. MergeAcross also returns the survivor's collection.
func (r *Rehearsal) MergeAcross(ids []string, members map[string]Record) (g MergedGroup, collection string) {
	var records []Record
	for _, id := range r.Now(ids) {
		if s, ok := r.live[id]; ok {
			records = append(records, r.record(s, members[id]))
		}
	}
	g = r.mergeThose(records, MergeAcross)
	if len(g.MergedIDs) > 0 {
		r.plan[len(r.plan)-1].Across = true
	}
	if g.SurvivorID != "" {
		collection = r.live[g.SurvivorID].Collection
	}
	return g, collection
}

// Now returns what memories went into, each once and in order.
func (r *Rehearsal) Now(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		for r.into[id] != "" {
			id = r.into[id]
		}
		out[i] = id
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mergeThose makes one memory of live ones.
func (r *Rehearsal) mergeThose(records []Record, group func([]Record) (int, Record, []int)) MergedGroup {
	out := MergedGroup{MergedIDs: []string{}}
	survivor, after, gone := group(records)
	if survivor < 0 {
		return out
	}
	out.SurvivorID, out.Text, out.Collection = after.ID, after.Text, after.Collection
	if len(gone) == 0 {
		return out
	}
	pairs := []Record{records[survivor]}
	for _, i := range gone {
		pairs = append(pairs, records[i])
		out.MergedIDs = append(out.MergedIDs, records[i].ID)
	}
	if r.watch != nil && r.watch.Touches(append([]string{after.ID}, out.MergedIDs...)) {
		if lost, loses := r.watch.Merge(after, out.MergedIDs); loses {
			r.leftOut = append(r.leftOut, lost.LeftOut(append([]string{after.ID}, out.MergedIDs...)))
			return MergedGroup{MergedIDs: []string{}}
		}
	}
	out.Similarity = LeastSimilar(pairs)
	r.step(ActionMerge, r.live[after.ID], fmt.Sprintf("they say the same (similarity %.2f)", out.Similarity), out.MergedIDs...)
	for _, id := range out.MergedIDs {
		r.live[after.ID].Answers = r.live[after.ID].Answers || r.live[id].Answers
		r.gone(r.live[id])
		r.into[id] = after.ID
	}
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
		s.Answers = s.Answers || twin.Answers
		r.into[twin.ID] = after.ID
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
		step := PlanStep{Action: ActionDecay, Collection: collection}
		for _, s := range page {
			before := s.Confidence
			s.Confidence, s.DecayedAt = s.Faded(r.now, times[s.ID]), &r.now
			step.IDs, step.Before, step.After = append(step.IDs, s.ID), append(step.Before, before), append(step.After, s.Confidence)
		}
		r.plan = append(r.plan, step)
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
	rule := func(s Standing) bool { return s.Prunable(r.now) && !holds(held, s.Project) }
	r.keptFrom(ActionPrune, collection, rule)
	found := r.those(collection, rule)
	ids := make([]string, len(found))
	for i, s := range found {
		ids[i] = s.ID
		r.step(ActionPrune, s, s.faded())
		r.gone(s)
	}
	return ids
}

// faded says why a memory is pruned, or is nearly pruned.
func (s Standing) faded() string {
	why := fmt.Sprintf("confidence %.2f, not used since %s", s.Confidence, s.UnusedSince().UTC().Format(time.DateOnly))
	if s.Announced() {
		why += ", named as nearly pruned on " + s.AnnouncedAt.UTC().Format(time.DateOnly)
	}
	return why
}

// Announce names what is nearly pruned, and returns the ids in order.
func (r *Rehearsal) Announce(collection string) []string {
	found := r.those(collection, func(s Standing) bool { return s.ToAnnounce(r.now) })
	ids := make([]string, len(found))
	for i, s := range found {
		ids[i] = s.ID
		r.step(ActionAnnounce, s, s.faded())
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
