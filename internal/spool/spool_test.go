package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// stars takes out one word, as the real redactor does with secrets.
type stars struct{}

func (stars) Redact(text string) (string, []string) {
	return strings.ReplaceAll(text, "hunter2", "[redacted:password]"), nil
}

// receiver accepts each key once, like the real one.
type receiver struct {
	mu      sync.Mutex
	err     func(key string) error // asked before anything is taken; may be nil
	lost    func(key string) bool  // whether the answer gets lost; may be nil
	stores  map[string]memory.StoreInput
	credits map[string]memory.CreditInput
	events  map[string]memory.Event
	calls   int
}

func newReceiver() *receiver {
	return &receiver{stores: map[string]memory.StoreInput{}, credits: map[string]memory.CreditInput{}, events: map[string]memory.Event{}}
}

func (r *receiver) take(key string, do func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.err != nil {
		if err := r.err(key); err != nil {
			return err
		}
	}
	do()
	if r.lost != nil && r.lost(key) {
		return memory.Down("Temporal", "", errors.New("the answer was lost"))
	}
	return nil
}

func (r *receiver) StoreOnce(_ context.Context, key string, in memory.StoreInput) (out memory.StoreResult, err error) {
	return memory.StoreResult{Status: memory.Stored}, r.take(key, func() { r.stores[key] = in })
}

func (r *receiver) CreditOnce(_ context.Context, key string, in memory.CreditInput) (out memory.CreditResult, err error) {
	return out, r.take(key, func() { r.credits[key] = in })
}

func (r *receiver) Record(_ context.Context, events []memory.Event) error {
	return r.take(events[0].ID, func() {
		for _, e := range events {
			r.events[e.ID] = e
		}
	})
}

func open(t *testing.T) *Spool {
	t.Helper()
	return Open(t.TempDir(), stars{})
}

func storeEntry(n int) Entry {
	return Entry{Key: fmt.Sprintf("store/%d", n), Store: &memory.StoreInput{Text: fmt.Sprintf("fact %d, password hunter2", n), Source: memory.SourceHook}}
}

func add(t *testing.T, s *Spool, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
}

func drain(t *testing.T, s *Spool, r Receiver) Report {
	t.Helper()
	report, err := s.Drain(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func waiting(t *testing.T, s *Spool) State {
	t.Helper()
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

const someID = "0f0e0d0c-0b0a-8908-8706-050403020100"

func TestDrainsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	add(t, s, storeEntry(1), storeEntry(2), storeEntry(3))
	report, err := s.Drain(t.Context(), r, "store/2", "store/9")
	if err != nil || report.Delivered != 1 || report.Stored["store/2"].Status != memory.Stored {
		t.Errorf("%+v, %v; want the second", report, err)
	}
	if state := waiting(t, s); state.Entries != 2 {
		t.Errorf("%d entries wait, want 2", state.Entries)
	}
	if report := drain(t, s, r); report.Delivered != 2 {
		t.Errorf("then %+v, want the others", report)
	}
}

func TestKeepsAndDelivers(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	if state := waiting(t, s); state != (State{}) {
		t.Errorf("a spool that is not there has %+v", state)
	}
	add(t, s, storeEntry(1),
		Entry{Key: "credit/1", Credit: &memory.CreditInput{IDs: []string{someID}, Helped: true, Reason: "hunter2"}},
		Entry{Key: "event/1", Events: []memory.Event{{ID: "e1", Action: "inject", Details: map[string]any{"x": "hunter2"}}}},
		storeEntry(1)) // the same key again
	if state := waiting(t, s); state.Entries != 3 {
		t.Errorf("%d entries wait, want 3", state.Entries)
	}
	checkFiles(t, s)
	report := drain(t, s, r)
	if report.Delivered != 3 || report.Waiting+report.PutAside != 0 || report.Stored["store/1"].Status != memory.Stored {
		t.Errorf("drained: %+v", report)
	}
	if len(r.stores) != 1 || len(r.credits) != 1 || len(r.events) != 1 {
		t.Errorf("received %v %v %v", r.stores, r.credits, r.events)
	}
	if again := drain(t, s, r); again.Delivered != 0 || r.calls != 3 {
		t.Errorf("drained again: %+v", again)
	}
}

// checkFiles looks at what is on the disk: for the owner alone, and redacted.
func checkFiles(t *testing.T, s *Spool) {
	t.Helper()
	names, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		info, err := n.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", n.Name(), info.Mode(), err)
		}
		data, err := os.ReadFile(filepath.Join(s.dir, n.Name()))
		if err != nil || strings.Contains(string(data), "hunter2") {
			t.Errorf("%s holds a secret, or cannot be read: %v", n.Name(), err)
		}
	}
}

