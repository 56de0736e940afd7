package workflows_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// hookedIndex calls functions before calls to an index, each at most once at a time.
type hookedIndex struct {
	activities.Index

	mu      sync.Mutex
	compare func(records []memory.Record) // before points are compared; taken away when it is called
	upsert  func(ctx context.Context)     // before points are written
}

func (h *hookedIndex) Compare(ctx context.Context, collection string, records []memory.Record) (memory.Difference, error) {
	h.mu.Lock()
	hook := h.compare
	h.compare = nil
	h.mu.Unlock()
	if hook != nil {
		hook(records)
	}
	return h.Index.Compare(ctx, collection, records)
}

func (h *hookedIndex) Upsert(ctx context.Context, records []memory.Record) error {
	h.mu.Lock()
	hook := h.upsert
	h.mu.Unlock()
	if hook != nil {
		hook(ctx)
	}
	return h.Index.Upsert(ctx, records)
}

func (h *hookedIndex) onCompare(f func([]memory.Record)) { h.mu.Lock(); h.compare = f; h.mu.Unlock() }

func (h *hookedIndex) onUpsert(f func(context.Context)) { h.mu.Lock(); h.upsert = f; h.mu.Unlock() }

// hookedRig holds n memories of project "p", which an import brought.
func hookedRig(t *testing.T, n int) (*rig, *hookedIndex, []memory.Record) {
	t.Helper()
	r := newRig(t)
	index := &hookedIndex{Index: r.acts.Index}
	r.acts.Index = index
	r.work(t)
	startImport(t, r, "many", 0)
	for number := 0; n > 0; number++ {
		size := min(n, memory.MaxImportBatch)
		_, err := r.ImportBatch(t.Context(), "many", batchOf(number, size))
		check(t, err)
		n -= size
	}
	_, err := r.ImportFinish(t.Context(), "many")
	check(t, err)
	return r, index, r.records(t)
}

