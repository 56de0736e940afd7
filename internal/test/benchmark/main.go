package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// suites are all there are, in the order in which they run: what wants a
// machine at rest comes first.
func suites() []Suite {
	return []Suite{
		{"start", "from nothing to the first memory", runStart},
		{"import", "many memories at once", runImport},
		{"idle", "what it costs to have it running", runIdle},
		{"recall", "an answer from 10,000 memories", runRecall},
		{"store", "one memory among 10,000", runStore},
		{"hooks", "mneme-hook from its start to its end", runHooks},
		{"organize", "tidying up 10,000 memories", runOrganize},
		{"index", "the embedded index by itself", runIndex},
		{"analytics", "a million audit rows", runAnalytics},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	binary := flags.String("mneme", "bin/mneme", "the binary to measure")
	page := flags.String("page", "", "Markdown file whose generated part is rewritten; none if empty")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read flags: %w", err)
	}
	chosen, err := choose(suites(), flags.Args())
	if err != nil {
		return err
	}
	env, err := newEnv(*binary, os.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.close()) }()
	about := describe(time.Now())
	fmt.Println(about)
	var results []Result
	for _, s := range chosen {
		env.say("%s: %s", s.Name, s.About)
		start := time.Now()
		rows, err := s.Run(ctx, env)
		if err != nil {
			return fmt.Errorf("suite %s: %w", s.Name, err)
		}
		r := Result{Suite: s, Rows: rows, Took: time.Since(start), Load: load()}
		results = append(results, r)
		fmt.Print(r.text())
	}
	if *page == "" {
		return nil
	}
	return rewrite(*page, about, suites(), results)
}

// choose picks suites by name; without names it takes all.
func choose(all []Suite, names []string) ([]Suite, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, s := range all {
		known = append(known, s.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no suite %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(s Suite) bool { return !slices.Contains(names, s.Name) }), nil
}
