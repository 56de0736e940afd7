package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	// maxMessage bounds one JSON-RPC message: a megabyte of text, every
	// character escaped, still gets a helpful answer.
	maxMessage = 8 << 20
	// maxInFlight bounds the requests that are worked on at once.
	maxInFlight = 32
	// drainEOF is how long answers are still given after the input ends, so
	// that a store that was sent is also answered.
	drainEOF = 10 * time.Second
	// drainStop is the same after a signal: Claude Code kills in 500 ms.
	drainStop = 80 * time.Millisecond
)

// methodDiscover belongs to the stateless protocol, which mneme does not
// speak: refused at once, Claude Code falls back to the handshake.
const methodDiscover = "server/discover"

// stdio is one session over a pair of streams. mcp-go has one too, but that
// gives up what is in flight when the input ends, loses a last line without a
// line break, and reads lines of any length.
type stdio struct {
	s       *Server
	out     io.Writer
	writing sync.Mutex
	broken  context.CancelCauseFunc
	running sync.WaitGroup
	slots   chan struct{}
}

// ServeStdio serves one client until the input ends (nil), ctx ends (nil) or
// the output breaks (an error). Nothing but JSON-RPC is written to out. When
// ctx ends while a read blocks, the reading goroutine is left behind: only the
// end of the process frees it.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &stdio{s: s, out: out, broken: cancel, slots: make(chan struct{}, maxInFlight)}
	session := server.NewInProcessSession(server.GenerateInProcessSessionID(), nil)
	if err := s.mcp.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("register session: %w", err)
	}
	defer s.mcp.UnregisterSession(context.WithoutCancel(ctx), session.SessionID())
	ctx = s.mcp.WithContext(ctx, session)

	ended := make(chan error, 1)
	go func() { ended <- t.read(ctx, in) }()
	var err error
	select {
	case err = <-ended:
		t.drain(ctx, drainEOF)
	case <-ctx.Done():
		t.drain(context.WithoutCancel(ctx), drainStop)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// drain waits until the running requests are answered, at most for most.
func (t *stdio) drain(ctx context.Context, most time.Duration) {
	done := make(chan struct{})
	go func() { t.running.Wait(); close(done) }()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// read handles messages until the input ends.
func (t *stdio) read(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for ctx.Err() == nil {
		line, tooLong, err := readLine(r)
		switch {
		case tooLong:
			t.write(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST,
				fmt.Sprintf("the message is longer than %d bytes", maxMessage), nil))
		case len(line) > 0:
			t.handle(ctx, line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
	}
	return nil
}

// readLine returns the next line without white space around it. Of a line
// longer than maxMessage nothing is kept.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// envelope is what decides how a message is handled.
type envelope struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
}

// handle answers one message. Requests run at the same time, except the
// handshake, which later ones rely on; notifications are handled in order.
func (t *stdio) handle(ctx context.Context, line []byte) {
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil {
		t.write(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, "the message is not a JSON-RPC object", nil))
		return
	}
	switch {
	case e.Method == methodDiscover && e.ID != nil:
		t.write(refuseDiscover(e.ID))
	case e.ID == nil, e.Method == string(mcp.MethodInitialize):
		t.answer(ctx, line)
	default:
		t.slots <- struct{}{}
		t.running.Go(func() {
			defer func() { <-t.slots }()
			t.answer(ctx, line)
		})
	}
}

func refuseDiscover(id any) mcp.JSONRPCError {
	return mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.METHOD_NOT_FOUND, "method "+methodDiscover+" not found", nil)
}

func (t *stdio) answer(ctx context.Context, line []byte) {
	if resp := t.s.mcp.HandleMessage(ctx, line); resp != nil {
		t.write(resp)
	}
}

// write sends one message. Without an output there is no session, so an error
// ends it.
func (t *stdio) write(message mcp.JSONRPCMessage) {
	b, err := json.Marshal(message)
	if err != nil {
		t.broken(fmt.Errorf("encode an answer: %w", err))
		return
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if _, err := t.out.Write(append(b, '\n')); err != nil {
		t.broken(fmt.Errorf("write an answer: %w", err))
	}
}
