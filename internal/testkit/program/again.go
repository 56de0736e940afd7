package program

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Again runs the test binary once more, with variables besides those it has,
// and returns it with the two words of the first line that it prints: the id
// of a process that it started, and where that process answers. The binary
// asks for the variables in its TestMain. It is killed with the test.
func Again(t testing.TB, env ...string) (cmd *exec.Cmd, pid int, address string) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // ourselves
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	word, address, _ := strings.Cut(strings.TrimSpace(line), " ")
	if pid, err = strconv.Atoi(word); err != nil {
		t.Fatal(err)
	}
	return cmd, pid, address
}

// Alive reports whether a process runs. A dead child of a dead parent stays a
// number until its new parent asks for it, and is not alive.
func Alive(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(text), ") Z ")
}
