package doctor

import (
	"context"
	"fmt"

	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// lookedBack is how many of the last hooks are looked at, and fewHooks how many of them are too
// few to say that many fail.
const (
	lookedBack = 200
	fewHooks   = 20
)

// hooks tells what Claude Code's hooks left behind, and how they fared.
func (o Options) hooks(context.Context) (string, error) {
	log, err := hooklog.Read(o.Config.Home, "", lookedBack)
	if err != nil {
		return "", err
	}
	waiting, err := spool.Open(o.Config.Home, nil).State() // nothing is added, so nothing is redacted
	if err != nil {
		return "", err
	}
	late := 0
	for _, e := range log {
		if e.Outcome == hooklog.Late || e.Outcome == hooklog.Failed {
			late++
		}
	}
	detail := fmt.Sprintf("%d of the last %d failed or were late, %s waiting", late, len(log), count(waiting.Entries, "request", "requests"))
	const hint = `see "mneme hooks log"`
	switch {
	case waiting.Quarantined > 0:
		return detail, Warning{memory.Errorf(memory.Conflict, hint, "%s could not be stored", count(waiting.Quarantined, "request", "requests"))}
	case waiting.Entries >= spool.MaxEntries/2:
		return detail, Warning{memory.Errorf(memory.Conflict, `start mneme with "mneme up"`, "what hooks leave is no longer kept when there are %d", spool.MaxEntries)}
	case len(log) >= fewHooks && late*4 > len(log):
		return detail, Warning{memory.Errorf(memory.Conflict, hint, "many hooks fail or are too slow")}
	}
	return detail, nil
}
