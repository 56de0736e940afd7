package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/redact"
	"github.com/mneme-memory/mneme/memory"
)

// privacy tells which rules of the CLAUDE.md files of the user and of the current folder are
// in force, and names those that are left out.
func (o Options) privacy(context.Context) (string, error) {
	rules, warnings, err := redact.LoadClaudeMD(o.Env("HOME"), o.Dir)
	if err != nil {
		return "", memory.Errorf(memory.Invalid, "make the file readable for yourself", "the privacy rules cannot be read: %v", err)
	}
	detail := fmt.Sprintf("%s of CLAUDE.md files in force here", count(len(rules), "rule", "rules"))
	if len(warnings) == 0 {
		return detail, nil
	}
	texts := make([]string, len(warnings))
	for i, w := range warnings {
		texts[i] = w.String()
	}
	return detail, Warning{memory.Errorf(memory.Invalid, "correct the rule where it stands", "left out: %s", strings.Join(texts, "; "))}
}
