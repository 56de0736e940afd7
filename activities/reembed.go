package activities

import (
	"context"
	"fmt"
	"slices"

	"go.temporal.io/sdk/activity"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/memory"
)

// A change of the embedding model builds a second generation of the index beside the one that
// answers. The steps in this file may all run again: the ledger knows which memories the second
// generation lacks.

// errNoGenerations is for a worker that was started without what several generations need.
func errNoGenerations() error {
	return memory.Errorf(memory.Internal, "", "this worker cannot keep two generations of the index")
}

// indexOf returns the index of a generation.
func (a *Activities) indexOf(name string) Index {
	if name == "" || a.IndexOf == nil {
		return a.Index
	}
	return a.IndexOf(name)
}

// BeginGeneration makes the collections of another generation for a model, or finds the one that is
// there already: with in.Back the one that answered before.
func (a *Activities) BeginGeneration(ctx context.Context, in memory.ReembedInput) (memory.Generations, error) {
	if a.IndexOf == nil || a.EmbedderOf == nil {
		return memory.Generations{}, errNoGenerations()
	}
	a.known.forget()
	now, err := a.Ledger.Generations(ctx)
	if err != nil {
		return now, err
	}
	if in.Back {
		if now.Beside == nil || !now.Old || now.Dropping {
			return now, memory.Errorf(memory.Conflict, `"mneme reembed --model NAME" takes another model into force`,
				"there is no earlier index to go back to")
		}
		in.Model = now.Beside.Model
	}
	if err := a.prepareModel(ctx, in.Model); err != nil {
		return now, err
	}
	dimension, err := a.dimensionOf(ctx, in.Model)
	if err != nil {
		return now, err
	}
	if in.Back {
		if dimension != now.Beside.Dimension {
			return now, memory.Errorf(memory.Conflict, fmt.Sprintf(`"mneme reembed --drop-old", then "mneme reembed --model %s" embeds everything anew`, in.Model),
				"%s makes vectors of %d numbers now, those of the earlier index have %d", in.Model, dimension, now.Beside.Dimension)
		}
	} else if now, err = a.Ledger.BeginGeneration(ctx, op(ctx, in.User, memory.ActionRebuild, "begin"), in.Model, dimension); err != nil {
		return now, err
	}
	a.known.forget()
	return now, a.indexOf(now.Beside.Name).MakeLike(ctx, now.Active.Name, now.Beside.Dimension)
}

// prepareModel has a model fetched if it is not there yet.
func (a *Activities) prepareModel(ctx context.Context, model string) error {
	embedder, err := a.embedderOf(ctx, model)
	if err != nil {
		return err
	}
	if p, ok := embedder.(interface {
		Prepare(ctx context.Context) error
	}); ok {
		return p.Prepare(ctx)
	}
	return nil
}

// dimensionOf asks a model for the length of its vectors.
func (a *Activities) dimensionOf(ctx context.Context, model string) (int, error) {
	embedder, err := a.embedderOf(ctx, model)
	if err != nil {
		return 0, err
	}
	vectors, err := embed(ctx, embedder, memory.ForDocument, []string{"dimension"})
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// GenerationInput names a generation of the index.
type GenerationInput struct {
	Generation memory.Generation `json:"generation"`
	Collection string            `json:"collection,omitempty"` // for WalkGeneration
	Step       string            `json:"step,omitempty"`       // for FlipGeneration
	User       string            `json:"user,omitempty"`
}

// Filled is how far a generation is built. Heartbeats hold it.
type Filled struct {
	Memories int `json:"filled_memories"` // that were embedded
	Messages int `json:"filled_messages"` // parts of archived messages that were embedded
	Left     int `json:"filled_left"`     // memories that are lacking still
}

// FillGeneration embeds all that a generation lacks, and writes it there.
func (a *Activities) FillGeneration(ctx context.Context, in GenerationInput) (Filled, error) {
	var done Filled
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &done); err != nil {
			return done, fmt.Errorf("read how far the generation is built: %w", err)
		}
	}
	embedder, err := a.embedderOf(ctx, in.Generation.Model)
	if err != nil {
		return done, err
	}
	f := &filling{a: a, of: in.Generation, embedder: embedder, index: a.indexOf(in.Generation.Name), Filled: done}
	for {
		records, left, err := a.Ledger.LackVectors(ctx, rebuildPage)
		if err != nil {
			return f.Filled, err
		}
		if f.Left = left; left == 0 {
			break
		}
		if err := f.memories(ctx, records); err != nil {
			return f.Filled, err
		}
	}
	for {
		kept, err := a.Ledger.ArchiveLackBeside(ctx, archivePage, archiveBytes)
		if err != nil || len(kept) == 0 {
			return f.Filled, err
		}
		if err := f.messages(ctx, kept); err != nil {
			return f.Filled, err
		}
	}
}

