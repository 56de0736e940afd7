package redact_test

import (
	"strings"
	"testing"
)

// shortTexts are what a recall redacts: a question, and a memory that it found.
func shortTexts() map[string]string {
	note := "The nightly import failed because `/var/lib/importer/state.json` was left behind by a run that was killed; " +
		"the service refuses to start while it exists. Remove the file, then run `systemctl restart importer` on build-03. " +
		"We keep the last 14 runs, and every run writes about 120 MB to the bucket eu-central-1/imports. "
	return map[string]string{
		"60B": "how do we restart the importer after a failed nightly run on",
		"2KB": strings.Repeat(note, 2048/len(note)+1)[:2048],
	}
}

// BenchmarkRedactShort shows what a recall pays, twice: once for its question
// and once for the audit row.
func BenchmarkRedactShort(b *testing.B) {
	r := builtin(b)
	for name, text := range shortTexts() {
		if got := r.Redact(text).Text; got != text {
			b.Fatalf("it became %q", got)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
}
