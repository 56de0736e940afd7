package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mneme-memory/mneme/memory"
)

// farthest is how many letters may differ between a word and what was meant.
const farthest = 2

// suggest returns the words that a mistyped one may mean: those with the fewest
// letters that differ. Cobra knows how to tell that for commands, so they are
// made commands of.
func suggest(typed string, words []string) []string {
	for distance := 1; distance <= farthest; distance++ {
		root := &cobra.Command{SuggestionsMinimumDistance: distance}
		for _, w := range words {
			root.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
		}
		if found := root.SuggestionsFor(typed); len(found) > 0 {
			return found
		}
	}
	return nil
}

// didYouMean is the hint that goes with suggestions; without one, otherwise.
func didYouMean(found []string, otherwise string) string {
	if len(found) == 0 {
		return otherwise
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(found, " or "))
}

// noSuchCommand is how the root takes arguments: it has none but its commands.
func noSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, cmd := range root.Commands() {
		if slices.Contains(cmd.SuggestFor, args[0]) { // another word for it, however it is written
			return memory.Errorf(memory.Invalid, didYouMean([]string{cmd.Name()}, ""), "unknown command %q", oneLine(args[0], 60))
		}
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return memory.Errorf(memory.Invalid, didYouMean(suggest(args[0], names), `see "mneme help"`),
		"unknown command %q", oneLine(args[0], 60))
}

// noSuchFlag is the error for a flag that a command does not have, or nil if
// err is another one.
func noSuchFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return nil
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	found := suggest(missing.GetSpecifiedName(), names)
	for i := range found {
		found[i] = "--" + found[i]
	}
	return memory.Errorf(memory.Invalid, didYouMean(found, fmt.Sprintf(`see "mneme help %s"`, cmd.Name())),
		"unknown flag: --%s", missing.GetSpecifiedName())
}
