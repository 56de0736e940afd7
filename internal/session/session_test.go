package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mneme-memory/mneme/internal/transcript"
)

func update(t *testing.T, s *Store, id string, do func(*State)) {
	t.Helper()
	if err := s.Update(t.Context(), id, func(state *State) error { do(state); return nil }); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s *Store, id string) (State, bool) {
	t.Helper()
	state, ok, err := s.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return state, ok
}

func TestStateIsKept(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	if _, ok := get(t, s, "a"); ok {
		t.Error("a state is there before anybody wrote one")
	}
	update(t, s, "a", func(st *State) { st.Checkpoint = transcript.Checkpoint{UUID: "u", Offset: 7} })
	update(t, s, "a", func(st *State) { st.Saved++ })
	if state, ok := get(t, s, "a"); !ok || state.Checkpoint.UUID != "u" || state.Saved != 1 || state.Session != "a" {
		t.Errorf("kept %+v", state)
	}
	if _, ok := get(t, s, "../a"); ok {
		t.Error("another session has it too")
	}
	info, err := os.Stat(s.path("a"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestErrorChangesNothing(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	boom := errors.New("boom")
	err := s.Update(t.Context(), "a", func(st *State) error { st.Saved = 1; return boom })
	if _, ok := get(t, s, "a"); !errors.Is(err, boom) || ok {
		t.Errorf("%v, kept %v", err, ok)
	}
}

func TestBrokenFileIsNoState(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	update(t, s, "a", func(st *State) { st.Saved = 1 })
	if err := os.WriteFile(s.path("a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := get(t, s, "a"); ok {
		t.Error("half a file is taken as a state")
	}
	update(t, s, "a", func(st *State) { st.Saved++ })
	if state, _ := get(t, s, "a"); state.Saved != 1 {
		t.Errorf("mended to %+v", state)
	}
}

// Hooks of one session overlap: no change is lost.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	var wg sync.WaitGroup
	const hooks, times = 8, 10
	for range hooks {
		wg.Go(func() {
			for range times {
				if err := s.Update(t.Context(), "a", func(st *State) error { st.Saved++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if state, _ := get(t, s, "a"); state.Saved != hooks*times {
		t.Errorf("%d of %d changes are there", state.Saved, hooks*times)
	}
}

func TestSweepLockWaits(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	unlock, err := s.LockSweep(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.LockSweep(short, "a"); err == nil {
		t.Error("two sweep at once")
	}
	update(t, s, "a", func(st *State) {}) // the state can be changed meanwhile
	unlock()
	unlock, err = s.LockSweep(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestStateIsBounded(t *testing.T) {
	t.Parallel()
	var state State
	for n := range 200 {
		state.Show(Injection{ID: fmt.Sprint(n)}, Injection{ID: "same"})
		state.Fail(Failure{Key: fmt.Sprint(n)})
	}
	if len(state.Injected) != maxInjected || len(state.Failures) != maxFailures || !state.Saw("same") || state.Saw("3") {
		t.Errorf("%d injections, %d failures", len(state.Injected), len(state.Failures))
	}
	if state.Failures[maxFailures-1].Key != "199" || len(state.Texts()) != maxInjected {
		t.Error("the latest are gone")
	}
}

func TestCleanRemovesWhatIsOver(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := Open(home)
	said := filepath.Join(home, "said.jsonl")
	if err := os.WriteFile(said, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	update(t, s, "spoken", func(st *State) { st.Transcript = said })
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.path("spoken"), old, old); err != nil {
		t.Fatal(err)
	}
	for n := range maxEmpty + 20 {
		update(t, s, fmt.Sprint(n), func(st *State) { st.Transcript = filepath.Join(home, "never") })
	}
	if err := os.WriteFile(filepath.Join(s.dir, ".x"+suffix+"1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return time.Now().Add(2 * staleTemp) }
	clean(t, s, maxEmpty+1)
	if _, ok := get(t, s, "spoken"); !ok {
		t.Error("a session with a transcript is forgotten")
	}
	s.now = func() time.Time { return time.Now().Add(Lifetime + time.Hour) }
	clean(t, s, 0)
}

// clean cleans and counts what is left beside the locks.
func clean(t *testing.T, s *Store, want int) {
	t.Helper()
	if err := s.Clean(); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, n := range names {
		if filepath.Ext(n.Name()) != ".lock" {
			files++
		}
	}
	if files != want || len(names)-files > locks*2 {
		t.Errorf("%d files and %d locks are left, want %d", files, len(names)-files, want)
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	update(t, s, "silent", func(st *State) { st.Transcript = "/never/there" })
	update(t, s, "spoken", func(st *State) { st.Checkpoint.UUID = "u"; st.Fail(Failure{Key: "k"}) })
	for _, id := range []string{"silent", "spoken", "unknown"} {
		if err := s.Leave(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if _, ok := get(t, s, "silent"); ok {
		t.Error("a session in which nothing was said is kept")
	}
	if state, ok := get(t, s, "spoken"); !ok || !state.Ended || len(state.Failures) != 0 {
		t.Errorf("kept %+v", state)
	}
}

func TestFindGivesTheLatest(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	for n := range 6 {
		id := fmt.Sprint(n)
		update(t, s, id, func(st *State) { st.Project = []string{"a", "b"}[n%2] })
		at := time.Now().Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(s.path(id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	found, err := s.Find(2, func(st State) bool { return st.Project == "b" })
	if err != nil || len(found) != 2 || found[0].Session != "5" || found[1].Session != "3" {
		t.Errorf("found %+v, %v", found, err)
	}
}
