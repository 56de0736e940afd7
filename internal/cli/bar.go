package cli

import (
	"sync"

	"github.com/schollz/progressbar/v3"
)

// bar shows how far a long work of a known size has come: a moving bar on a
// terminal, a line for each tenth elsewhere.
type bar struct {
	app   *app
	total int
	drawn *progressbar.ProgressBar // nil when stderr is no terminal

	mu   sync.Mutex // guards the rest
	done int
	told int // tenths
}

func (a *app) bar(total int) *bar {
	b := &bar{app: a, total: total}
	if a.sys.StderrTTY {
		b.drawn = progressbar.NewOptions(total, progressbar.OptionSetWriter(a.sys.Stderr),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("memories"),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	}
	return b
}

// add says that n more are done. It may be called by several goroutines.
func (b *bar) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += n
	if b.drawn != nil {
		b.drawn.Add(n) //nolint:errcheck // a bar that cannot be drawn hurts nobody
		return
	}
	if tenths := 10 * b.done / b.total; tenths > b.told {
		b.told = tenths
		b.app.note("%d of %d (%d%%)", b.done, b.total, 100*b.done/b.total)
	}
}

// finish takes the bar off the screen.
func (b *bar) finish() {
	if b.drawn != nil {
		b.drawn.Exit() //nolint:errcheck // see add
	}
}
