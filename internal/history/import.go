package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/session"
	"github.com/mneme-memory/mneme/internal/transcript"
	"github.com/mneme-memory/mneme/memory"
)

// Client is what an import asks of the workflows' client.
type Client interface {
	Archive(ctx context.Context, b conversation.Batch) (conversation.Archived, error)
	ImportStart(ctx context.Context, importID string) (memory.ImportProgress, error)
	ImportBatch(ctx context.Context, importID string, b memory.ImportBatch) (memory.ImportProgress, error)
	ImportFinish(ctx context.Context, importID string) (memory.ImportProgress, error)
}

// Import takes Claude Code's history. The fields up to Now are required.
type Import struct {
	Home     string // of mneme
	Root     string // of the transcripts, see [Folder]
	Project  func(dir string) string
	Redactor func(dir string) (memory.Redactor, error) // with the rules of a project's folder; of no project for ""
	Now      func() time.Time

	User     string
	Projects []string   // only these; none means all
	Since    *time.Time // said at or after
	Before   *time.Time // said before
	Tools    bool       // also what tools returned
	Thinking bool       // also what the model thought
	Again    bool       // everything anew, also what was forgotten
	Archive  bool       // take the conversations into the archive
	Memories int        // find memories, at most so many a session; 0 means none

	Read func(bytes int64) // told of every stretch that was read, may be nil
}

// Found says what an import found, and did unless it was a dry run.
type Found struct {
	Transcripts int            `json:"transcripts"`
	Sessions    int            `json:"sessions"`
	Bytes       int64          `json:"bytes"`    // to be read
	Messages    int            `json:"messages"` // in them
	Projects    map[string]int `json:"projects"` // messages
	Skipped     int            `json:"skipped"`  // lines that could not be read
	Unreadable  int            `json:"unreadable"`

	Archived   conversation.Archived `json:"archived"`
	Candidates int                   `json:"candidates"` // memories that were found
	Stored     int                   `json:"stored"`     // of those, the new ones
	Attended   int                   `json:"attended"`   // sessions that are left to the hooks
}

// The bounds of what is under way.
const (
	inFlight  = 3
	stepBytes = 8 << 20          // of a transcript that is read in one go
	idle      = 10 * time.Minute // nobody has written to a transcript that is taken to its end
)

// run is an import under way.
type run struct {
	Import
	client   Client // nil for a dry run
	progress *Progress
	found    Found
	sessions map[string]bool
	memories *storing
	// settle waits until the stretch that was sent last is accepted, and notes it. Meanwhile the next one
	// is read.
	settle func() error
}

// Plan returns the transcripts that hold something new, and how many bytes of it.
func (i Import) Plan(ctx context.Context) ([]Transcript, int64, error) {
	progress, err := Load(i.Home)
	if err != nil {
		return nil, 0, err
	}
	return i.plan(ctx, progress)
}

func (i Import) plan(ctx context.Context, progress *Progress) ([]Transcript, int64, error) {
	all, err := Find(ctx, i.Root, i.Project)
	if err != nil {
		return nil, 0, err
	}
	var out []Transcript
	total := int64(0)
	for _, t := range all {
		if len(i.Projects) > 0 && !slices.Contains(i.Projects, t.Project) || i.Since != nil && t.Modified.Before(*i.Since) {
			continue
		}
		taken := i.taken(progress, t)
		left := int64(0)
		if i.Archive {
			left = t.Size - taken.Offset
		}
		if left > 0 || i.wantsMemories(t) && taken.Searched != t.Size && !i.attended(t) {
			out, total = append(out, t), total+left
		}
	}
	return out, total, nil
}

// taken is how far this import begins in a transcript.
func (i Import) taken(p *Progress, t Transcript) Taken {
	taken := p.from(t, i.Tools, i.Thinking)
	if i.Again {
		taken.Offset = 0
	}
	return taken
}

// DryRun reads what an import would take, and changes nothing.
func (i Import) DryRun(ctx context.Context) (Found, error) {
	return i.do(ctx, nil)
}

// Run imports. When it ends early, the next one goes on from there.
func (i Import) Run(ctx context.Context, client Client) (Found, error) {
	unlock, err := Lock(i.Home)
	if err != nil {
		return Found{}, err
	}
	defer unlock()
	return i.do(ctx, client)
}

func (i Import) do(ctx context.Context, client Client) (Found, error) {
	if i.Read == nil {
		i.Read = func(int64) {}
	}
	progress, err := Load(i.Home)
	if err != nil {
		return Found{}, err
	}
	r := &run{
		Import: i, client: client, progress: progress,
		sessions: map[string]bool{}, found: Found{Projects: map[string]int{}},
	}
	list, total, err := i.plan(ctx, progress)
	if err != nil {
		return r.found, err
	}
	r.found.Bytes = total
	r.memories = &storing{client: client}
	r.settle = settled
	for _, t := range list {
		if err := r.one(ctx, t); err != nil {
			if ctx.Err() == nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
				r.found.Unreadable++ // the client removed it since, or it is somebody else's
				continue
			}
			return r.found, errors.Join(err, r.settle())
		}
	}
	if err := r.settle(); err != nil {
		return r.found, err
	}
	if client == nil {
		return r.found, nil
	}
	if err := r.memories.finish(ctx); err != nil {
		return r.found, err
	}
	r.found.Stored = r.memories.stored
	if len(i.Projects) == 0 && i.Since == nil && i.Before == nil {
		progress.Ended = i.Now().UTC()
	}
	progress.tidy()
	return r.found, progress.save()
}

