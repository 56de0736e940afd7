package child

import (
	"io"
	"os"
	"strings"
)

// tailLines is how much of a log an error message repeats.
const tailLines = 5

// LogTail is the end of what was written to the log at path since offset from, on one
// line, for an error message.
func LogTail(path string, from int64) string {
	const most = 4096
	f, err := os.Open(path)
	if err != nil {
		return "(not readable)"
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		from = max(from, info.Size()-most)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return "(not readable)"
	}
	return LastLines(string(text))
}

// LastLines is the end of a program's output on one line, for an error message.
func LastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], " | ")
}
