package endtoend

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/testkit/program"
)

// TestStrangersAreRefused goes to every port that a running mneme listens on, and to the
// ledger's Unix socket, as another user of the machine. Which ports those are is read from the system, so that a port that is
// added some day is tried too.
func TestStrangersAreRefused(t *testing.T) {
	t.Parallel()
	shared.http(t, map[string]string{}) // MCP over HTTP is a port as well
	doors := listening(t, withChildren(t, program.Of(shared.home)))
	if len(doors) < 8 { // Temporal's four, its UI, the index, the model, MCP
		t.Fatalf("not all that listens was found: %v", doors)
	}
	doors = append(doors, ledgerSocket(t))
	ownerGetsIn(t, doors)
	if out := asStranger(t, doors); len(out) > 0 {
		t.Errorf("another user gets in:\n%s", out)
	}
}

// ledgerSocket is the Unix socket of PostgreSQL.
func ledgerSocket(t *testing.T) string {
	t.Helper()
	d, err := homestate.Read(shared.home)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(d.Services[homestate.PostgresService].Address)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(u.Query().Get("host"), ".s.PGSQL."+u.Query().Get("port"))
	if len(intrude(path)) == 0 {
		t.Fatalf("the owner does not get in at %s either", path)
	}
	return path
}

// withChildren adds the processes that others have started, such as PostgreSQL's: it names
// the folder nowhere.
func withChildren(t *testing.T, processes map[int]string) map[int]string {
	t.Helper()
	parents := map[int]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		_, after, ok := strings.Cut(string(text), ") ") // a name may hold anything
		if f := strings.Fields(after); err == nil && ok && len(f) > 1 {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			parents[pid], _ = strconv.Atoi(f[1])
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, parent := range parents {
			_, known := processes[pid]
			if _, ours := processes[parent]; ours && !known {
				processes[pid], grown = "", true
			}
		}
	}
	return processes
}

// ownerGetsIn tries the same with the home's key: Temporal's four ports, the index and the
// model open.
func ownerGetsIn(t *testing.T, doors []string) {
	t.Helper()
	key, err := config.HomeTLS(shared.home).Config()
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	for _, door := range doors {
		if !strings.HasPrefix(door, "/") && len(intrude(door, key)) > 0 {
			opened++
		}
	}
	if opened != 6 {
		t.Errorf("the owner gets in at %d ports, want 6", opened)
	}
}

// TestStrangersGetInWhereNobodyGuards is the test of the test above: servers that ask for
// nothing let a stranger in, and are found where they listen.
func TestStrangersGetInWhereNobodyGuards(t *testing.T) {
	t.Parallel()
	index, err := qdrant.Start(t.Context(), qdrant.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Stop(); err != nil {
			t.Error(err)
		}
	})
	models, err := ollama.Start(t.Context(), ollama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Stop(); err != nil {
			t.Error(err)
		}
	})
	doors := []string{index.Addr(), models.Addr()}
	found := listening(t, map[int]string{os.Getpid(): ""})
	out := asStranger(t, doors)
	for _, door := range doors {
		if !slices.Contains(found, door) || !strings.Contains(out, door) {
			t.Errorf("nobody is let in at %s, or it is not found", door)
		}
	}
}

// strangerID is a user that owns nothing on any machine.
const strangerID = 61234

// asStranger has another user try the doors, and returns those that opened.
func asStranger(t *testing.T, doors []string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user: run this test as root")
	}
	// The test binary lies where only we may go.
	dir, err := os.MkdirTemp("", "mneme-stranger-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	binary := filepath.Join(dir, "stranger")
	copyProgram(t, binary)
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // it keeps its own things there
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Dir = dir
	cmd.Env = []string{strangerEnv + "=" + strings.Join(doors, " "), "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: strangerID, Gid: strangerID}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the stranger failed: %v\n%s", err, out)
	}
	return string(out)
}

// copyProgram copies this test's program, for anybody to run.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, from); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// listening returns the TCP addresses that processes listen on, from the system's tables.
func listening(t *testing.T, processes map[int]string) []string {
	t.Helper()
	inodes := map[string]bool{}
	for pid := range processes {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			target, err := os.Readlink(link)
			if err != nil {
				continue // closed meanwhile
			}
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var out []string
	for _, table := range []string{"tcp", "tcp6"} {
		const address, state, inode = 1, 3, 9
		for _, f := range rows(t, table, inode+1) {
			if f[state] == "0A" && inodes[f[inode]] {
				out = append(out, tcpAddress(t, f[address]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rows returns the rows of a table of the kernel that have at least so many fields.
func rows(t *testing.T, table string, fields int) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile("/proc/net/" + table)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); i > 0 && len(f) >= fields {
			out = append(out, f)
		}
	}
	return out
}

// tcpAddress reads an address as the kernel writes it: words of four bytes in the machine's
// order, and the port.
func tcpAddress(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+4 <= len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		t.Fatalf("%s is no address", text)
	}
	if ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", fmt.Sprint(number))
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)).String()
}
