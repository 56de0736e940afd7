package memory

import (
	"slices"
	"time"
)

// Successor is a memory that declares an older memory outdated.
type Successor struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Why  string `json:"why"` // one of the reasons below
}

// Why a memory is superseded.
const (
	ByLink  = "a link says that it contradicts this one"
	ByWords = "it says that this is over"
	ByValue = "it says another value of the same, and is newer"
)

// beyondLimit is how many candidates behind the last that is shown may still
// turn out to be newer than one that is.
const beyondLimit = 5

// succeed marks which of the first candidates are superseded by another one of
// them, and puts the newer before the older: in the place of the older, and
// with its chance, because it answers what the older one did.
func succeed(all []*ranked, limit int) {
	first := all[:min(len(all), limit+beyondLimit)]
	texts := make([]statement, len(first))
	for i, r := range first {
		texts[i] = statement{Memory: r.Memory}
	}
	by := make(map[*ranked]*ranked)
	for i, older := range first {
		for j, newer := range first {
			why := whySuperseded(&texts[j], &texts[i])
			if why == "" || older.by != nil && !newer.CreatedAt.After(by[older].CreatedAt) {
				continue
			}
			by[older], older.by = newer, &Successor{newer.ID, newer.Text, why}
		}
	}
	for _, older := range slices.Clone(first) {
		if newer := by[older]; newer != nil {
			putBefore(first, newer, older)
		}
	}
}

// lasting reports whether a memory states what holds until something else is
// said: not what happened once, and not a session's scratch.
func lasting(m Memory) bool {
	return m.Collection != Working && m.Type != TypeEpisode && m.Type != TypeTrajectory
}

// statement is a memory that may be superseded, read only as far as it must be.
type statement struct {
	Memory
	gist map[string]bool // the beginnings of its words
	said *saying
}

// whySuperseded says why a memory is superseded by a newer one, "" if it is not.
func whySuperseded(newer, older *statement) string {
	if newer.ID == older.ID || !newer.CreatedAt.After(older.CreatedAt) || !lasting(newer.Memory) || !lasting(older.Memory) || !newer.touches(older) {
		return ""
	}
	says, said := newer.read(), older.read()
	switch {
	case replaces(*says, *said):
		return ByWords
	case otherValue(*says, *said):
		return ByValue
	}
	return ""
}

func (s *statement) read() *saying {
	if s.said == nil {
		said := sayingOf(s.Text)
		s.said = &said
	}
	return s.said
}

// touches reports whether a text has enough words of an older one to be about
// the same thing. It is quick, and lets too many pass rather than too few.
func (s *statement) touches(older *statement) bool {
	const leastShared = 4 // one of so many words of the older one
	shared := 0
	for word := range older.words() {
		if s.words()[word] {
			shared++
		}
	}
	return shared > 0 && shared*leastShared >= len(older.words())
}

// words returns the beginnings of the words of a text that are long enough to
// say something, or have digits.
func (s *statement) words() map[string]bool {
	const beginning, least = 4, 3
	if s.gist == nil {
		s.gist = make(map[string]bool)
		for word := range wordsOf(s.Text) {
			if len(word) > least || isDigit(word[0]) {
				s.gist[word[:min(len(word), beginning)]] = true
			}
		}
	}
	return s.gist
}

func putBefore(all []*ranked, newer, older *ranked) {
	from, to := slices.Index(all, newer), slices.Index(all, older)
	if from < to {
		return
	}
	newer.chance = max(newer.chance, older.chance)
	copy(all[to+1:from+1], all[to:from])
	all[to] = newer
}

// Sees reports whether a query may be answered with a memory that it did not find.
func (q Query) Sees(m Memory, now time.Time) bool {
	projects := q.Projects()
	return m.State == Live && (len(projects) == 0 || slices.Contains(projects, m.Project)) &&
		!slices.Contains(q.Exclude, m.ID) && (m.ExpiresAt == nil || m.ExpiresAt.After(now)) &&
		(m.Collection != Working || slices.Contains(q.Collections, Working))
}

// Beside is what the ledger knows of memories that were found: their links,
// and the memories at the other ends.
type Beside struct {
	Links    []Link
	Memories map[string]Memory // by id
}

