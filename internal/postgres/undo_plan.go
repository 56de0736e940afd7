package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// member is one memory of a change that is to be undone: its present row, and the
// versions that the change wrote.
type member struct {
	now row
	// The first and the last version of the change; nil when only counters changed.
	first, last *turn
	// The first and the last counters of the change; nil for one of an older release. A nil before
	// in the first one says that the memory was new.
	counted    bool
	was, after *counts
}

// turn is a version with its vectors.
type turn struct {
	seq    int64
	action string
	before *memory.Record
	after  memory.Record
}

// verdict is what an undo makes of one member.
type verdict int

const (
	goesBack verdict = iota // to what it was
	isThere                 // it is that already
	leftAlone
)

// plan is where a member goes.
type plan struct {
	verdict verdict
	reason  string // of leftAlone
	after   row
	image   row  // what it was before the change
	absent  bool // it was not there before the change
	carried bool // recalled since: its counters go on from what they are
	embed   bool // its vector is of another model than the ledger's
}

// planOf decides what an undo makes of a member. Model is the ledger's.
func planOf(m member, model string) plan {
	if m.first != nil && !sameContent(m.now, m.last.after) {
		if m.first.before != nil && sameContent(m.now, *m.first.before) {
			return plan{verdict: isThere}
		}
		return plan{verdict: leftAlone, reason: "it was changed since"}
	}
	p := plan{image: m.now}
	switch {
	case m.first == nil && m.now.State != memory.Live:
		return plan{verdict: leftAlone, reason: "it is " + string(m.now.State) + " since"}
	case m.first == nil && m.was == nil:
		return plan{verdict: isThere} // nothing is known that could be brought back
	case m.first != nil && m.first.before == nil:
		if m.now.State == memory.Forgotten {
			return plan{verdict: isThere}
		}
		p.absent, p.after = true, forgotten(m.now).after
		p.image = p.after
		return p
	case m.first != nil:
		p.image.Record = *m.first.before
	}
	p.image.Memory, p.carried = m.rebase(p.image.Memory)
	p.image.confirmations, p.image.decayedAt = m.rebaseCounts()
	if p.image.State == memory.Live && p.image.Text == "" {
		return plan{verdict: leftAlone, reason: "its text was purged"}
	}
	p.after = p.image
	p.after.indexedIn, p.after.dirty = m.now.indexedIn, true
	if p.after.indexedIn == "" {
		p.after.indexedIn = m.now.Collection // a point may be there, written but not yet noted
	}
	p.embed = p.image.State == memory.Live && p.image.Model != model
	if !p.embed && digest(m.now, whole) == digest(p.after, whole) {
		return plan{verdict: isThere}
	}
	return p
}

// sameContent compares the fields that an edit changes. Vector and model are
// not among it: a rebuild with another model changes both and nothing else.
func sameContent(a row, b memory.Record) bool {
	return digest(a, edited) == digest(row{Record: b}, edited)
}

// rebase returns a memory with the counters that it had before the change. What
// was counted since the change is added to them.
func (m member) rebase(image memory.Memory) (memory.Memory, bool) {
	was, after := m.counters(image)
	now := m.now.counts()
	image.Confidence = was.Confidence
	if now.Confidence != after.Confidence {
		image.Confidence = min(1, max(0, was.Confidence+now.Confidence-after.Confidence))
	}
	image.AccessCount = max(0, was.AccessCount+now.AccessCount-after.AccessCount)
	image.LastAccessed = carry(was.LastAccessed, after.LastAccessed, now.LastAccessed)
	image.ArrivedAt = carry(was.ArrivedAt, after.ArrivedAt, now.ArrivedAt)
	image.AnnouncedAt = carryNil(was.AnnouncedAt, after.AnnouncedAt, now.AnnouncedAt)
	carried := now.Confidence != after.Confidence || now.AccessCount != after.AccessCount ||
		now.Confirmations != after.Confirmations || !now.LastAccessed.Equal(after.LastAccessed)
	return image, carried
}

func (m member) rebaseCounts() (confirmations int, decayedAt *time.Time) {
	if !m.counted {
		return m.now.confirmations, m.now.decayedAt
	}
	if m.was == nil || m.after == nil {
		return m.now.confirmations, m.now.decayedAt
	}
	return max(0, m.was.Confirmations+m.now.confirmations-m.after.Confirmations), carryNil(m.was.DecayedAt, m.after.DecayedAt, m.now.decayedAt)
}

// counters are those before and after the change. An older release kept some
// of them in its versions.
func (m member) counters(image memory.Memory) (was, after counts) {
	if m.was != nil && m.after != nil {
		return *m.was, *m.after
	}
	was = row{Record: memory.Record{Memory: image}}.counts()
	if m.last != nil {
		return was, row{Record: m.last.after, confirmations: m.now.confirmations, decayedAt: m.now.decayedAt}.counts()
	}
	return was, m.now.counts()
}

// carry keeps a time that somebody set after the change.
func carry(was, after, now time.Time) time.Time {
	if now.Equal(after) {
		return was
	}
	return now
}

func carryNil(was, after, now *time.Time) *time.Time {
	if equalTimes(after, now) {
		return was
	}
	return now
}

func equalTimes(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// extent is what of a memory a digest looks at.
type extent int

const (
	whole   extent = iota // everything that is kept of it
	textual               // all but the vector, whose model is another one since
	edited                // what somebody may have edited, and no counters
)

// digest is the SHA-256 of a memory as it is in the ledger, without what only
// tells where its point is.
func digest(x row, of extent) string {
	m := x.Memory
	m.Tags = slices.Clone(m.Tags)
	if m.Tags == nil {
		m.Tags = []string{}
	}
	m.CreatedAt, m.LastAccessed, m.ArrivedAt = moment(m.CreatedAt), moment(m.LastAccessed), moment(m.ArrivedAt)
	m.ExpiresAt, m.AnnouncedAt = momentOrNil(m.ExpiresAt), momentOrNil(m.AnnouncedAt)
	image := struct {
		Memory        memory.Memory
		Vector        []byte
		Confirmations int
		DecayedAt     *time.Time
	}{m, x.Vector.Bytes(), x.confirmations, momentOrNil(x.decayedAt)}
	if of != whole {
		image.Vector, image.Memory.Model = nil, ""
	}
	if of == edited {
		image.Memory.Confidence, image.Memory.AccessCount, image.Confirmations = 0, 0, 0
		image.Memory.LastAccessed, image.Memory.ArrivedAt = time.Time{}, time.Time{}
		image.Memory.AnnouncedAt, image.DecayedAt = nil, nil
	}
	data, err := json.Marshal(image)
	if err != nil { // of numbers that are none, which the ledger refuses
		data = fmt.Appendf(nil, "%+v", image)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
