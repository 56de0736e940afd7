package durability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The variables of a worker with a wrong clock.
const (
	clockEnv    = "MNEME_TEST_CLOCK"        // has the worker be built so that its clock can be moved
	clockOffset = "MNEME_TEST_CLOCK_OFFSET" // by so many seconds; read by the worker
)

// What is changed in package time of the worker. Its monotonic clock, which measures how long
// something takes, goes on as ever, as it does when somebody sets the clock of a machine.
const (
	readsClock = "sec, nsec, mono := runtimeNow()\n"
	movesClock = "\tsec += movedBy\n"
	addedClock = `

var movedBy = readMovedBy()

func readMovedBy() (n int64) {
	text, _ := syscall.Getenv("` + clockOffset + `")
	negative := len(text) > 0 && text[0] == '-'
	for _, c := range text {
		if c >= '0' && c <= '9' {
			n = n*10 + int64(c-'0')
		}
	}
	if negative {
		return -n
	}
	return n
}
`
)

// movableClock returns the arguments by which "go build" gives a program a clock that can be moved.
// It compiles all of the program anew, because everything knows the time.
func movableClock(dir string) ([]string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go's sources: %w", err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return nil, err
	}
	for old, now := range map[string]string{readsClock: readsClock + movesClock, "\t\"math/bits\"\n": "\t\"math/bits\"\n\t\"syscall\"\n"} {
		if bytes.Count(source, []byte(old)) < 1 {
			return nil, fmt.Errorf("%s reads the time in another way than this test knows: no %q", original, old)
		}
		source = bytes.ReplaceAll(source, []byte(old), []byte(now))
	}
	moved, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(moved, append(source, addedClock...), 0o600); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: moved}})
	if err != nil {
		return nil, err
	}
	return []string{"-overlay", overlay}, os.WriteFile(overlay, text, 0o600)
}

// clock moves the clock of the next worker of a site, if it can be moved.
func (s *site) clock() []string {
	if os.Getenv(clockEnv) == "" {
		return nil
	}
	by := s.soon(96*time.Hour) - 48*time.Hour
	s.tally.other("the worker's clock moved")
	return []string{fmt.Sprintf("%s=%d", clockOffset, int64(by/time.Second))}
}
