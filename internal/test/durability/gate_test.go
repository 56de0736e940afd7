package durability

import (
	"fmt"
	"net"
	"sync"
)

// gate numbers the messages that pass between a worker and the services, and
// ends the worker at one of them. A message that is a request has not reached
// the service then; one that is an answer has not reached the worker.
type gate struct {
	kill func() // ends the worker and returns when it is dead

	mu    sync.Mutex
	armed bool
	at    int      // the message to kill at, from 1; 0 is none
	seen  []string // what passed since the gate was armed
	hit   chan struct{}
	shot  bool // hit is closed

	refuses refusal

	open sync.Map // net.Conn of the worker's side of the proxies
}

// cut ends all connections of the worker.
func (g *gate) cut() {
	g.open.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		return true
	})
}

// watched is a listener whose connections the gate can cut.
type watched struct {
	net.Listener
	gate *gate
}

type watchedConn struct {
	net.Conn
	gate *gate
}

func (l watched) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &watchedConn{Conn: conn, gate: l.gate}
	l.gate.open.Store(c, nil)
	return c, nil
}

func (c *watchedConn) Close() error {
	c.gate.open.Delete(c)
	return c.Conn.Close()
}

// refusal is what the proxies answer themselves while a part is to refuse.
// The zero value lets everything pass.
type refusal struct {
	qdrant   func(method string) error // of a call
	ollama   int                       // HTTP status of every answer
	message  string                    // of that answer
	postgres string                    // SQLSTATE of every new connection's end
}

// refuse sets what the proxies answer from now on.
func (g *gate) refuse(r refusal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuses = r
}

// refusing returns what the proxies answer now.
func (g *gate) refusing() refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refuses
}

// arm begins to count, and kills at message number at; 0 only counts.
func (g *gate) arm(at int) (hit <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed, g.at, g.seen, g.hit, g.shot = true, at, nil, make(chan struct{}), false
	return g.hit
}

// disarm stops counting and returns what passed, and whether it killed.
func (g *gate) disarm() (seen []string, killed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.armed = false
	return g.seen, g.shot
}

// pass reports whether a message may go on. It is false when the worker was
// killed at it.
func (g *gate) pass(format string, args ...any) bool {
	g.mu.Lock()
	defer g.mu.Unlock() // the others wait, too: nothing moves while the worker is being killed
	if !g.armed {
		return true
	}
	g.seen = append(g.seen, fmt.Sprintf(format, args...))
	if len(g.seen) != g.at {
		return true
	}
	g.armed, g.shot = false, true
	g.kill()
	close(g.hit)
	return false
}
