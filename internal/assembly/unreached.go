package assembly

import (
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// Unreached lists the places that a purge cannot search: files that belong to other programs, and
// copies whose place mneme does not know, such as exports and snapshots of the disk.
func Unreached(temporal, qdrant homestate.Service) []memory.Unreached {
	out := []memory.Unreached{
		{
			What:  "Claude Code's own transcripts, and sessions that run now",
			Until: "Claude Code deletes them (30 days, unless its cleanupPeriodDays says otherwise), or you do",
		},
		{What: "exports, backups, and copies or snapshots of the disk", Until: "you delete them"},
	}
	if temporal.Mode == homestate.Given {
		out = append(out, memory.Unreached{
			What: "the database of the Temporal that you gave, its archive and backups: the payloads in them are encrypted", Until: "its retention is over",
		})
	} else {
		out = append(out, memory.Unreached{
			What: "free pages of Temporal's database: they hold deleted histories, encrypted with a key of keys/payload.keys", Until: "Temporal writes over them",
		})
	}
	switch qdrant.Mode {
	case homestate.Given:
		out = append(out, memory.Unreached{
			What:  "the files and snapshots of the Qdrant that you gave: the points are deleted",
			Until: "it has tidied its segments up, and its snapshots are deleted",
		})
	case homestate.Found:
		out = append(out, memory.Unreached{
			What:  "files of the qdrant program that it keeps in a form of its own",
			Until: "it has tidied its segments up",
		})
	}
	return out
}