// records are all live memories, in the order of their ids.
func (r *rig) records(t *testing.T) []memory.Record {
	t.Helper()
	var all []memory.Record
	for after := ""; ; after = all[len(all)-1].ID {
		page, err := r.ledger.Records(t.Context(), memory.Page{After: after})
		check(t, err)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// wantEqual waits until every memory is equal to its point, and every point to its memory:
// recalls are counted after their answer.
func (r *rig) wantEqual(t *testing.T) {
	t.Helper()
	last := ""
	defer func() {
		if last != "" {
			t.Error(last)
		}
	}()
	eventually(t, "the index is equal to the ledger", func() bool {
		last = r.unequal(t)
		return last == ""
	})
}

// unequal tells how ledger and index differ.
func (r *rig) unequal(t *testing.T) string {
	t.Helper()
	byCollection, counts := map[string][]memory.Record{}, map[string]int{}
	for _, name := range memory.Collections() {
		counts[name] = 0
	}
	for _, record := range r.records(t) {
		byCollection[record.Collection] = append(byCollection[record.Collection], record)
		counts[record.Collection]++
	}
	for name, records := range byCollection {
		if d, err := r.acts.Index.Compare(t.Context(), name, records); err != nil || len(d.IDs()) > 0 {
			return fmt.Sprintf("%s: %d missing, %d other, %v", name, len(d.Missing), len(d.Other), err)
		}
	}
	if got, err := r.acts.Index.Counts(t.Context(), true); err != nil || !maps.Equal(got, counts) {
		return fmt.Sprintf("points %v, %v; want %v", got, err, counts)
	}
	return ""
}

// TestRebuildMendsWhatDiffers deletes points, changes some and adds some behind mneme's back:
// a rebuild names and mends exactly these, and nothing is away meanwhile.
func TestRebuildMendsWhatDiffers(t *testing.T) {
	t.Parallel()
	r, index, all := hookedRig(t, 1200)
	ctx := t.Context()
	lost := []string{all[0].ID, all[499].ID, all[500].ID, all[1199].ID}
	check(t, index.Delete(ctx, memory.Memories, lost))
	changed := []memory.Record{all[3], all[700]}
	changed[0].AccessCount, changed[1].Vector = 99, all[0].Vector
	check(t, index.Index.Upsert(ctx, changed))
	strangers := slices.Clone(all[:3])
	strangers[0].ID = "00000000-0000-8000-8000-000000000001" // before all others
	strangers[1].ID = "ffffffff-ffff-8fff-bfff-ffffffffffff" // after them
	strangers[2].ID = memory.NewID("", "", "nobody")
	check(t, index.Index.Upsert(ctx, strangers))
	var looked atomic.Int32
	index.onUpsert(func(ctx context.Context) {
		counts, err := index.Counts(ctx, true)
		if err != nil || counts[memory.Memories] < 1196 {
			t.Errorf("points %v while a rebuild runs, %v", counts, err)
		}
		looked.Add(1)
	})
	state, err := r.IndexState(ctx)
	check(t, err)
	if sum := state.Sum(); sum.Ledger != 1200 || sum.Index != 1199 || sum.Lost != 1 { // 4 are lost, and 3 too many
		t.Errorf("doctor sees %+v", sum)
	}

	report, err := r.Rebuild(ctx, memory.RebuildInput{Collections: []string{memory.Memories}}, nil)
	check(t, err)
	want := append(slices.Clone(lost), changed[0].ID, changed[1].ID, strangers[0].ID, strangers[1].ID, strangers[2].ID)
	one := report.Collections[0]
	if mended := slices.Sorted(slices.Values(one.Mended)); !slices.Equal(mended, slices.Sorted(slices.Values(want))) {
		t.Errorf("mended %v, want %v", mended, want)
	}
	one.Mended = nil
	if !report.Equal || fmt.Sprint(one) != fmt.Sprint(memory.RebuildCollection{
		Collection: memory.Memories, Compared: 1200, Written: 6, Deleted: 3, Ledger: 1200, Index: 1200, Equal: true,
	}) {
		t.Errorf("reported %+v", report)
	}
	if looked.Load() == 0 {
		t.Error("nobody looked while it ran")
	}
	index.onUpsert(nil)
	r.wantEqual(t)
	again, err := r.Rebuild(ctx, memory.RebuildInput{}, nil)
	if err != nil || !again.Equal || again.Collections[0].Written+again.Collections[0].Deleted != 0 {
		t.Errorf("once more: %+v, %v", again, err)
	}
}

// TestRebuildAmongWrites has others recall, store, edit and forget between the moment at which
// a rebuild reads a page of the ledger and the one at which it looks at the points: none of it
// is undone, and none counts as a difference.
func TestRebuildAmongWrites(t *testing.T) {
	t.Parallel()
	r, index, all := hookedRig(t, 600)
	ctx := t.Context()
	stored := make(chan string, 1)
	index.onCompare(func(records []memory.Record) {
		if len(records) != 500 {
			t.Errorf("the first page has %d memories", len(records))
		}
		recalled, err := r.Recall(ctx, memory.Query{Text: all[0].Text, Project: "p", Limit: 5})
		check(t, err)
		if len(recalled.Hits) == 0 {
			t.Error("nothing was recalled")
		}
		_, err = r.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{IDs: []string{all[1].ID, all[550].ID}}})
		check(t, err)
		_, err = r.Update(ctx, memory.UpdateInput{ID: all[2].ID, Text: ptr("Rack 7 is empty."), Pinned: ptr(true)})
		check(t, err)
		stored <- r.store(t, "Nobody answers.")
	})
	report, err := r.Rebuild(ctx, memory.RebuildInput{}, nil)
	check(t, err)
	one := report.Collections[0]
	if !report.Equal || one.Written+one.Deleted != 0 || len(one.Unequal) > 0 {
		t.Errorf("reported %+v", report)
	}
	r.wantEqual(t)
	found, err := r.Get(ctx, []string{all[1].ID, all[2].ID, <-stored})
	check(t, err)
	if len(found) != 3 || found[0].State != memory.Forgotten || found[1].Text != "Rack 7 is empty." || found[2].State != memory.Live {
		t.Errorf("became %+v", found)
	}
}

// watch watches the index as a worker does, but without the waits between.
func (r *rig) watch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		refill := func(ctx context.Context) error {
			_, err := r.Rebuild(ctx, memory.RebuildInput{Check: true}, nil)
			return err
		}
		activities.WatchIndex(ctx, r.acts, 20*time.Millisecond, refill, func(err error) { t.Logf("watch: %v", err) })
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// raw is a client of the index for what mneme never does.
func (r *rig) raw(t *testing.T) *pb.Client {
	t.Helper()
	host, portText, err := net.SplitHostPort(r.qdrant)
	check(t, err)
	port, err := strconv.Atoi(portText)
	check(t, err)
	c, err := pb.NewClient(&pb.Config{Host: host, Port: port, SkipCompatibilityCheck: true, PoolSize: 1, KeepAliveTime: -1})
	check(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestIndexLostWhileItIsUsed takes points and collections away while a worker watches the
// index. Answers say how many memories are missing as long as they are; then all are back.
func TestIndexLostWhileItIsUsed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testing.T, *rig, []memory.Record){
		"all collections": func(t *testing.T, r *rig, _ []memory.Record) {
			for _, c := range memory.Collections() {
				check(t, r.raw(t).DeleteCollection(t.Context(), c))
			}
		},
		"one collection": func(t *testing.T, r *rig, _ []memory.Record) {
			check(t, r.raw(t).DeleteCollection(t.Context(), memory.Memories))
		},
		"all points but one": func(t *testing.T, r *rig, all []memory.Record) {
			var ids []*pb.PointId
			for _, record := range all[1:] {
				ids = append(ids, pb.NewID(record.ID))
			}
			_, err := r.raw(t).Delete(t.Context(), &pb.DeletePoints{
				CollectionName: memory.Memories, Points: pb.NewPointsSelector(ids...), Wait: pb.PtrOf(true),
			})
			check(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, index, all := hookedRig(t, 600)
			r.watch(t)
			said := func() string {
				out, err := r.Recall(t.Context(), memory.Query{Text: all[0].Text, Project: "p"})
				check(t, err)
				return out.Degraded
			}
			if s := said(); s != "" {
				t.Errorf("everything is there, and an answer says %q", s)
			}
			held := make(chan struct{})
			index.onUpsert(func(ctx context.Context) {
				select {
				case <-held:
				case <-ctx.Done():
				}
			})
			lose(t, r, all)
			eventually(t, "an answer says that memories are missing", func() bool {
				return strings.Contains(said(), "memories are being written to the index again")
			})
			state, err := r.IndexState(t.Context())
			if lost := state.Sum().Lost; err != nil || lost < 500 { // points that a recall is about to write anew are not counted
				t.Errorf("doctor sees %d lost, %v", lost, err)
			}
			index.onUpsert(nil)
			close(held)
			eventually(t, "an answer says nothing any more", func() bool { return said() == "" })
			r.wantEqual(t)
			// What was known of the index before it went away is not believed any more.
			r.store(t, "It is filled again.")
			r.wantEqual(t)
		})
	}
}

