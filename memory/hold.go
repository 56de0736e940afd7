package memory

import (
	"fmt"
	"strings"
	"time"
)

// The bounds of what one run prunes of a project without being told to.
const (
	HoldFloor = 10 // memories: no more than these are never held back
	HoldShare = 10 // more than one memory in so many is held back
)

// HeldPrune is a project whose pruning waits for a yes.
type HeldPrune struct {
	Project  string    `json:"project"`
	Memories int       `json:"memories"` // that would be pruned
	Live     int       `json:"live"`     // of so many
	HeldAt   time.Time `json:"held_at"`  // by the first run that stopped before them
}

// HoldsPrune reports whether n of so many live memories of a project are too
// many to be pruned without a yes.
func HoldsPrune(n, live int) bool { return n > HoldFloor && n*HoldShare > live }

// HeldText says in one line what waits for a yes, and how to look at it and to
// say yes; "" when nothing waits.
func HeldText(held []HeldPrune) (text, hint string) {
	switch len(held) {
	case 0:
		return "", ""
	case 1:
		h := held[0]
		h.Project = NormalizeText(PlainText(h.Project))
		return fmt.Sprintf("tidying up would prune %d of the %d memories of %s and waits for a yes", h.Memories, h.Live, h.Project),
			fmt.Sprintf("look at them with \"mneme review --project %[1]s\"; \"mneme organize --yes --project %[1]s\" prunes them", shellWord(h.Project))
	default:
		memories, live := 0, 0
		for _, h := range held {
			memories, live = memories+h.Memories, live+h.Live
		}
		return fmt.Sprintf("tidying up would prune %d of the %d memories of %d projects and waits for a yes", memories, live, len(held)),
			`look at them with "mneme review --all-projects"; "mneme organize --yes" prunes them`
	}
}

// shellWord writes a word so that a shell takes it as it is.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/@:+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
