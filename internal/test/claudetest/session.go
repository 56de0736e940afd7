package claudetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Session is one run of the client in print mode.
type Session struct {
	Dir     string        // the project
	Prompts []string      // one after the other in one process; "/compact" is one, too
	Script  Script        // what the model answers
	Args    []string      // more arguments of the client
	Env     []string      // more variables, as NAME=value
	Timeout time.Duration // 0 means a minute
}

// Result is what a session left.
type Result struct {
	Requests []Request
	Events   []Event // what the client printed, line by line
	Stderr   string
	Started  time.Time
	Took     time.Duration
}

// Event is one line of the client's stream-json output.
type Event struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	SessionID string          `json:"session_id"`
	HookName  string          `json:"hook_name"`
	Raw       json.RawMessage `json:"-"`
}

// Run plays a session and waits for its end. A client that fails is an error.
func (s *Sandbox) Run(ctx context.Context, in Session) (Result, error) {
	if in.Timeout == 0 {
		in.Timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, in.Timeout)
	defer cancel()
	model, err := NewModel(in.Script)
	if err != nil {
		return Result{}, err
	}
	defer model.Close()
	args := []string{"-p", "--output-format", "stream-json", "--verbose", "--include-hook-events"}
	if len(in.Prompts) == 1 {
		args = append(args, in.Prompts[0])
	} else {
		args = append(args, "--input-format", "stream-json")
	}
	cmd := s.Command(ctx, in.Dir, s.Bin, append(args, in.Args...)...)
	cmd.Env = append(append(cmd.Env, "ANTHROPIC_BASE_URL="+model.URL()), in.Env...)
	res := Result{Started: time.Now()}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if len(in.Prompts) == 1 {
		res.Events, err = plain(cmd)
	} else {
		res.Events, err = s.conversation(ctx, cmd, in.Prompts)
	}
	res.Took, res.Stderr, res.Requests = time.Since(res.Started), errs.String(), model.Requests()
	if ctx.Err() != nil {
		err = errors.Join(err, fmt.Errorf("the session took longer than %s", in.Timeout))
	}
	if err != nil {
		return res, fmt.Errorf("run Claude Code: %w\n%s\n%s", err, res.Stderr, res.lastEvents())
	}
	return res, nil
}

// plain runs a client that has its prompt as argument.
func plain(cmd *exec.Cmd) ([]Event, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	var events []Event
	for line := range bytes.Lines(out.Bytes()) {
		events = append(events, parseEvent(line))
	}
	return events, err
}

// conversation sends each prompt when the one before has its result, and the client
// has written that down.
func (s *Sandbox) conversation(ctx context.Context, cmd *exec.Cmd, prompts []string) ([]Event, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	events, err := talk(in, out, prompts, func(result Event) { s.untilWritten(ctx, result) })
	return events, errors.Join(err, cmd.Wait())
}

// untilWritten waits for the client to write the end of a turn to its transcript, which
// it does a moment after it was said: a person who reads it is slower. What is written
// nowhere is not waited for long.
func (s *Sandbox) untilWritten(ctx context.Context, result Event) {
	var said struct {
		Session string `json:"session_id"`
		Result  string `json:"result"`
	}
	if json.Unmarshal(result.Raw, &said) != nil || said.Result == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !s.wrote(said.Session, said.Result) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// wrote reports whether a session's transcript has a text.
func (s *Sandbox) wrote(session, text string) bool {
	quoted, err := json.Marshal(text)
	if err != nil {
		return false
	}
	paths, err := s.Transcripts()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		if filepath.Base(path) != session+".jsonl" {
			return false
		}
		data, err := os.ReadFile(path)
		return err == nil && bytes.Contains(data, quoted)
	})
}

func talk(in io.WriteCloser, out io.Reader, prompts []string, read func(result Event)) ([]Event, error) {
	var events []Event
	lines := bufio.NewReader(out)
	for _, prompt := range prompts {
		line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{
			"role": "user", "content": []any{map[string]any{"type": "text", "text": prompt}},
		}})
		if err != nil {
			return events, err
		}
		if _, err := in.Write(append(line, '\n')); err != nil {
			return events, fmt.Errorf("send %q: %w", prompt, err)
		}
		for {
			e, err := nextEvent(lines)
			if err != nil {
				return events, fmt.Errorf("wait for the result of %q: %w", prompt, err)
			}
			events = append(events, e)
			if e.Type == "result" {
				read(e)
				break
			}
		}
	}
	if err := in.Close(); err != nil {
		return events, err
	}
	for {
		e, err := nextEvent(lines)
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func nextEvent(lines *bufio.Reader) (Event, error) {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return Event{}, err
	}
	return parseEvent(line), nil
}

// parseEvent reads one line; what is not JSON stays readable in Raw.
func parseEvent(line []byte) Event {
	var e Event
	if json.Unmarshal(line, &e) != nil {
		e = Event{}
	}
	e.Raw = append(e.Raw, bytes.TrimSpace(line)...)
	return e
}

// Found is a text that holds what was looked for.
type Found struct {
	Request int // its number, from 1
	Kind    string
	Text
}

// Find lists the texts of all requests that hold a marker.
func (r Result) Find(marker string) []Found {
	var out []Found
	for i, q := range r.Requests {
		for _, t := range q.Body.Texts() {
			if strings.Contains(t.Text, marker) {
				out = append(out, Found{i + 1, q.Kind, t})
			}
		}
	}
	return out
}

// Main lists the requests of the conversation.
func (r Result) Main() []Request {
	var out []Request
	for _, q := range r.Requests {
		if q.Kind == KindMain || q.Kind == KindRule {
			out = append(out, q)
		}
	}
	return out
}

// Dump shows all texts of all requests, for a test that fails.
func (r Result) Dump() string {
	var b strings.Builder
	for i, q := range r.Requests {
		for _, t := range q.Body.Texts() {
			const most = 1500
			fmt.Fprintf(&b, "request %d (%s) %s: %.*s\n", i+1, q.Kind, t.Place, most, t.Text)
		}
	}
	return b.String()
}

func (r Result) lastEvents() string {
	var b strings.Builder
	for _, e := range r.Events[max(0, len(r.Events)-5):] {
		fmt.Fprintf(&b, "%.600s\n", e.Raw)
	}
	return b.String()
}
