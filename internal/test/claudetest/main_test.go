package claudetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const (
	// enabled switches the tests with the real client on.
	enabled = "MNEME_TEST_CLAUDE"
	// newestPath and newestWhy hand over what was found before the network was
	// left: the path of the newest client, or why there is none.
	newestPath, newestWhy = "MNEME_CLAUDETEST_NEWEST", "MNEME_CLAUDETEST_WHY"
)

// TestMain fetches the clients and then takes the network away from the tests.
func TestMain(m *testing.M) {
	if os.Getenv(enabled) != "" {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, "prepare the tests with Claude Code:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func prepare() error {
	if os.Getenv(isolated) == "" {
		ctx := context.Background()
		if _, err := Fetch(ctx, clientDir(), Pinned); err != nil {
			return err
		}
		if err := fetchNewest(ctx); err != nil {
			return err
		}
	}
	done, why := Isolate()
	if done {
		return why
	}
	fmt.Fprintln(os.Stderr, "the tests keep the network:", why)
	return nil
}

// fetchNewest hands the newest client on, or why it is not to be had: without a
// registry the pinned one has to do.
func fetchNewest(ctx context.Context) error {
	version, err := Newest(ctx)
	if err == nil {
		var path string
		if path, err = Fetch(ctx, clientDir(), version); err == nil {
			return os.Setenv(newestPath, path)
		}
	}
	return os.Setenv(newestWhy, err.Error())
}

// root is the check-out.
func root() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return "../../.."
	}
	return dir
}

// clientDir is where the clients are kept between runs.
func clientDir() string { return filepath.Join(root(), ".bin", "claude") }

// clients lists the clients to test with, by the name of their subtest. A newest
// one that could not be fetched has no path.
func clients() map[string]string {
	return map[string]string{
		"pinned": filepath.Join(clientDir(), Pinned, "node_modules", ".bin", "claude"),
		"newest": os.Getenv(newestPath),
	}
}