// filling is the state of one FillGeneration.
type filling struct {
	Filled

	a        *Activities
	of       memory.Generation
	embedder Embedder
	index    Index
}

// memories embeds records that have no vector, and writes their points.
func (f *filling) memories(ctx context.Context, records []memory.Record) error {
	var texts []string
	var places []int
	for i, r := range records {
		if len(r.Vector) == 0 {
			texts, places = append(texts, r.Text), append(places, i)
		}
	}
	vectors, err := f.vectors(ctx, texts)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		records[places[i]].Vector = v
	}
	err = f.a.Ledger.WriteBeside(ctx, f.of.Name, records, func(ctx context.Context, held []memory.Record) error {
		return f.a.inCollectionsOf(ctx, f.index, f.of.Dimension, func() error { return f.index.Upsert(ctx, held) })
	})
	if err != nil {
		return err
	}
	f.Memories, f.Left = f.Memories+len(texts), max(0, f.Left-len(records))
	activity.RecordHeartbeat(ctx, f.Filled)
	return nil
}

// vectors embeds texts batch by batch, and shows life after each.
func (f *filling) vectors(ctx context.Context, texts []string) ([]memory.Vector, error) {
	var out []memory.Vector
	for batch := range slices.Chunk(texts, embedBatch) {
		vectors, err := embed(ctx, f.embedder, memory.ForDocument, batch)
		if err != nil {
			return nil, err
		}
		if n := len(vectors[0]); n != f.of.Dimension {
			return nil, memory.Refusal("Ollama", `"mneme reembed --cancel" gives up what was built`,
				fmt.Errorf("%s made vectors of %d numbers at first, and of %d now", f.of.Model, f.of.Dimension, n))
		}
		out = append(out, vectors...)
		activity.RecordHeartbeat(ctx, f.Filled)
	}
	return out, nil
}

// messages embeds parts of archived messages and writes their passages.
func (f *filling) messages(ctx context.Context, kept []conversation.Kept) error {
	points, _, places, texts := passagesOf(kept)
	vectors, err := f.vectors(ctx, texts)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		places[i].Vector = v
	}
	err = f.a.Ledger.ArchiveWriteBeside(ctx, f.of.Name, kept, func(ctx context.Context, still []bool) error {
		var write []conversation.Point
		for i := range kept {
			if still[i] {
				write = append(write, points[i]...)
			}
		}
		return f.index.UpsertPassages(ctx, write)
	})
	if err != nil {
		return err
	}
	f.Messages += len(kept)
	activity.RecordHeartbeat(ctx, f.Filled)
	return nil
}

// besideLedger is the ledger as the generation beside the active one should hold it.
type besideLedger struct{ Ledger }

// Records has the vectors of the other model; a memory that has none yet has no vector.
func (l besideLedger) Records(ctx context.Context, page memory.Page) ([]memory.Record, error) {
	records, err := l.Ledger.Records(ctx, page)
	if err != nil {
		return nil, err
	}
	return l.BesideRecords(ctx, records)
}

// Settled leaves out memories that have no vector of the other model yet.
func (l besideLedger) Settled(ctx context.Context, ids []string, look func(context.Context, []memory.Record) error) error {
	return l.SettledBeside(ctx, ids, look)
}

