package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressEvery is how often the same download is told about.
const progressEvery = 2 * time.Second

// progress writes a line when something new takes long, and then one every
// two seconds at most. It may be called by several goroutines.
func progress(w io.Writer, now func() time.Time) func(done, total int64, what string) {
	var mu sync.Mutex
	told := map[string]time.Time{}
	return func(done, total int64, what string) {
		mu.Lock()
		defer mu.Unlock()
		at := now()
		if last, known := told[what]; known && at.Sub(last) < progressEvery {
			return
		}
		told[what] = at
		switch {
		case total > 0:
			fmt.Fprintf(w, "mneme: %s: %d%% of %.1f MB\n", what, 100*done/total, float64(total)/1e6)
		case done > 0:
			fmt.Fprintf(w, "mneme: %s: %.1f MB\n", what, float64(done)/1e6)
		default:
			fmt.Fprintf(w, "mneme: %s\n", what)
		}
	}
}
