package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// The defaults of [MessageOptions].
const (
	DefaultMessageBytes = 4 << 20
	DefaultMessageLine  = 32 << 20 // a picture is a line of some megabytes
)

// MessageOptions are those of [ReadMessages].
type MessageOptions struct {
	// Whole takes the last answer too, although the client may still be writing
	// more of it: for a transcript that nobody writes to.
	Whole    bool
	Thinking bool  // also give Thought events
	Tools    bool  // also give Called events
	MaxLine  int   // bytes; longer lines are skipped; 0 means DefaultMessageLine
	MaxText  int   // bytes kept of one text; 0 means DefaultMessageBytes
	MaxBytes int64 // of the file in one call, a line more at most; 0 means to its end
}

// Stretch is the part of a transcript that one call of [ReadMessages] read.
type Stretch struct {
	Events  []Event // Prompt, Said, and what was asked for, in the order of the file
	End     int64   // where the next call begins
	More    bool    // it ended at MaxBytes
	Skipped int     // lines that were too long or no JSON
}

// ReadMessages gives what was said in a transcript from a place on, where a line
// begins. The parts of an answer that the client wrote on several lines are one
// event. Lines that the client writes again, as after a compaction, are given
// again, under the same UUID. What stands at the end and is not whole yet is left
// for the next call, which begins at [Stretch.End].
func ReadMessages(ctx context.Context, path string, from int64, o MessageOptions) (Stretch, error) {
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMessageLine
	}
	if o.MaxText <= 0 {
		o.MaxText = DefaultMessageBytes
	}
	f, err := os.Open(path)
	if err != nil {
		return Stretch{}, fmt.Errorf("open transcript: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return Stretch{}, fmt.Errorf("read transcript %s: %w", path, err)
	}
	out, err := readMessages(ctx, newLineReader(f, from, o.MaxLine), from, o)
	if err != nil {
		return Stretch{}, fmt.Errorf("read transcript %s: %w", path, err)
	}
	return out, nil
}

func readMessages(ctx context.Context, lines *lineReader, from int64, o MessageOptions) (Stretch, error) {
	out := Stretch{End: from}
	asm := newAssembler(o.MaxText)
	asm.thinking = o.Thinking
	settled, settledAt := 0, from // events, and where they end, when no call waited for its result
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
		if entry, ok := parseLine(l.data); ok {
			asm.offset = l.offset
			asm.add(entry, New)
		} else if l.tooLong || len(l.data) > 0 {
			out.Skipped++
		}
		out.End = l.end
		waiting := o.Tools && len(asm.open) > 0
		if !waiting {
			settled, settledAt = len(asm.events), l.end
		}
		// It must end behind something whole, or the next call would begin here again.
		// A result without its call is lost, so a step waits for it, but not for ever.
		if o.MaxBytes > 0 && l.end-from >= o.MaxBytes && whole(asm.events) > 0 && (!waiting || l.end-from >= maxSteps*o.MaxBytes) {
			out.More = true
			break
		}
	}
	events := asm.events
	if !o.Whole && !out.More {
		events, out.End = events[:settled], settledAt
	}
	if !o.Whole || out.More {
		if keep := whole(events); keep < len(events) {
			events, out.End = events[:keep], events[keep].Offset
		}
	}
	for _, e := range events {
		if e.Kind == Prompt || e.Kind == Said || e.Kind == Called && o.Tools || e.Kind == Thought {
			out.Events = append(out.Events, e)
		}
	}
	return out, nil
}

// maxSteps is how many times as long as it should be a step may become to have a
// call's result in it.
const maxSteps = 8

// whole is how many of the events cannot grow: the last one can if it is said.
func whole(events []Event) int {
	n := len(events)
	if n > 0 && events[n-1].Kind == Said {
		n--
	}
	return n
}

// FirstDir returns the folder that a session was begun in: the first one that
// its transcript names, "" if none does.
func FirstDir(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open transcript: %w", err)
	}
	defer f.Close()
	const most = 200 // lines
	lines := newLineReader(f, 0, DefaultMessageLine)
	for range most {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		l, err := lines.next()
		if err != nil {
			return "", ignoreEOF(err)
		}
		if entry, ok := parseLine(l.data); ok && entry.CWD != "" {
			return entry.CWD, nil
		}
	}
	return "", nil
}
