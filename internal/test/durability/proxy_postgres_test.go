package durability

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// proxyPostgres passes the protocol on to the server of a URL, and returns a
// URL that leads through the proxy. What a client sends up to the point where
// it waits for the answer is one message, and the answer is another.
func proxyPostgres(t testing.TB, g *gate, target string) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	socket := query.Get("host") + "/.s.PGSQL." + query.Get("port")
	listener := listen(t, g)
	var open sync.WaitGroup
	open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { passPostgres(g, client, socket) })
		}
	})
	query.Del("host")
	query.Del("port")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	return u.String()
}

// passPostgres serves one connection until either side ends it.
func passPostgres(g *gate, client net.Conn, socket string) {
	server, err := net.Dial("unix", socket)
	if err != nil {
		_ = client.Close()
		return
	}
	end := func() { _ = client.Close(); _ = server.Close() }
	var both sync.WaitGroup
	both.Go(func() { defer end(); passRequests(g, client, server) })
	both.Go(func() { defer end(); passAnswers(g, server, client) })
	both.Wait()
}

// passRequests holds messages back until the client waits for an answer.
func passRequests(g *gate, client io.ReadWriter, server io.Writer) {
	in := bufio.NewReader(client)
	startup, err := frame(in, false)
	if err != nil {
		return
	}
	if code := g.refusing().postgres; code != "" {
		refusePostgres(client, code)
		return
	}
	if _, err := server.Write(startup); err != nil {
		return
	}
	var held bytes.Buffer
	statements, what := map[string]string{}, ""
	for {
		message, err := frame(in, true)
		if err != nil {
			return
		}
		held.Write(message)
		switch body := message[5:]; message[0] {
		case 'Q':
			what = cString(body)
		case 'P': // the name of a prepared statement, and the statement
			name := cString(body)
			what = cString(body[len(name)+1:])
			statements[name] = what
		case 'B': // a portal, and the name of a prepared statement
			what = statements[cString(body[len(cString(body))+1:])]
		}
		if !strings.ContainsRune("QSHXpdcf", rune(message[0])) {
			continue
		}
		if message[0] != 'X' && message[0] != 'p' && !g.pass("> sql %s", short(what)) {
			return
		}
		if _, err := server.Write(held.Bytes()); err != nil {
			return
		}
		held.Reset()
	}
}

// refusePostgres answers a new connection as a server does that does not let it in.
func refusePostgres(client io.Writer, code string) {
	body := "SFATAL\x00VFATAL\x00C" + code + "\x00Mrefused by the test\x00\x00"
	message := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(body)+4))
	_, _ = client.Write(append(message, body...)) // it is ended at once
}

// passAnswers lets the end of an answer through the gate: until then, the
// client cannot go on.
func passAnswers(g *gate, server io.Reader, client io.Writer) {
	const readyForQuery = 'Z'
	in := bufio.NewReader(server)
	started := false // the first one ends the start-up
	for {
		message, err := frame(in, true)
		if err != nil {
			return
		}
		if message[0] == readyForQuery {
			if started && !g.pass("< sql") {
				return
			}
			started = true
		}
		if _, err := client.Write(message); err != nil {
			return
		}
	}
}

// frame reads one message of the protocol; the first of a client has no kind.
func frame(in *bufio.Reader, kind bool) ([]byte, error) {
	head := 4
	if kind {
		head = 5
	}
	message := make([]byte, head)
	if _, err := io.ReadFull(in, message); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint32(message[head-4:])) - 4
	message = append(message, make([]byte, size)...)
	_, err := io.ReadFull(in, message[head:])
	return message, err
}

// cString is the text up to the first NUL.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// short is the beginning of a statement, on one line.
func short(sql string) string {
	line := strings.Join(strings.Fields(sql), " ")
	return line[:min(len(line), 60)]
}
