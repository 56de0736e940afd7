package memory

import (
	"strings"
	"time"
)

// BackupFormat is the version of the backup file's format; see package backup.
const BackupFormat = 1

// BackupHead says what a backup holds. Rows of the tables follow it in the order of Tables.
type BackupHead struct {
	Format    int           `json:"mneme_backup"` // BackupFormat
	Schema    int64         `json:"schema"`       // the last migration of the ledger
	Version   string        `json:"mneme"`        // the program that wrote it
	CreatedAt time.Time     `json:"created_at"`
	Ledger    string        `json:"ledger"`              // identity of the ledger that was backed up
	Model     string        `json:"model,omitempty"`     // embedding model of the vectors; empty before the first store
	Dimension int           `json:"dimension,omitempty"` // of the vectors
	Live      int64         `json:"live"`                // live memories
	Tables    []BackupTable `json:"tables"`
	// Settings are what the config file of the home sets, by name: without secrets, keys and
	// the addresses of servers.
	Settings map[string]string `json:"settings,omitempty"`
}

// BackupTable is one table of the ledger.
type BackupTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // in the order in which each row has them
	Rows    int64    `json:"rows"`
}

// Rows counts the rows of all tables.
func (h BackupHead) Rows() (n int64) {
	for _, t := range h.Tables {
		n += t.Rows
	}
	return n
}

// Backup is a backup that was written, or read and found to be whole.
type Backup struct {
	Head    BackupHead
	Digests map[string]string // SHA-256 of each table's rows, in hex
	SHA256  string            // of everything but the last line, in hex: it names this backup
}

// BackupPlace is where a backup was written, so that whoever must know where copies of the
// memories are can be told.
type BackupPlace struct {
	Path string    `json:"path"` // of the file, or of the folder of scheduled backups
	Host string    `json:"host"` // the machine
	At   time.Time `json:"at"`   // when the last one was written there
	// Every is the time between scheduled backups, empty for a single file.
	Every string `json:"every,omitempty"`
}

// RestoreTarget says what a ledger holds before a backup is restored into it.
type RestoreTarget struct {
	Schema   int64  `json:"schema"`
	Empty    bool   `json:"empty"`
	Found    string `json:"found,omitempty"`    // what is in it, if it is not empty
	Restored bool   `json:"restored,omitempty"` // the very backup was restored into it
}

// firstBackup is the oldest schema that is restored: the first with all that an identity needs.
// The first release with backups has 6; a test restores an older one.
const firstBackup = 4

// Fits refuses a backup that cannot be restored into a ledger of a schema.
func (h BackupHead) Fits(schema int64) error {
	switch {
	case h.Format != BackupFormat:
		return Errorf(Invalid, "restore it with a newer mneme", "the backup has format %d, and this mneme reads %d", h.Format, BackupFormat)
	case h.Schema > schema:
		return Errorf(Invalid, "upgrade mneme here, start it once, and restore then",
			"the backup is of a newer mneme: its schema is %d, the one here %d", h.Schema, schema)
	case h.Schema < firstBackup:
		return Errorf(Invalid, `give a file that "mneme backup" wrote`, "no mneme writes backups of schema %d", h.Schema)
	}
	return nil
}

// The bounds of scheduled backups.
const (
	MinBackupEvery = 10 * time.Minute
	MaxBackupEvery = 366 * 24 * time.Hour
	MaxBackupsKept = 1000
)

// BackupInput asks a worker to write a backup into a folder of its machine, and to keep only the
// last ones there.
type BackupInput struct {
	Dir        string        `json:"dir"`                  // absolute
	Keep       int           `json:"keep"`                 // how many of this ledger's
	Every      time.Duration `json:"every,omitempty"`      // of a schedule; 0 for one backup
	Recipients []string      `json:"recipients,omitempty"` // public keys of age; none means not encrypted
	User       string        `json:"user,omitempty"`
	At         time.Time     `json:"at,omitzero"` // names the file; the workflow sets it
}

// Check refuses what cannot be done.
func (in BackupInput) Check() error {
	switch {
	case !strings.HasPrefix(in.Dir, "/"):
		return Errorf(Invalid, "give the whole path of a folder: --to /path", "%q is no whole path", Clip(in.Dir, MaxRepeated))
	case in.Keep < 1 || in.Keep > MaxBackupsKept:
		return Errorf(Invalid, "give --keep 7, say", "keep must be 1 to %d, got %d", MaxBackupsKept, in.Keep)
	case in.Every != 0 && (in.Every < MinBackupEvery || in.Every > MaxBackupEvery):
		return Errorf(Invalid, "give --every 24h, say", "backups can be %s to %d days apart, not %s", MinBackupEvery, MaxBackupEvery/(24*time.Hour), in.Every)
	}
	return nil
}

// BackupReport says what a worker wrote.
type BackupReport struct {
	Path      string `json:"path"`
	Host      string `json:"host"` // the machine
	Bytes     int64  `json:"bytes"`
	Live      int64  `json:"live"`
	Encrypted bool   `json:"encrypted"`
	Removed   int    `json:"removed"` // older backups
	Done      int64  `json:"done"`    // rows, while it runs
	Rows      int64  `json:"rows"`
}

// BackupPlan is what the schedule of backups does.
type BackupPlan struct {
	BackupInput

	Next time.Time `json:"next,omitzero"`
	Last time.Time `json:"last,omitzero"` // when one was begun
}
