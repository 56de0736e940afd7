package durability

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// process is a child process of a test.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended; read after ended

	mu  sync.Mutex
	log bytes.Buffer
}

// start starts a child and returns where the first line is sent that ready
// accepts. The child ends with the test at the latest.
func start(t testing.TB, cmd *exec.Cmd, ready func(line string) bool) (*process, <-chan string) {
	t.Helper()
	p, found, err := launch(cmd, ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p, found
}

// launch starts a child that nobody ends but its caller.
func launch(cmd *exec.Cmd, ready func(line string) bool) (*process, <-chan string, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	_ = in.Close()
	found := make(chan string, 1)
	go p.read(out, found, ready)
	go func() { p.err = cmd.Wait(); close(p.ended) }()
	return p, found, nil
}

// spawn starts a child and returns when it has written a line that ready
// accepts, which it returns.
func spawn(t testing.TB, cmd *exec.Cmd, ready func(line string) bool) (*process, string) {
	t.Helper()
	p, found := start(t, cmd, ready)
	select {
	case line := <-found:
		return p, line
	case <-p.ended:
		t.Fatalf("%s ended: %v\n%s", cmd.Path, p.err, p.said())
	case <-t.Context().Done():
		t.Fatalf("%s is not ready\n%s", cmd.Path, p.said())
	}
	return nil, ""
}

func (p *process) read(out io.ReadCloser, found chan<- string, ready func(string) bool) {
	defer out.Close()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.mu.Lock()
		p.log.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		if ready != nil && ready(lines.Text()) {
			found <- lines.Text()
			ready = nil
		}
	}
}

// said is what the child has written.
func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// signal sends a signal; to a child that has ended that is nothing.
func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(fmt.Sprintf("signal %s: %v", p.cmd.Path, err))
	}
}

// kill ends the child as kill -9 does and returns when it is dead.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// stop asks the child to end and returns how it did.
func (p *process) stop() error {
	p.signal(syscall.SIGTERM)
	<-p.ended
	return p.err
}

// workerCommand is the mneme-worker binary with the addresses it needs.
func workerCommand(t testing.TB, s services) *exec.Cmd {
	cmd := exec.Command(workerBinary)
	cmd.Env = s.environ(t.TempDir())
	return cmd
}

// startWorker starts a worker and waits until it works.
func startWorker(t testing.TB, s services) *process {
	t.Helper()
	p, _ := spawn(t, workerCommand(t, s), isWorking)
	return p
}

// serving is how the line begins in which a server says that it is ready.
const serving = "serving "

func isServing(line string) bool { return strings.HasPrefix(line, serving) }

func isWorking(line string) bool { return strings.Contains(line, "msg=working") }
