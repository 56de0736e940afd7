// Command product measures recall as a user gets it: it starts a mneme of its
// own in a temporary folder, imports public data sets with the real import
// command, asks their questions through the real recall workflow, one after
// the other, and prints how much of what is relevant was found and how long it
// took. Then it plays sessions, questions, failures and pairs of memories that were
// written by hand, with the program that lies beside them, and prints each figure
// beside what it must reach. Nothing of it stays behind.
//
//	make eval
//	go run ./internal/test/evaluation/product -mneme bin/mneme -sets nl2bash -sample 100
//	make eval ARGS="-ollama http://127.0.0.1:11434 -model all-minilm"
//	make eval ARGS="-sets= -parts start,questions"
//
// The data is not part of the project. It is looked for in the folders
// retrieval-dev and scenarios of $MNEME_SHARED, else of ../shared.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "evaluation: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	mneme := flag.String("mneme", "bin/mneme", "the `program` to measure")
	data := flag.String("data", dataFolder("retrieval-dev"), "`folder` of the data sets")
	sets := flag.String("sets", "locomo,nl2bash", "data sets, with commas; none if empty")
	scenarios := flag.String("scenarios", dataFolder("scenarios"),
		"`folder` of the scenarios; none are played if empty")
	played := flag.String("play", "", "`folder` of other scenarios for the runner to play, such as internal/test/evaluation/testdata/aside")
	parts := flag.String("parts", "", "`parts` of the scenarios to play, with commas; all if empty")
	sample := flag.Int("sample", 0, "ask this many questions of each set, evenly spread; 0 means all")
	model := flag.String("model", "mneme-static", "embedding `model`")
	ollama := flag.String("ollama", "", "`URL` of the Ollama that has the model; without, mneme's own server")
	flag.Parse()
	setsErr := measureSets(ctx, *mneme, *data, *sets, *sample,
		map[string]string{"MNEME_EMBED_MODEL": *model, "MNEME_OLLAMA_URL": *ollama})
	if *scenarios == "" || ctx.Err() != nil {
		return setsErr
	}
	return errors.Join(setsErr, playScenarios(ctx, os.Stdout, scenarioRun{
		folder: *scenarios, data: cmp.Or(*played, *scenarios), bin: filepath.Dir(*mneme), parts: *parts, model: *model, ollama: *ollama,
	}))
}

// measureSets measures recall on the data sets, if they are there.
func measureSets(ctx context.Context, mneme, data, sets string, sample int, model map[string]string) error {
	if sets == "" {
		return nil
	}
	if _, err := os.Stat(data); err != nil {
		fmt.Printf("skipped: there is no evaluation data at %s\nset MNEME_SHARED to the folder that holds retrieval-dev, or give -data\n", data)
		return nil
	}
	var corpora []*dataset
	for _, name := range strings.Split(sets, ",") {
		c, err := load(filepath.Join(data, name), name, sample)
		if err != nil {
			return err
		}
		corpora = append(corpora, c)
	}
	return measure(ctx, mneme, model, corpora)
}

// dataFolder is where data of this name is looked for.
func dataFolder(name string) string {
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	return filepath.Join(shared, name)
}
