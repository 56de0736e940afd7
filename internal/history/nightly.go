package history

import (
	"context"
	"time"
)

// The times of a [Nightly].
const (
	// Every is how often it looks whether it is time.
	Every = 10 * time.Minute

	nightFrom, nightTo = 2, 6 // hours, by the clock of the machine
	leastBetween       = 20 * time.Hour
	mostBetween        = 36 * time.Hour // a machine that is off at night imports by day
)

// Nightly imports everything once a night.
type Nightly struct {
	Import Import
	Client Client
}

// Run looks now and every so often whether it is time, and imports, until ctx ends. An error does not
// end it; it is reported, and the import is tried again.
func (n Nightly) Run(ctx context.Context, every time.Duration, report func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if n.Due() {
			if _, err := n.Import.Run(ctx, n.Client); err != nil && ctx.Err() == nil {
				report(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Due reports whether it is time: at night if the last import of everything was the night before, at
// any time if it is longer ago.
func (n Nightly) Due() bool {
	progress, err := Load(n.Import.Home)
	if err != nil {
		return false // and the import would say the same
	}
	now := n.Import.Now()
	passed := now.Sub(progress.Ended)
	if passed < 0 { // the clock was wrong then, or is now
		passed = mostBetween
	}
	atNight := now.Hour() >= nightFrom && now.Hour() < nightTo
	return passed >= mostBetween || atNight && passed >= leastBetween
}
