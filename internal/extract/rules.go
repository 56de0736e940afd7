package extract

import "github.com/mneme-memory/mneme/internal/transcript"

// Rules finds candidates without a model, the best first, at most
// opts.Limit. Only what is completed by a New event is a candidate; Earlier and
// Ahead events are evidence, so that successive steps through a transcript
// never give the same one twice. The same events always give the same answer.
func Rules(events []transcript.Event, opts Options) []Candidate {
	opts = opts.withDefaults()
	return nil
}
