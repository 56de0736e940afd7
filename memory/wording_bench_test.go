package memory

import "testing"

func BenchmarkSaying(b *testing.B) {
	const text = "The nightly export of the warehouse moved from 01:00 to 03:30, because the old window collided with the backup of the ledger."
	for b.Loop() {
		sayingOf(text)
	}
}

func BenchmarkReplaces(b *testing.B) {
	newer := sayingOf("The nightly export of the warehouse moved from 01:00 to 03:30, because the old window collided with the backup.")
	older := sayingOf("The nightly export of the warehouse runs at 01:00 on the batch host.")
	for b.Loop() {
		replaces(newer, older)
	}
}