func TestRefusesWhatNobodyCouldTake(t *testing.T) {
	t.Parallel()
	s := open(t)
	for name, e := range map[string]Entry{
		"no key":    {Store: &memory.StoreInput{Text: "x"}},
		"nothing":   {Key: "k"},
		"two":       {Key: "k", Store: &memory.StoreInput{Text: "x"}, Credit: &memory.CreditInput{IDs: []string{someID}}},
		"bad store": {Key: "k", Store: &memory.StoreInput{Text: " "}},
		"bad id":    {Key: "k", Credit: &memory.CreditInput{IDs: []string{"x"}}},
		"bad event": {Key: "k", Events: []memory.Event{{ID: "e", Action: "store"}}},
	} {
		if err := s.Add(e); memory.CodeOf(err) != memory.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A part that is down or refuses leaves everything where it is; once the part
// is back, it gets each entry once.
func TestWaitsForWhoIsDown(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		memory.Down("Temporal", "", errors.New("down")),
		memory.Refusal("Temporal", "", errors.New("another key")),
	} {
		s, r := open(t), newReceiver()
		for n := range 5 {
			add(t, s, storeEntry(n))
		}
		r.err = func(string) error { return err }
		if report := drain(t, s, r); report.Waiting != 5 || report.Delivered != 0 || r.calls != 1 {
			t.Errorf("%v: %+v after %d calls", err, report, r.calls)
		}
		r.err = nil
		if report := drain(t, s, r); report.Delivered != 5 || len(r.stores) != 5 {
			t.Errorf("%v, when back: %+v", err, report)
		}
	}
}

// An answer that is lost is the same as a drainer that is killed between the
// delivery and the removal: the entry comes again, and is done once.
func TestComesAgainWhenTheAnswerWasLost(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	add(t, s, storeEntry(1))
	r.lost = func(string) bool { return true }
	if report := drain(t, s, r); report.Waiting != 1 {
		t.Errorf("lost: %+v", report)
	}
	r.lost = nil
	if report := drain(t, s, r); report.Delivered != 1 || len(r.stores) != 1 || r.calls != 2 {
		t.Errorf("again: %+v, %d calls, %d stores", report, r.calls, len(r.stores))
	}
}

func TestPoisonIsPutAside(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	add(t, s, storeEntry(1), storeEntry(2))
	if err := os.WriteFile(filepath.Join(s.dir, "aaaa.json"), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := strings.TrimSuffix(fileName("store/1"), suffix)
	r.err = func(key string) error {
		if key == bad {
			return memory.Errorf(memory.Invalid, "", "not this one, hunter2")
		}
		return nil
	}
	if report := drain(t, s, r); report.Delivered != 1 || report.PutAside != 2 {
		t.Errorf("drained %+v", report)
	}
	list, err := s.Quarantined()
	if err != nil || len(list) != 2 || waiting(t, s).Quarantined != 2 || waiting(t, s).Entries != 0 {
		t.Fatalf("quarantined %+v, %v", list, err)
	}
	kinds := map[string]string{list[0].Kind: list[0].Reason, list[1].Kind: list[1].Reason}
	if !strings.Contains(kinds["store"], "not this one, [redacted") || !strings.Contains(kinds["unreadable"], "no entry") {
		t.Errorf("the reasons are %v", kinds)
	}
}

// An error that nobody foresaw does not keep the others waiting, and not for
// ever itself.
func TestUnforeseenErrorsEnd(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	add(t, s, storeEntry(1), storeEntry(2))
	bad := strings.TrimSuffix(fileName("store/1"), suffix)
	r.err = func(key string) error {
		if key == bad {
			return errors.New("boom")
		}
		return nil
	}
	for n := 1; n < maxTries; n++ {
		if report := drain(t, s, r); report.Waiting != 1 || len(r.stores) != 1 {
			t.Fatalf("try %d: %+v", n, report)
		}
	}
	if report := drain(t, s, r); report.PutAside != 1 || waiting(t, s).Entries != 0 {
		t.Errorf("the last try: %+v", report)
	}
}

func TestIsBounded(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range MaxEntries - 1 {
		if err := os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("%04d.json", n)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add(t, s, storeEntry(1))
	if err := s.Add(storeEntry(2)); !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	if err := s.Add(storeEntry(1)); err != nil {
		t.Errorf("the same again needs no room: %v", err)
	}
}

func TestQuarantineIsBounded(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for n := range MaxQuarantined + 7 {
		if err := os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("%04d.json", n)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if report := drain(t, s, newReceiver()); report.PutAside != MaxQuarantined+7 || waiting(t, s).Quarantined != MaxQuarantined {
		t.Errorf("%+v, %+v", report, waiting(t, s))
	}
}

// Several drain while others add: all arrives, each once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	var wg sync.WaitGroup
	const adders, each = 4, 20
	for a := range adders {
		wg.Go(func() {
			for n := range each {
				if err := s.Add(storeEntry(a*each + n)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range each {
				if _, err := s.Drain(t.Context(), r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	drain(t, s, r)
	if len(r.stores) != adders*each || r.calls != adders*each {
		t.Errorf("%d stores in %d calls, want %d", len(r.stores), r.calls, adders*each)
	}
}

// What a process that was killed left half written is nobody's entry, and goes.
func TestHalfWrittenFilesGo(t *testing.T) {
	t.Parallel()
	s := open(t)
	add(t, s, storeEntry(1))
	half := filepath.Join(s.dir, ".x"+suffix+"123")
	if err := os.WriteFile(half, []byte(`{"key":"x"`), 0o600); err != nil {
		t.Fatal(err)
	}
	drain(t, s, newReceiver())
	if _, err := os.Stat(half); err != nil {
		t.Errorf("a file that may still be written to is gone: %v", err)
	}
	s.now = func() time.Time { return time.Now().Add(2 * staleTemp) }
	drain(t, s, newReceiver())
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestRunDrainsUntilItIsEnded(t *testing.T) {
	t.Parallel()
	s, r := open(t), newReceiver()
	ctx, cancel := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	r.err = func(string) error { close(arrived); return nil }
	add(t, s, storeEntry(1))
	ended := make(chan struct{})
	go func() { s.Run(ctx, r, time.Hour, nil); close(ended) }()
	<-arrived
	cancel()
	<-ended
}

// FuzzParse checks that no file breaks a drain.
func FuzzParse(f *testing.F) {
	good, err := json.Marshal(storeEntry(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"key":"k","events":[{"id":"e","action":"inject"}]}`))
	f.Add([]byte(`{"key":"k","credit":{"ids":["x"]}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parse(data)
		if err != nil {
			if memory.CodeOf(err) != memory.Invalid {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		if _, err := e.admit(stars{}); e.Key == "" || err != nil {
			t.Errorf("%q is taken as %+v", data, e)
		}
	})
}
