package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read takes the next step through a transcript: the events after a checkpoint,
// some before it for context, and the checkpoint to go on from.
//
// A file that does not exist gives an error that is [os.ErrNotExist]: that is
// normal at the start of a session, and when the client keeps no transcripts.
// Lines that cannot be read are counted, not reported.
func Read(ctx context.Context, path string, after Checkpoint, opts Options) (Batch, error) {
	opts = opts.withDefaults()
	f, err := os.Open(path)
	if err != nil {
		return Batch{}, fmt.Errorf("open transcript: %w", err)
	}
	defer f.Close()
	start, lost, err := locate(ctx, f, after, opts)
	if err != nil {
		return Batch{}, fmt.Errorf("find place in transcript %s: %w", path, err)
	}
	if lost {
		after = Checkpoint{}
	}
	s := &step{opts: opts, after: after, asm: newAssembler(opts.MaxText), seen: make(map[string]bool)}
	s.taken = after.IsZero()
	s.next, s.whole = after, after
	if err := s.run(ctx, f, start); err != nil {
		return Batch{}, fmt.Errorf("read transcript %s: %w", path, err)
	}
	batch := s.batch()
	batch.Lost = lost
	return batch, nil
}

// step is one walk through the file from where the context begins.
type step struct {
	opts  Options
	after Checkpoint
	asm   *assembler
	seen  map[string]bool // uuids: after a compaction the client writes some lines again

	taken     bool       // the checkpoint's line is behind us
	begin     int64      // where the lines after the checkpoint begin
	whole     Checkpoint // the last line read
	next      Checkpoint // the last line before the last prompt
	cut       int        // the event of the last prompt
	hasPrompt bool
	more      bool
	skipped   int
}

func (s *step) run(ctx context.Context, f io.ReadSeeker, start int64) error {
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return err
	}
	lines := newLineReader(f, start, s.opts.MaxLine)
	s.begin = start
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.take(l)
		// A step that got nowhere would be repeated for ever: it goes on until
		// there is a line to stand on.
		if s.taken && l.end-s.begin >= s.opts.MaxBytes && s.whole != s.after {
			s.more = true
			return nil
		}
	}
}

// take reads one line.
func (s *step) take(l line) {
	entry, ok := parseLine(l.data)
	if !ok {
		if s.taken && (l.tooLong || len(l.data) > 0) {
			s.skipped++
		}
		return
	}
	if entry.UUID != "" && s.seen[entry.UUID] {
		return
	}
	s.seen[entry.UUID] = true
	before := len(s.asm.events)
	state := New
	if !s.taken {
		state = Earlier
	}
	prompted := s.asm.add(entry, state)
	if !s.taken {
		if entry.UUID == s.after.UUID {
			s.taken, s.begin = true, l.end
		}
		return
	}
	if prompted {
		s.hasPrompt, s.cut, s.next = true, before, s.whole
	}
	if entry.UUID != "" {
		s.whole = Checkpoint{UUID: entry.UUID, Offset: l.offset}
	}
}

// batch settles where the step ends.
func (s *step) batch() Batch {
	b := Batch{Events: s.asm.events, Next: s.whole, More: s.more, Skipped: s.skipped}
	if s.opts.Whole && !s.more {
		return b
	}
	// A turn longer than a step is taken in pieces.
	if s.more && (!s.hasPrompt || s.next == s.after) {
		return b
	}
	b.Next = s.next
	if !s.hasPrompt {
		b.Next, s.cut = s.after, 0
	}
	for i := s.cut; i < len(b.Events); i++ {
		if b.Events[i].State == New {
			b.Events[i].State = Ahead
		}
	}
	return b
}

// locate returns where to begin: some context before the checkpoint's line.
// lost says that the file does not have that line.
func locate(ctx context.Context, f *os.File, after Checkpoint, opts Options) (start int64, lost bool, err error) {
	if after.IsZero() {
		return 0, false, nil
	}
	at := after.Offset
	ok, err := holdsAt(f, after, opts.MaxLine)
	if err != nil {
		return 0, false, err
	}
	if !ok {
		at, ok, err = search(ctx, f, after.UUID, opts.MaxLine)
		if err != nil || !ok {
			return 0, err == nil, err
		}
	}
	if opts.ContextBytes < 0 {
		return at, false, nil
	}
	from := at - opts.ContextBytes
	if from <= 0 {
		return 0, false, nil
	}
	// The byte before tells whether a line begins here; going one back makes the
	// first line found the next that begins at or after from.
	if _, err := f.Seek(from-1, io.SeekStart); err != nil {
		return 0, false, err
	}
	first, err := newLineReader(f, from-1, 0).next()
	if err != nil {
		return 0, false, err
	}
	return min(first.end, at), false, nil
}

// holdsAt reports whether the checkpoint's line is where its offset says.
func holdsAt(f *os.File, c Checkpoint, maxLine int) (bool, error) {
	if c.Offset < 0 {
		return false, nil
	}
	if c.Offset > 0 {
		var b [1]byte
		if _, err := f.ReadAt(b[:], c.Offset-1); err != nil || b[0] != '\n' {
			return false, ignoreEOF(err)
		}
	}
	if _, err := f.Seek(c.Offset, io.SeekStart); err != nil {
		return false, err
	}
	l, err := newLineReader(f, c.Offset, maxLine).next()
	if err != nil {
		return false, ignoreEOF(err)
	}
	return uuidOf(l.data) == c.UUID, nil
}

// search looks for a line by its uuid from the beginning of the file.
func search(ctx context.Context, f *os.File, uuid string, maxLine int) (int64, bool, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, false, err
	}
	lines := newLineReader(f, 0, maxLine)
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return 0, false, ctx.Err()
		}
		l, err := lines.next()
		if err != nil {
			return 0, false, ignoreEOF(err)
		}
		if mayHoldUUID(l.data, uuid) && uuidOf(l.data) == uuid {
			return l.offset, true, nil
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
