package extract

import (
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/shell"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

var (
	doneWords = lexis.Lazy(`(?i)^(?:i(?:'ve| have) )?(?:migrated|implemented|released|deployed|shipped|ported|rewrote|rewritten|replaced|upgraded|moved|merged|published|split|converted|refactored|introduced|set up|rolled (?:out|back))\b`)
	landing   = []string{"git push", "gh pr create", "gh pr merge", "gh release create", "npm publish", "cargo publish", "kubectl apply", "terraform apply", "helm upgrade", "docker push", "git tag", "git commit"}
)

// minWork is how many tool calls make a piece of work worth an episode.
const minWork = 6

// episodes are pieces of work that came to an end: a turn with enough work, a
// command that landed the work, and the model's sentence about it. At most one
// in a step, and it ranks behind everything else.
func (s *session) episodes() []found {
	var out []found
	for at, e := range s.events {
		if e.Kind != transcript.Said || !s.weighed(at) || !s.closes(at) || s.denied(at) || !s.landed(at) {
			continue
		}
		for _, one := range prose(e.Text) {
			text := openers.Replace(one.text, "")
			if one.item == 0 && doneWords.Match(text) && s.sound(text) && specific(text) {
				out = append(out, s.candidate("Done: "+ended(sentenceCase(text)), memory.TypeEpisode, "work that landed", 0.52, at))
				break
			}
		}
	}
	return out[max(0, len(out)-1):]
}

// closes reports whether a text is the last of its turn.
func (s *session) closes(at int) bool {
	for i := at + 1; i < s.nextPrompt(at); i++ {
		if k := s.events[i].Kind; k == transcript.Said || k == transcript.Called {
			return false
		}
	}
	return true
}

// landed reports whether the turn before a text had enough work and a command
// that landed it.
func (s *session) landed(at int) bool {
	calls, landed := 0, false
	for i := at - 1; i >= 0 && s.events[i].Kind != transcript.Prompt; i-- {
		e := s.events[i]
		if e.Kind != transcript.Called || e.Tool.Failed {
			continue
		}
		calls++
		command := strings.TrimSpace(e.Tool.Field("command"))
		landed = landed || slices.ContainsFunc(shell.Kinds(command), func(kind string) bool {
			return slices.Contains(landing, kind) || kind == "gh pr create"
		})
	}
	return landed && calls >= minWork
}