// settled is the function in run.settle while no stretch waits to be accepted; it returns no error.
func settled() error { return nil }

// one takes one transcript.
func (r *run) one(ctx context.Context, t Transcript) error {
	redactor, err := r.Redactor(t.Dir)
	if err != nil {
		return fmt.Errorf("read privacy rules of %s: %w", t.Dir, err)
	}
	r.found.Transcripts++
	if !r.sessions[t.Session] {
		r.sessions[t.Session] = true
		r.found.Sessions++
	}
	if r.Import.Archive {
		if err := r.archive(ctx, t, redactor); err != nil {
			return err
		}
	}
	if r.wantsMemories(t) {
		if err := r.settle(); err != nil {
			return err
		}
		return r.remember(ctx, t, redactor)
	}
	return nil
}

// archive takes a transcript's messages, a stretch at a time.
func (r *run) archive(ctx context.Context, t Transcript, redactor memory.Redactor) error {
	taken := r.taken(r.progress, t)
	reading := &reader{of: t, redactor: redactor, since: r.Since, before: r.Before}
	for more := true; more; {
		stretch, err := transcript.ReadMessages(ctx, t.Path, taken.Offset, transcript.MessageOptions{
			Whole: r.Now().Sub(t.Modified) > idle, Tools: r.Tools, Thinking: r.Thinking, MaxBytes: stepBytes,
		})
		if err != nil {
			return err
		}
		messages := reading.messages(stretch.Events)
		r.found.Skipped += stretch.Skipped
		for _, m := range messages {
			if m.Part == 0 {
				r.found.Messages++
				r.found.Projects[m.Project]++
			}
		}
		read := stretch.End - taken.Offset
		taken = taken.at(t.Path, stretch.End)
		more = stretch.More
		if r.client == nil {
			r.Read(read)
			continue
		}
		if err := r.begin(ctx, t, taken, messages, read); err != nil {
			return err
		}
	}
	return nil
}

// begin waits for the stretch before, and sends the next one. How far the transcript was taken is
// noted when that is accepted.
func (r *run) begin(ctx context.Context, t Transcript, taken Taken, messages []conversation.Message, read int64) error {
	if err := r.settle(); err != nil {
		return err
	}
	accepted := make(chan error, 1)
	go func() { accepted <- r.send(ctx, messages) }()
	r.settle = func() error {
		r.settle = settled
		if err := <-accepted; err != nil {
			return err
		}
		r.Read(read)
		return r.note(t, taken)
	}
	return nil
}

// note keeps how far a transcript was taken. A date leaves messages out that another import may
// want, so nothing is noted then.
func (r *run) note(t Transcript, taken Taken) error {
	if r.Since != nil || r.Before != nil {
		return nil
	}
	taken.Tools, taken.Thinking = r.Tools, r.Thinking // see Progress.from
	r.progress.Files[t.Path] = taken
	return r.progress.save()
}

// send sends messages in batches, some at once, and waits until all are accepted.
func (r *run) send(ctx context.Context, messages []conversation.Message) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	results := make(chan conversation.Archived, len(messages)+1)
	for _, b := range batches(messages) {
		group.Go(func() error {
			done, err := r.client.Archive(ctx,
				conversation.Batch{Messages: b, Again: r.Again, User: r.User, Redacted: true})
			results <- done
			return err
		})
	}
	err := group.Wait()
	close(results)
	for done := range results {
		r.found.Archived.Add(done)
	}
	return err
}

// batches cuts messages into batches that are neither too many nor too big.
func batches(messages []conversation.Message) [][]conversation.Message {
	var out [][]conversation.Message
	from, bytes := 0, 0
	for i, m := range messages {
		size := jsonSize(m.Text)
		if i > from && (i-from == conversation.MaxBatch || bytes+size > conversation.MaxBatchBytes) {
			out, from, bytes = append(out, messages[from:i]), i, 0
		}
		bytes += size
	}
	if from < len(messages) {
		out = append(out, messages[from:])
	}
	return out
}

// jsonSize is about how long a message is in JSON, where a sign of markup takes six bytes.
func jsonSize(text string) int {
	const around = 400 // the other fields
	size := around
	for i := range len(text) {
		switch c := text[i]; {
		case c == '<' || c == '>' || c == '&' || c < ' ' && c != '\n':
			size += 6
		case c == '"' || c == '\\' || c == '\n':
			size += 2
		default:
			size++
		}
	}
	return size
}

// attended reports whether hooks look after a session.
func (i Import) attended(t Transcript) bool {
	_, known, err := session.Open(i.Home).Get(t.Session)
	return known || err != nil
}
