package extract

// ErrorSignature is what is characteristic of an error: the same for the same
// error in another file, line, run or folder.
type ErrorSignature struct {
	Kind  string   // of command, e.g. "go test"; empty when there is no command
	Query string   // short text to search for: the kind and the telling lines
	Lines []string // the telling lines, as they were but for paths, numbers and times
}

// Signature picks the telling lines out of what a failed command printed and
// strips from them what differs between runs.
func Signature(command, errorText string) ErrorSignature { return ErrorSignature{} }

// SameKind reports whether command b tries what command a tried: the same
// program and task, whatever its paths, flags, environment, folder or pipe.
func SameKind(a, b string) bool { return false }

// HidesFailure reports whether a command that ended well printed what shows
// that what it ran failed, as in "go test ./... | tail".
func HidesFailure(command, output string) bool { return false }
