package memory

import (
	"math"
	"time"
)

// The rules of tidying up. Nobody is surprised: what is pruned lay unused for
// long since it came in, has faded, and was named as nearly pruned a while ago.
const (
	// PromoteAfter is how often a short-term memory must have been recalled to earn a place for good.
	PromoteAfter = 2
	// PruneBelow is the confidence below which a memory may be pruned.
	PruneBelow = 0.3
	// PruneUnused is how long a memory must have been unused before it may be pruned.
	PruneUnused = 90 * 24 * time.Hour
	// AnnounceAhead is how long before it may be pruned a memory is named as nearly pruned.
	AnnounceAhead = 14 * 24 * time.Hour
	// PruneNotice is the least time between that and the pruning: the weekly run names it, the next one prunes it.
	PruneNotice = 6 * 24 * time.Hour
	// DecayEvery is the least time between two decays of a memory. Decay is exponential: what is
	// skipped now is counted the next time, and tidying up twice in a row rewrites nothing.
	DecayEvery = time.Hour
	// IgnoredEvery is the least time between two decays of a memory that is recalled again and
	// again: only then is it worth asking whether it was used.
	IgnoredEvery = 6 * 24 * time.Hour
)

// Standing is a memory and what else the tidying goes by. Text, tags and
// vector are not looked at.
type Standing struct {
	Memory

	Confirmations int        // how often the same fact was stored again or merged into it
	DecayedAt     *time.Time // until when the decay of confidence is counted in
	Answers       bool       // a pinned question: it is neither expired nor pruned
}

// UnusedSince returns when m was last of use, or came in if that is later: a
// text that was said years ago and imported today is new here.
func (m Memory) UnusedSince() time.Time { return latest(m.LastAccessed, m.ArrivedAt) }

// Announced reports whether m was named as nearly pruned since its last use.
func (m Memory) Announced() bool {
	return m.AnnouncedAt != nil && !m.AnnouncedAt.Before(m.UnusedSince())
}

// Lasting reports whether m is never pruned: it is pinned, or has the importance 1.
func (m Memory) Lasting() bool { return m.Pinned || m.Importance >= 1 }

// Prunable reports whether m may be pruned at now.
func (m Memory) Prunable(now time.Time) bool {
	return m.State == Live && !m.Lasting() && m.Confidence < PruneBelow && now.Sub(m.UnusedSince()) >= PruneUnused &&
		m.Announced() && now.Sub(*m.AnnouncedAt) >= PruneNotice
}

// Prunable reports whether s may be pruned at now.
func (s Standing) Prunable(now time.Time) bool { return !s.Answers && s.Memory.Prunable(now) }

// KeptFrom reports whether a rule would choose s if it answered no pinned question.
func (s Standing) KeptFrom(rule func(Standing) bool) bool {
	free := s
	free.Answers = false
	return s.Answers && !rule(s) && rule(free)
}

// Earned reports whether a short-term memory may stay for good: it was
// recalled often enough, or confirmed by another.
func (s Standing) Earned() bool {
	return s.State == Live && s.Collection == ShortTerm && (s.AccessCount >= PromoteAfter || s.Confirmations > 0)
}

// Expirable reports whether s outlived its time at now. A memory that is pinned or
// answers a pinned question never expires, and one that has earned a place waits to be promoted.
func (s Standing) Expirable(now time.Time) bool {
	return s.State == Live && !s.Pinned && !s.Answers && s.ExpiresAt != nil && s.ExpiresAt.Before(now) && !s.Earned()
}

// fadedUntil is up to when the decay is counted in.
func (s Standing) fadedUntil() time.Time {
	if s.DecayedAt == nil {
		return s.UnusedSince()
	}
	return latest(s.UnusedSince(), *s.DecayedAt)
}

// WatchedSince returns from when on it counts how often s was shown and not used.
func (s Standing) WatchedSince() time.Time {
	if s.DecayedAt == nil {
		return s.ArrivedAt
	}
	return *s.DecayedAt
}

// Fades reports whether the confidence of s is to be counted anew at now.
func (s Standing) Fades(now time.Time) bool {
	return s.State == Live && !s.Pinned &&
		(now.Sub(s.fadedUntil()) >= DecayEvery || now.Sub(s.WatchedSince()) >= IgnoredEvery)
}

// Faded returns the confidence of s at now. Ignored is how often it was shown
// and not used since WatchedSince: that takes back what being recalled had given.
func (s Standing) Faded(now time.Time, ignored int) float64 {
	return Decay(s.Confidence, now.Sub(s.fadedUntil())) * math.Pow(1-RecallGain, float64(ignored))
}

// NearlyPruned reports whether s may be pruned within AnnounceAhead of now if
// nobody uses it until then.
func (s Standing) NearlyPruned(now time.Time) bool {
	then := now.Add(AnnounceAhead)
	return s.State == Live && !s.Lasting() && !s.Answers && s.Faded(then, 0) < PruneBelow && then.Sub(s.UnusedSince()) >= PruneUnused
}

// ToAnnounce reports whether s is to be named as nearly pruned at now.
func (s Standing) ToAnnounce(now time.Time) bool { return s.NearlyPruned(now) && !s.Announced() }
