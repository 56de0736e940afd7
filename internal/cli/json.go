package cli

import (
	"encoding/json"
	"time"

	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/memory"
)

// The shapes of --json. Names are snake_case; a field is never renamed or
// removed, but more may come. Times are RFC 3339, lists are never null.
//
//	store      memory.StoreResult
//	recall     array of hitJSON, best first; [] and exit code 3 if none
//	get        array of memory.Details
//	forget     memory.ForgetReceipt
//	link       memory.Link
//	related    array of memory.Related
//	history    memory.History
//	organize   memory.OrganizeReport; of a dry run with its plan: planFile
//	hooks log  hooksJSON
//	review     array of review.Item; with decisions, array of review.Outcome
//	analytics  analytics.Report; with --sql, array of objects; snapshot: memory.SnapshotReport
//	rebuild    memory.RebuildReport
//	import     importJSON
//	export     JSON lines of exportJSON, with or without --json
//	status     statusJSON
//	up         statusJSON (stats null), printed when ready
//	down       downJSON
//	doctor     array of doctor.Result
//	config     array of config.Setting
//	version    versionJSON
//	any error  errorJSON, on stderr

type hitJSON struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Truncated    bool      `json:"truncated,omitempty"` // the text is longer; get it by id
	Collection   string    `json:"collection"`
	Project      string    `json:"project"`
	Type         string    `json:"type"`
	Tags         []string  `json:"tags"`
	Confidence   float64   `json:"confidence"`
	Score        float64   `json:"score"`  // 0 to 1: the chance that it answers
	Strong       bool      `json:"strong"` // the score is above 0.7
	Reasons      []string  `json:"reasons"`
	CreatedAt    time.Time `json:"created_at"`
	LastAccessed time.Time `json:"last_accessed"`
	Session      string    `json:"session,omitempty"`
	Position     int       `json:"position,omitempty"`
	// The memory that replaced this one, if any.
	SupersededBy *memory.Successor `json:"superseded_by,omitempty"`
}

func hitsJSON(hits []memory.Hit) []hitJSON {
	out := make([]hitJSON, 0, len(hits))
	for _, h := range hits {
		h.Tags, h.Reasons = list(h.Tags), list(h.Reasons)
		out = append(out, hitJSON{
			h.ID, h.Text, h.Truncated, h.Collection, h.Project, h.Type, h.Tags, h.Confidence,
			h.Score, h.Strong, h.Reasons, h.CreatedAt, h.LastAccessed, h.Session, h.Position, h.SupersededBy,
		})
	}
	return out
}

type importJSON struct {
	ImportID  string          `json:"import_id"`
	Format    string          `json:"format"`
	Lines     int             `json:"lines"`              // memories in the source
	Bad       int             `json:"bad"`                // left out because of --skip-bad
	Resumed   int             `json:"resumed"`            // batches that an earlier run had done
	Stored    int             `json:"stored"`             // new memories
	Existing  int             `json:"existing"`           // texts that were there already
	Updated   int             `json:"updated"`            // memories whose place in the source says something else now
	Forgotten int             `json:"forgotten"`          // memories whose place in the source is gone
	Kept      int             `json:"kept"`               // memories that are a later version here than in the export
	Linked    int             `json:"linked"`             // new links
	Unlinked  int             `json:"unlinked"`           // links to or from memories that are not here
	Left      []importer.Left `json:"left_out,omitempty"` // what mneme has no place for
	Change    string          `json:"change,omitempty"`   // for "mneme undo"
	DryRun    bool            `json:"dry_run,omitempty"`  // the numbers are what would be
	Would     []wouldJSON     `json:"would,omitempty"`    // with DryRun: what would become what
	Projects  []string        `json:"projects,omitempty"` // that it went into
}

// wouldJSON says, for a dry run, what an import would do with one part of its source: store it as a
// new memory, change or move a memory, or forget a memory whose place in the source is gone.
type wouldJSON struct {
	Fate    memory.ImportFate `json:"fate"`
	From    string            `json:"source_ref,omitempty"`
	Project string            `json:"project"`
	Type    string            `json:"type"`
	ID      string            `json:"id,omitempty"` // of the memory that is there
	Text    string            `json:"text"`
	Old     string            `json:"old,omitempty"` // text of the memory that changes
}

// count takes over what the end of an import says.
func (r *importJSON) count(p memory.ImportProgress) {
	r.Stored, r.Existing, r.Updated, r.Forgotten, r.Change = p.Stored, r.Existing+p.Existing, p.Updated, p.Forgotten, p.Change
	r.Kept, r.Linked, r.Unlinked = p.Kept, p.Linked, p.Unlinked
}

type statusJSON struct {
	Running   bool                   `json:"running"`
	PID       int                    `json:"pid"`                // 0 if not running
	Starting  int                    `json:"starting,omitempty"` // process that is starting or stopping
	Version   string                 `json:"version"`
	StartedAt *time.Time             `json:"started_at"` // null if not running
	Home      string                 `json:"home"`
	UI        string                 `json:"ui"`
	Model     string                 `json:"model"`
	Ledger    string                 `json:"ledger,omitempty"`  // identity of the ledger of the daemon that runs
	Services  map[string]serviceJSON `json:"services"`          // temporal, postgres, qdrant and ollama, always
	Worker    *serviceJSON           `json:"worker"`            // null if nobody knows where Temporal is
	Stats     *memory.Stats          `json:"stats"`             // null if they could not be had
	Backups   *memory.BackupPlan     `json:"backups,omitempty"` // the schedule of backups, if there is one
	Waiting   []memory.Waiting       `json:"waiting"`           // accepted changes that a part keeps from being made
}

// serviceJSON is how a server is at the moment of the question.
type serviceJSON struct {
	Address   string        `json:"address"` // without secrets; empty if nobody knows it
	Mode      string        `json:"mode"`    // given, found or embedded
	Version   string        `json:"version"` // empty if it does not tell
	Supported bool          `json:"supported"`
	OK        bool          `json:"ok"`               // it answers, and does what mneme needs
	Detail    string        `json:"detail,omitempty"` // what is wrong, else what is worth knowing
	Problems  []problemJSON `json:"problems"`         // why it is not ok
	Warnings  []problemJSON `json:"warnings"`         // what should be mended all the same
}

type problemJSON struct {
	Code    string `json:"code"` // such as unavailable or refused
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

type downJSON struct {
	Stopped bool `json:"stopped"` // false if it was not running
	PID     int  `json:"pid"`
}

type versionJSON struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
}

type errorJSON struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"` // invalid, not_found, unavailable, conflict, internal or interrupted
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// list returns s, or an empty list for nil, which JSON would write as null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.sys.Stdout)
	enc.SetEscapeHTML(false) // texts are for people and programs, not for pages
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