// TestEmptyCollectionLost takes a collection away that holds nothing. Nothing is missing, but
// as long as it is not there every answer says that the index has lost something.
func TestEmptyCollectionLost(t *testing.T) {
	t.Parallel()
	r, _, all := hookedRig(t, 3)
	r.watch(t)
	check(t, r.raw(t).DeleteCollection(t.Context(), memory.Learnings))
	eventually(t, "the collection is there again", func() bool {
		there, err := r.raw(t).CollectionExists(t.Context(), memory.Learnings)
		check(t, err)
		return there
	})
	out, err := r.Recall(t.Context(), memory.Query{Text: all[0].Text, Project: "p"})
	check(t, err)
	if out.Degraded != "" {
		t.Errorf("everything is there, and an answer says %q", out.Degraded)
	}
}

// TestStoreIntoALostIndex stores with nobody watching: the collections are made on the way.
func TestStoreIntoALostIndex(t *testing.T) {
	t.Parallel()
	r := realRig(t)
	first := r.store(t, "The API listens on port 8443.")
	for _, c := range memory.Collections() {
		check(t, r.raw(t).DeleteCollection(t.Context(), c))
	}
	second := r.store(t, "The tests need PostgreSQL.")
	missing, err := r.acts.Index.Missing(t.Context(), memory.Memories, []string{first, second})
	if err != nil || !slices.Equal(missing, []string{first}) {
		t.Errorf("missing %v, %v; want %s", missing, err, first)
	}
	report, err := r.Rebuild(t.Context(), memory.RebuildInput{Check: true}, nil)
	if err != nil || !report.Equal {
		t.Errorf("checked %+v, %v", report, err)
	}
	r.wantEqual(t)
}

// TestRefillGoesOnWhereItWas stops the worker in the middle of a walk through four pages. The
// next worker goes on from there, and answers know what is still missing.
func TestRefillGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	r, index, all := hookedRig(t, 1700)
	ctx := t.Context()
	check(t, r.raw(t).DeleteCollection(ctx, memory.Memories))
	reached := make(chan struct{})
	var once sync.Once
	pages := 0
	index.onUpsert(func(ctx context.Context) {
		if pages++; pages < 3 {
			return
		}
		once.Do(func() { close(reached) })
		<-ctx.Done() // until the worker stops
	})
	done := make(chan error, 1)
	var report memory.RebuildReport
	go func() {
		var err error
		report, err = r.Rebuild(ctx, memory.RebuildInput{}, nil)
		done <- err
	}()
	<-reached
	eventually(t, "two pages are known to be done", func() bool {
		_, lost, err := r.ledger.Unfindable(ctx, 1)
		return err == nil && lost == 700
	})
	r.stop()
	began := make(chan string, 1)
	index.onUpsert(nil)
	index.onCompare(func(records []memory.Record) {
		if _, lost, err := r.ledger.Unfindable(ctx, 1); err != nil || lost > 700 {
			t.Errorf("%d are said to be missing, and 700 are; %v", lost, err)
		}
		began <- records[0].ID
	})
	r.work(t)
	check(t, <-done)
	if !report.Equal || report.Collections[0].Ledger != 1700 {
		t.Errorf("reported %+v", report)
	}
	if <-began == all[0].ID {
		t.Error("the second worker began at the first memory of all")
	}
	r.wantEqual(t)
}