// WithLinks adds to the answer to a query what links say. A memory that another
// contradicts ranks behind it and names it, whether the other was found or not.
// What a strong hit builds on or clarifies, and what does so with it, comes
// behind it; with q.ExpandLinks that of every hit. The answer stays within the
// limit.
//
// For the work at hand, which nobody asked about, the older one is left out.
func WithLinks(q Query, hits []Hit, beside Beside) []Hit {
	marked := slices.Clone(hits)
	for _, k := range beside.Links {
		i := indexOfHit(marked, k.TargetID)
		if k.Type != LinkContradicts || i < 0 {
			continue
		}
		newer, ok := beside.find(k.SourceID, marked)
		if ok && !(beside.contradicts(k.TargetID, k.SourceID) && marked[i].CreatedAt.After(newer.CreatedAt)) {
			marked[i].SupersededBy = &Successor{newer.ID, newer.Text, ByLink}
		}
	}
	if q.ofWork() {
		markHits(marked)
	}
	out := make([]Hit, 0, len(marked))
	for _, h := range marked {
		out = appendOnce(out, leading(h, marked, beside)...)
	}
	if q.ofWork() {
		out = slices.DeleteFunc(out, func(h Hit) bool { return h.SupersededBy != nil })
	} else {
		out = expand(q, out, beside)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	return out[:min(len(out), max(limit, len(hits)))]
}

// ofWork reports whether a query is for what a session should know at its start.
func (q Query) ofWork() bool { return q.Work || q.Pinned }

// markHits marks the hits that a newer hit says are over.
func markHits(hits []Hit) {
	texts := make([]statement, len(hits))
	for i, h := range hits {
		texts[i].Memory = Memory{ID: h.ID, Collection: h.Collection, Type: h.Type, Text: h.Text, CreatedAt: h.CreatedAt}
	}
	for i := range hits {
		for j, newer := range hits {
			if why := whySuperseded(&texts[j], &texts[i]); why != "" && hits[i].SupersededBy == nil {
				hits[i].SupersededBy = &Successor{newer.ID, newer.Text, why}
			}
		}
	}
}

// leading returns what is newer than a hit and then the hit, oldest last.
func leading(h Hit, hits []Hit, beside Beside) []Hit {
	const longestChain = 5 // also ends a circle of links
	chain := []Hit{h}
	for newest := h; newest.SupersededBy != nil && len(chain) < longestChain; newest = chain[0] {
		id := newest.SupersededBy.ID
		if slices.ContainsFunc(chain, func(c Hit) bool { return c.ID == id }) {
			break
		}
		next, ok := beside.find(id, hits)
		if !ok {
			break
		}
		if next.Score < h.Score {
			next.Score, next.Strong = h.Score, h.Strong
		}
		next.Question = h.Question
		chain = slices.Insert(chain, 0, next)
	}
	return chain
}

// find returns a memory that was found, or that stands beside those.
func (b Beside) find(id string, hits []Hit) (Hit, bool) {
	if i := indexOfHit(hits, id); i >= 0 {
		return hits[i], true
	}
	m, ok := b.Memories[id]
	return hitOf(m), ok
}

func (b Beside) contradicts(source, target string) bool {
	return slices.ContainsFunc(b.Links, func(k Link) bool {
		return k.Type == LinkContradicts && k.SourceID == source && k.TargetID == target
	})
}

// expand puts behind each strong hit what links join to it.
func expand(q Query, hits []Hit, beside Beside) []Hit {
	if q.Each || q.MinScore != nil && !q.ExpandLinks {
		return hits
	}
	var out []Hit
	for i, h := range hits {
		out = appendOnce(out, h)
		if !h.Strong && !q.ExpandLinks {
			continue
		}
		score := h.Score / 2 // told for its neighbour's sake, it answers less
		if i+1 < len(hits) {
			score = max(score, hits[i+1].Score)
		}
		for _, k := range beside.Links {
			other := k.other(h.ID)
			m, known := beside.Memories[other]
			if k.Type == LinkContradicts || !known || indexOfHit(hits, other) >= 0 {
				continue
			}
			neighbour := hitOf(m)
			neighbour.Score, neighbour.Strong, neighbour.Question = score, score > StrongAbove, h.Question
			linked := k.Type + " " + ShortID(h.ID)
			if k.SourceID == h.ID {
				linked = ShortID(h.ID) + " " + k.Type + " it"
			}
			neighbour.Reasons = []string{"linked: " + linked}
			if q.Explain {
				neighbour.Why = &Why{Linked: linked, Confidence: m.Confidence, Importance: m.Importance}
			}
			out = appendOnce(out, neighbour)
		}
	}
	return out
}

// other returns the other end of a link, "" if id is neither.
func (l Link) other(id string) string {
	switch id {
	case l.SourceID:
		return l.TargetID
	case l.TargetID:
		return l.SourceID
	}
	return ""
}

func indexOfHit(hits []Hit, id string) int {
	return slices.IndexFunc(hits, func(h Hit) bool { return h.ID == id })
}

func appendOnce(hits []Hit, more ...Hit) []Hit {
	for _, h := range more {
		if indexOfHit(hits, h.ID) < 0 {
			hits = append(hits, h)
		}
	}
	return hits
}
