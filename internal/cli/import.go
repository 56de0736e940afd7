package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/memory"
)

type importFlags struct {
	project  string
	global   bool
	format   string
	rename   []string
	dryRun   bool
	skipBad  bool
	inFlight int
	claude   claudeFlags
}

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE|FOLDER|-…|--claude",
		Short: "Remember notes, issues, what another memory tool exported, or Claude Code's history",
		Long: "Remember what is in a file or a folder. The content tells the format:\n" +
			"  Markdown (MEMORY.md, CLAUDE.md, notes, a folder of notes): each section becomes a memory;\n" +
			"  basic-memory: notes whose observations and relations become memories;\n" +
			"  issues and comments as gh writes them: gh issue list --json number,title,body,url,state,labels,createdAt,comments;\n" +
			"  exports of claude-mem, mcp-memory-service, mem0 and the reference server-memory;\n" +
			"  JSON lines as \"mneme export\" writes them.\n" +
			"Import the same file or folder again when it has changed: a section that says something else\n" +
			"changes its memory in place, and the memory of a section that is gone is forgotten. What other\n" +
			"tools exported is updated, and never forgotten. Everything is checked before anything is kept,\n" +
			"--dry-run shows what would become what, and \"mneme undo\" takes an import back.\n\n" + aboutClaude,
		Example: "  mneme import MEMORY.md\n  mneme import ~/notes --dry-run\n" +
			"  gh issue list --state all --json number,title,body,url,state,labels,createdAt,comments > issues.json\n" +
			"  mneme import issues.json\n  mneme export | MNEME_HOME=~/other mneme import -\n" + claudeExamples,
		Args: f.claude.args,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.project, "project", "", "project to import into (default: that of the files or of the current folder;\nfor lines of JSON that name none, _global)")
	fl.BoolVar(&f.global, "global", false, "import for all projects")
	fl.StringVar(&f.format, "format", "", "do not guess: one of "+strings.Join(importer.Formats(), ", "))
	fl.StringArrayVar(&f.rename, "map-project", nil,
		"what another tool calls a project, such as shop=github.com/acme/shop; repeated")
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would become what, change nothing")
	fl.BoolVar(&f.skipBad, "skip-bad", false, "leave out what cannot be read instead of stopping")
	fl.IntVar(&f.inFlight, "in-flight", 3, "batches sent at once, 1 to 16")
	f.claude.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.claude.on {
			f.claude.dryRun = f.dryRun
			return a.importClaude(cmd.Context(), f.claude, f.project)
		}
		if f.inFlight < 1 || f.inFlight > 16 {
			return memory.Errorf(memory.Invalid, "leave it out for 3", "in-flight must be 1 to 16, got %d", f.inFlight)
		}
		if f.format != "" && !slices.Contains(importer.Formats(), f.format) {
			return memory.Errorf(memory.Invalid, "use one of "+strings.Join(importer.Formats(), ", "),
				"there is no format %q", oneLine(f.format, 60))
		}
		return a.runImports(cmd.Context(), args, f)
	}
	return cmd
}

// runImports imports one source after the other, and prints what became of them: one object of
// JSON for one source, a list for several.
func (a *app) runImports(ctx context.Context, paths []string, f importFlags) error {
	all := make([]importJSON, 0, len(paths))
	for _, path := range paths {
		res, err := a.runImport(ctx, path, f)
		if err != nil {
			return err
		}
		all = append(all, res)
	}
	switch {
	case !a.json:
		return nil
	case len(all) == 1:
		return a.printJSON(all[0])
	default:
		return a.printJSON(all)
	}
}

func (a *app) runImport(ctx context.Context, path string, f importFlags) (importJSON, error) {
	cfg, err := a.config()
	if err != nil {
		return importJSON{}, err
	}
	if abs := a.absolute(path); path != "-" && isFolder(abs) {
		return a.importFound(ctx, cfg, importer.Source{Name: path, Path: abs}, f)
	}
	file, err := a.openImport(ctx, path)
	if err != nil {
		return importJSON{}, err
	}
	defer file.close()
	if f.format == "" {
		if f.format, err = file.format(); err != nil {
			return importJSON{}, err
		}
	}
	if f.format != importer.JSONLines {
		src := importer.Source{Name: file.name, Path: file.key, File: file.file}
		if path == "-" {
			src.Path = ""
		}
		return a.importFound(ctx, cfg, src, f)
	}
	return a.importLines(ctx, cfg, file, f)
}

