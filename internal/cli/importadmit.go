package cli

import (
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/memory"
)

// admitFound takes out of what was found the items that cannot be stored once their secrets are
// replaced, for a replacement can make a name too long. The memories of their places stay.
func (a *app) admitFound(cfg config.Config, found *importer.Found) error {
	if a.deps.Redactor == nil {
		return nil
	}
	redactor, err := a.deps.Redactor(cfg, a.sys.Dir)
	if err != nil {
		return err
	}
	good := found.Items[:0]
	for _, item := range found.Items {
		if _, err := memory.Admit(redactor, item); err != nil {
			found.Bads++
			if len(found.Bad) < maxBadShown {
				found.Bad = append(found.Bad, importer.Problem{Where: item.SourceRef, Why: err.Error()})
			}
			if item.SourceRef != "" {
				found.Scope.Keep = append(found.Scope.Keep, item.SourceRef)
			}
			continue
		}
		good = append(good, item)
	}
	found.Items = good
	return nil
}