// NoteLost keeps nothing: what is missing beside is missing in no answer.
func (besideLedger) NoteLost(context.Context, map[string]int) error { return nil }

// WalkGeneration compares a collection of the generation beside the active one with the ledger, and
// mends what differs.
func (a *Activities) WalkGeneration(ctx context.Context, in GenerationInput) (memory.RebuildCollection, error) {
	beside := &Activities{
		Embedder: a.Embedder, Ledger: besideLedger{a.Ledger}, Index: a.indexOf(in.Generation.Name), Redactor: a.Redactor, Now: a.Now,
	}
	return beside.WalkCollection(ctx, RebuildCollectionInput{Collection: in.Collection, User: in.User})
}

// CompareAnswers asks the pinned questions and the last recalls of both generations.
func (a *Activities) CompareAnswers(ctx context.Context, in GenerationInput) (memory.AnswersCompared, error) {
	var out memory.AnswersCompared
	now, err := a.Ledger.Generations(ctx)
	if err != nil || now.Beside == nil {
		return out, err
	}
	swapped := now
	swapped.Active, swapped.Beside = *now.Beside, &now.Active
	questions, err := a.Ledger.Questions(ctx, "")
	if err != nil {
		return out, err
	}
	var queries []memory.Query
	for _, q := range questions {
		queries = append(queries, memory.Query{Text: q.Text, Project: q.Project})
	}
	for _, r := range a.recalls(ctx) {
		queries = append(queries, r.Query)
	}
	for _, q := range queries {
		q.Limit, q.MinScore = memory.CompareFirst, nil
		var ids [2][]string
		for i, g := range []memory.Generations{now, swapped} {
			if ids[i], err = a.answers(context.WithValue(ctx, pinned{}, g), q); err != nil {
				return out, fmt.Errorf("ask a question of the model %s: %w", g.Active.Model, err)
			}
		}
		out.Add(ids[0], ids[1])
		activity.RecordHeartbeat(ctx, out)
	}
	details := map[string]any{"from": now.Active.Model, "to": now.Beside.Model, "answers": out}
	return out, a.Ledger.Note(ctx, op(ctx, in.User, memory.ActionRebuild, "answers"), "", "", details)
}

// answers returns the ids of what answers a question, the best first.
func (a *Activities) answers(ctx context.Context, q memory.Query) ([]string, error) {
	vectors, _, err := a.embedQueries(ctx, []string{q.Text})
	if err != nil {
		return nil, err
	}
	found, _, err := a.find(ctx, q, vectors[0], map[string]float64{})
	if err != nil {
		return nil, err
	}
	answer, _ := ranked(found, func(these []memory.Candidate) memory.RecallResult {
		return memory.Rank(q, a.calibration(ctx), these, a.Now())
	})
	ids := make([]string, len(answer.Hits))
	for i, h := range answer.Hits {
		ids[i] = h.ID
	}
	return ids, nil
}

// FlipGeneration lets a generation that was built answer from now on. It answers false, and changes
// nothing, if the generation lacks something that was stored meanwhile.
func (a *Activities) FlipGeneration(ctx context.Context, in GenerationInput) (bool, error) {
	_, flipped, err := a.Ledger.FlipGenerations(ctx, op(ctx, in.User, memory.ActionRebuild, in.Step), in.Generation.Name)
	a.known.forget()
	return flipped, err
}

// DropGeneration deletes the generation that does not answer, if there is one.
func (a *Activities) DropGeneration(ctx context.Context, in GenerationInput) (memory.Generations, error) {
	if a.IndexOf == nil {
		return memory.Generations{}, errNoGenerations()
	}
	g, err := a.Ledger.DropGeneration(ctx, op(ctx, in.User, memory.ActionRebuild, "drop/begin"), false)
	a.known.forget()
	if err != nil || g.Beside == nil {
		return g, err
	}
	if err := a.indexOf(g.Beside.Name).Drop(ctx, g.Active.Name); err != nil {
		return g, err
	}
	return a.Ledger.DropGeneration(ctx, op(ctx, in.User, memory.ActionRebuild, "drop/end"), true)
}
