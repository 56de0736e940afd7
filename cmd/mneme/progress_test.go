package main

import (
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	tell := progress(&out, func() time.Time { return now })
	for range 50 { // ten seconds
		tell(0, -1, "downloading")
		now = now.Add(200 * time.Millisecond)
	}
	tell(5e6, 10e6, "pulling")
	tell(6e6, -1, "unpacking")
	want := strings.Repeat("mneme: downloading\n", 5) + "mneme: pulling: 50% of 10.0 MB\nmneme: unpacking: 6.0 MB\n"
	if out.String() != want {
		t.Errorf("got\n%s, want\n%s", &out, want)
	}
}
