package memory

// AuditQuery asks for rows of the audit in the order of their ids.
type AuditQuery struct {
	After  int64 // only rows with greater ids
	UpTo   int64 // and none with a greater id than this one; 0 for no such bound
	Newest bool  // newest first
	Limit  int   // at most so many rows; required

	Actions []string // any of them; nil for all
	Project string   // "" for all
	Session string   // a session of Claude Code; "" for all
}