// importLines imports mneme's own lines of JSON.
func (a *app) importLines(ctx context.Context, cfg config.Config, file *importFile, f importFlags) (res importJSON, err error) {
	if len(f.rename) > 0 {
		return res, memory.Errorf(memory.Invalid, "leave --map-project out",
			"lines of JSON name their projects in full")
	}
	project := orText(f.project, cfg.Project)
	if f.global {
		project = memory.Global
	}
	file.defaults = memory.StoreInput{Project: project, User: cfg.User}
	if a.deps.Redactor != nil {
		if file.redactor, err = a.deps.Redactor(cfg, a.sys.Dir); err != nil {
			return res, err
		}
	}
	s, err := file.survey(ctx)
	if err != nil {
		return res, err
	}
	if err := a.tellSurvey(file.name, s, f.skipBad); err != nil {
		return res, err
	}
	if f.dryRun {
		res = importJSON{ImportID: s.id, Format: importer.JSONLines, Lines: s.lines, Bad: s.bad, DryRun: true}
		if a.json {
			return res, nil
		}
		a.note("dry run, nothing was changed")
		return res, a.printf("%s would be imported, but for those that are there already\n", memories(s.lines))
	}
	err = a.with(ctx, func(_ config.Config, c Client) error {
		res, err = a.sendImport(ctx, c, file, s, f.inFlight)
		return err
	})
	return res, err
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

func (a *app) sendImport(
	ctx context.Context, c receiver, file *importFile, s survey, inFlight int,
) (importJSON, error) {
	res := importJSON{ImportID: s.id, Format: importer.JSONLines, Lines: s.lines, Bad: s.bad}
	progress, err := c.ImportStart(ctx, s.id)
	if err != nil {
		return res, err
	}
	res.Resumed = progress.Batches
	if progress.Batches > 0 {
		a.note("going on after %d of %s", progress.Batches, plural(s.batches, "batch", "batches"))
	}
	bar := a.bar(s.lines)
	send := sender{client: c, id: s.id, inFlight: inFlight, skip: progress.Batches, done: bar.add, skipped: bar.skip}
	err = a.patiently(ctx, c, func() error { return send.all(ctx, file) })
	if err == nil { // each batch of memories is done: what the links join is there
		links := sentLinks{file.links, file.defaults.User}
		err = a.patiently(ctx, c, func() error { return send.all(ctx, links) })
	}
	bar.finish()
	if ctx.Err() != nil {
		a.note("stopped; the same command goes on from there")
		return res, ctx.Err()
	}
	if err != nil {
		return res, err
	}
	end, err := c.ImportFinish(ctx, s.id)
	if err != nil {
		return res, err
	}
	res.count(end)
	if a.json {
		return res, nil
	}
	text := fmt.Sprintf("imported %s", memories(res.Stored))
	if res.Updated > 0 {
		text += fmt.Sprintf("; %d changed", res.Updated)
	}
	if res.Existing > 0 {
		text += fmt.Sprintf("; %d were there already", res.Existing)
	}
	if res.Linked > 0 {
		text += "; " + plural(res.Linked, "new link", "new links")
	}
	if res.Bad > 0 {
		text += fmt.Sprintf("; %s left out", plural(res.Bad, "bad line", "bad lines"))
	}
	if err := a.printf("%s\n", text); err != nil {
		return res, err
	}
	if res.Kept > 0 {
		a.note("%s stayed as they are here, because they were changed here after they were exported, or were not changed since; to import the other version too, remove the id from its line",
			memories(res.Kept))
	}
	if res.Unlinked > 0 {
		a.note("%s left out: one of the two memories is not here", plural(res.Unlinked, "link was", "links were"))
	}
	a.tellUndo(res)
	return res, nil
}

// tellUndo says how to take an import back that changed something.
func (a *app) tellUndo(res importJSON) {
	if res.Change != "" && res.Stored+res.Updated+res.Forgotten+res.Linked > 0 {
		a.note("to take this back: mneme undo %s", res.Change)
	}
}
