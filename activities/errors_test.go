package activities

import (
	"errors"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/mneme-memory/mneme/memory"
)

// TestErrorsThroughTemporal sends an error of each code through Temporal's form
// and back: nothing that a caller sorts or is told by may be lost.
func TestErrorsThroughTemporal(t *testing.T) {
	t.Parallel()
	for code, waits := range map[memory.Code]bool{
		memory.Invalid: false, memory.NotFound: false, memory.Conflict: false,
		memory.Unavailable: true, memory.Refused: true, memory.Internal: true,
	} {
		in := &memory.Error{Code: code, Part: "Qdrant", Hint: "do this", Err: errors.New("why")}
		through := ToTemporal(in)
		var app *temporal.ApplicationError
		if !errors.As(through, &app) || app.NonRetryable() == waits {
			t.Errorf("%s: %v; want it tried again: %t", code, through, waits)
		}
		out := FromTemporal(through)
		if memory.CodeOf(out) != code || memory.PartOf(out) != "Qdrant" || memory.HintOf(out) != "do this" || out.Error() != "why" {
			t.Errorf("%s: came back as %+v", code, out)
		}
	}
}
