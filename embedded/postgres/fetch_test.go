package postgres

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFetch downloads about 15 MB, so it asks to be asked.
func TestFetch(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_TEST_FETCH") == "" {
		t.Skip("downloads PostgreSQL; set MNEME_TEST_FETCH=1 to run it")
	}
	cache := filepath.Join(t.TempDir(), "cache")
	account, err := serverAccount(t.Context(), discard())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var last int64
	var steps []string
	opts := Options{CacheDir: cache, Logger: discard(), Progress: func(done, _ int64, what string) {
		if len(steps) == 0 || steps[len(steps)-1] != what {
			steps = append(steps, what)
		}
		last = max(last, done)
	}}
	bin, err := fetch(t.Context(), opts, account, 0)
	if err != nil {
		t.Skipf("the place to fetch from is not reached from here: %v", err)
	}
	t.Logf("PostgreSQL %s in %s: %s, %d MB unpacked, steps %q", bin.Version, bin.Dir, time.Since(began), last>>20, steps)
	if dirs := fetchedDirs(cache, account); len(dirs) == 0 {
		t.Error("a second start would fetch again")
	}
	srv := begin(t, Options{Dir: t.TempDir(), BinDir: bin.Dir})
	if got := one[string](t, srv.URL(), "SHOW server_version"); !strings.HasPrefix(got, bin.Version) {
		t.Errorf("version %q, binaries %q", got, bin.Version)
	}
	if err := srv.Stop(); err != nil {
		t.Error(err)
	}
}

func TestFetchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan error)
	if err := follow(ctx, never, t.TempDir(), nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestFetchWhatIsNotOnOffer(t *testing.T) {
	t.Parallel()
	_, err := fetch(t.Context(), Options{CacheDir: t.TempDir(), Logger: discard()}, account{}, 9)
	if err == nil || !strings.Contains(err.Error(), "PostgreSQL 9") {
		t.Fatalf("got %v", err)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestNothingIsFetchedForWhoGaveUp ends the start before a program was found: a
// download would go on behind it.
func TestNothingIsFetchedForWhoGaveUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Start(ctx, Options{Dir: filepath.Join(dir, "data"), CacheDir: filepath.Join(dir, "cache"), Logger: discard()})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cache")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is being fetched: %v", err)
	}
}
