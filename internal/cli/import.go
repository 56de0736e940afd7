package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

type importFlags struct {
	project  string
	skipBad  bool
	inFlight int
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Remember a file of JSON lines",
		Long: "Remember a file of JSON lines, one memory each, with the fields text (required), type,\n" +
			"tags, project, session, created_at, and also collection, importance, pinned and position.\n" +
			"The file is checked as a whole before anything is kept. An import that was interrupted\n" +
			"goes on where it stopped when the same command is run again.",
		Example: "  mneme import notes.jsonl\n  mneme export | MNEME_HOME=~/other mneme import -",
		Args:    cobra.ExactArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.project, "project", "", "project of lines that name none (default _global)")
	fl.BoolVar(&f.skipBad, "skip-bad", false, "leave bad lines out instead of stopping")
	fl.IntVar(&f.inFlight, "in-flight", 3, "batches sent at once, 1 to 16")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.inFlight < 1 || f.inFlight > 16 {
			return memory.Errorf(memory.Invalid, "leave it out for 3", "in-flight must be 1 to 16, got %d", f.inFlight)
		}
		return a.runImport(cmd.Context(), args[0], f)
	}
	return cmd
}

func (a *app) runImport(ctx context.Context, path string, f importFlags) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	file, err := a.openImport(ctx, path)
	if err != nil {
		return err
	}
	defer file.close()
	file.defaults = memory.StoreInput{Project: orText(f.project, cfg.Project), User: cfg.User}
	s, err := file.survey(ctx)
	if err != nil {
		return err
	}
	if err := a.tellSurvey(file.name, s, f.skipBad); err != nil {
		return err
	}
	return a.with(ctx, func(_ config.Config, c Client) error {
		return a.sendImport(ctx, c, file, s, f.inFlight)
	})
}

// tellSurvey reports bad lines and unknown fields, and refuses a file with bad
// lines or with none at all.
func (a *app) tellSurvey(name string, s survey, skipBad bool) error {
	for _, b := range s.shown {
		a.note("%s:%d: %s", name, b.number, oneLine(b.reason, 200))
	}
	if s.bad > len(s.shown) {
		a.note("… and %d more bad lines", s.bad-len(s.shown))
	}
	if len(s.unknown) > 0 {
		keys := slices.Sorted(maps.Keys(s.unknown))
		const most = 10
		a.note("unknown fields are ignored: %s", oneLine(strings.Join(keys[:min(most, len(keys))], ", "), 200))
	}
	if s.bad > 0 && !skipBad {
		return memory.Errorf(memory.Invalid, "mend them, or leave them out with --skip-bad",
			"%s of %s cannot be imported; nothing was", plural(s.bad, "line", "lines"), name)
	}
	if s.lines == 0 {
		return memory.Errorf(memory.Invalid, `each line is a JSON object such as {"text": "…"}`, "there is no memory in %s", name)
	}
	return nil
}

func (a *app) sendImport(ctx context.Context, c receiver, file *importFile, s survey, inFlight int) error {
	progress, err := c.ImportStart(ctx, s.id)
	if err != nil {
		return err
	}
	res := importJSON{ImportID: s.id, Lines: s.lines, Bad: s.bad, Resumed: progress.Batches}
	if progress.Batches > 0 {
		a.note("going on after %d of %s", progress.Batches, plural(s.batches, "batch", "batches"))
	}
	bar := a.bar(s.lines)
	send := sender{client: c, id: s.id, inFlight: inFlight, skip: progress.Batches, done: bar.add}
	err = a.patiently(ctx, c, func() error { return send.all(ctx, file) })
	bar.finish()
	if ctx.Err() != nil {
		a.note("stopped; the same command goes on from there")
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	end, err := c.ImportFinish(ctx, s.id)
	if err != nil {
		return err
	}
	res.Stored, res.Existing = end.Stored, end.Existing
	if a.json {
		return a.printJSON(res)
	}
	text := fmt.Sprintf("imported %s", memories(res.Stored))
	if res.Existing > 0 {
		text += fmt.Sprintf("; %d were there already", res.Existing)
	}
	if res.Bad > 0 {
		text += fmt.Sprintf("; %s left out", plural(res.Bad, "bad line", "bad lines"))
	}
	return a.printf("%s\n", text)
}
