package memory

import (
	"math"
	"time"
)

// The rules of confidence. A memory starts in the middle. Each time it proves
// useful, it gains a share of the distance to 1, so that the steps diminish and
// 1 is never passed. Unused, it loses half in each HalfLife: never used, 0.5
// falls to 0.25 in 90 days, below [PruneBelow].
const (
	StartConfidence = 0.5
	RecallGain      = 0.05 // part of the way to 1 gained when recalled
	MergeGain       = 0.10 // part of the way to 1 gained when stored again
	CreditGain      = 0.15 // part of the way to 1 gained when it was tried and helped
	CreditLoss      = 0.15 // part of what it has lost when it was tried and did not
	HalfLife        = 90 * 24 * time.Hour
)

// Gain returns confidence c after one step of gain.
func Gain(c, gain float64) float64 { return min(1, c+gain*(1-c)) }

// Shown returns confidence c after a strong hit at a time, of a memory that was last a hit at
// another. It gains once a day (UTC) and no more: to be returned is not to be of use.
func Shown(c float64, last, at time.Time) float64 {
	if !last.Before(at.UTC().Truncate(24 * time.Hour)) {
		return c
	}
	return Gain(c, RecallGain)
}

// Credit returns confidence c after a memory was tried: a part of the way to 1
// when it helped, a part of the way to 0 when it did not, so that the steps
// diminish and the bounds are never passed. One that was tried counts more
// than one that was only recalled.
func Credit(c float64, helped bool) float64 {
	c = min(1, max(0, c))
	if helped {
		return Gain(c, CreditGain)
	}
	return c * (1 - CreditLoss)
}

// Decay returns confidence c after lying unused for a time. A clock that went
// backwards changes nothing.
func Decay(c float64, unused time.Duration) float64 {
	if unused <= 0 {
		return c
	}
	return c * math.Exp2(-unused.Hours()/HalfLife.Hours())
}
