package transcript

// Checkpoint says how far a transcript has been taken. The zero value is the
// beginning of the file. It is made by [Read] and meant to be kept as JSON.
type Checkpoint struct {
	UUID   string `json:"uuid,omitempty"`   // of the last line taken
	Offset int64  `json:"offset,omitempty"` // where that line begins, in bytes; only a hint, verified on use
}

// IsZero reports whether nothing has been taken yet.
func (c Checkpoint) IsZero() bool { return c.UUID == "" }

// The defaults of [Options].
const (
	DefaultContextBytes = 1 << 20
	DefaultMaxLine      = 8 << 20
	DefaultMaxBytes     = 4 << 20 // a step takes some 50 ms
	DefaultMaxText      = 16 << 10
)

// Options of [Read]. The zero value is right for a sweep while a session runs.
type Options struct {
	// Whole takes the turn that is still open too: for PreCompact, SessionEnd and
	// the sweep of a session that is over. Without it a step ends before the last
	// prompt, so that what the person answers can be weighed ("no, that is wrong")
	// and lines that are still to be written are not missed.
	Whole bool

	ContextBytes int64 // of the file before the checkpoint, given as Earlier; 0 means DefaultContextBytes, negative none
	MaxLine      int   // bytes; longer lines are skipped; 0 means DefaultMaxLine
	MaxBytes     int64 // of the file after the checkpoint in one step; 0 means DefaultMaxBytes
	MaxText      int   // bytes kept of one text, input string or result; 0 means DefaultMaxText
}

func (o Options) withDefaults() Options {
	if o.ContextBytes == 0 {
		o.ContextBytes = DefaultContextBytes
	}
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxText <= 0 {
		o.MaxText = DefaultMaxText
	}
	return o
}

// Batch is the result of one step.
type Batch struct {
	Events  []Event    // Earlier ones first, then New, then Ahead
	Next    Checkpoint // to keep once the New events are dealt with; the one given when there are none
	More    bool       // the step ended at MaxBytes: read again from Next
	Lost    bool       // the checkpoint was not in the file; read from its beginning
	Skipped int        // lines after the checkpoint that were too long or no JSON
}
