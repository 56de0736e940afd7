package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar shows how far a long work of a known size has come: a moving bar on a
// terminal, a line for each tenth elsewhere.
type bar struct {
	app   *app
	total int
	unit  string                   // what is counted; "" for memories
	drawn *progressbar.ProgressBar // nil when stderr is no terminal
	begun time.Time

	mu      sync.Mutex // guards the rest
	done    int
	skipped int // of done, by an earlier run
	told    int // tenths
}

func (a *app) bar(total int) *bar { return a.barOf(total, "") }

// barOf is a bar of something else than memories.
func (a *app) barOf(total int, unit string) *bar {
	b := &bar{app: a, total: max(total, 1), unit: unit, begun: time.Now()}
	if a.sys.StderrTTY {
		// The rate is our own: that of the library is a mean of moments, and counts what was skipped.
		b.drawn = progressbar.NewOptions(b.total, progressbar.OptionSetWriter(a.sys.Stderr),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	}
	return b
}

// add says that n more are done. It may be called by several goroutines.
func (b *bar) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	b.show(n)
}

// skip says that n were done by an earlier run: they are done, and not for the rate.
func (b *bar) skip(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.skipped = b.done+n, b.skipped+n
	b.show(n)
}

func (b *bar) show(n int) {
	if b.drawn != nil {
		b.drawn.Describe(pace(b.done-b.skipped, b.total-b.done, time.Since(b.begun)))
		b.drawn.Add(n) //nolint:errcheck // a bar that cannot be drawn hurts nobody
		return
	}
	if tenths := 10 * b.done / max(b.total, 1); tenths > b.told {
		b.told = tenths
		b.app.note("%d of %d%s (%d%%)", b.done, b.total, strings.TrimSuffix(" "+b.unit, " "), 100*b.done/b.total)
	}
}

// pace says how many are done in a second, since the beginning, and how long the rest will take.
func pace(done, left int, took time.Duration) string {
	if done <= 0 || took <= 0 {
		return ""
	}
	rate := float64(done) / took.Seconds()
	rest := time.Duration(float64(left) / rate * float64(time.Second)).Round(time.Second)
	if rate < 10 {
		return fmt.Sprintf("%.1f/s, %s left", rate, rest)
	}
	return fmt.Sprintf("%.0f/s, %s left", rate, rest)
}

// finish takes the bar off the screen.
func (b *bar) finish() {
	if b.drawn != nil {
		b.drawn.Exit() //nolint:errcheck // see add
	}
}
