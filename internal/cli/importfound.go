package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/importer"
	"github.com/mneme-memory/mneme/internal/project"
	"github.com/mneme-memory/mneme/memory"
)

// importPlanner says what an import would do.
type importPlanner interface {
	ImportPlan(ctx context.Context, items []memory.StoreInput, scope memory.ImportScope) (memory.ImportPlan, error)
}

// foundImport holds the memories found in a source, and the plan that says for each of them whether
// it is new, changes or moves an existing memory, or is the same as one.
type foundImport struct {
	name  string
	key   string // names the source, so that an import that was broken off is known again
	found *importer.Found
	plan  memory.ImportPlan
}

// importFound imports what is not mneme's own: notes, issues, exports of other tools.
func (a *app) importFound(
	ctx context.Context, cfg config.Config, src importer.Source, f importFlags,
) (importJSON, error) {
	home, root, err := a.projectOf(cfg, src, f)
	if err != nil {
		return importJSON{}, err
	}
	found, err := importer.Read(ctx, src, importer.Options{Format: f.format, Root: root})
	if err != nil {
		return importJSON{}, err
	}
	if err := a.admitFound(cfg, found); err != nil {
		return importJSON{}, err
	}
	if err := a.tellFound(src.Name, found, f.skipBad); err != nil {
		return importJSON{}, err
	}
	in := &foundImport{name: src.Name, key: orText(src.Path, "-"), found: found}
	var res importJSON
	err = a.with(ctx, func(_ config.Config, c Client) error {
		if err := a.placeItems(ctx, c, in, home, cfg.User, f); err != nil {
			return err
		}
		if in.plan, err = c.ImportPlan(ctx, found.Items, found.Scope); err != nil {
			return err
		}
		if f.dryRun {
			res = in.would()
			return a.printWould(in, res)
		}
		res, err = a.sendFound(ctx, c, in, f.inFlight)
		return err
	})
	return res, err
}

// projectOf returns the project of what names none, and the folder that places of files are told
// from: that of the repository, if the project is that of the repository.
func (a *app) projectOf(cfg config.Config, src importer.Source, f importFlags) (name, root string, err error) {
	if f.global || f.project != "" || cfg.Project != "" || a.deps.Project == nil {
		name, err = a.project(cfg, f.project, f.global)
		return name, "", err
	}
	dir := a.sys.Dir
	if notes := src.File == nil || f.format == importer.Markdown || f.format == importer.BasicMemory; notes && src.Path != "" {
		settings := orText(a.sys.Env("CLAUDE_CONFIG_DIR"), filepath.Join(a.sys.Env("HOME"), ".claude"))
		if dir = importer.Folder(src.Path, src.File == nil, settings); dir == "" {
			return memory.Global, "", nil
		}
	}
	return a.deps.Project(dir), project.Root(dir), nil
}

// tellFound says what could not be read, and refuses a source with such parts or with nothing.
func (a *app) tellFound(name string, found *importer.Found, skipBad bool) error {
	for _, b := range found.Bad {
		a.note("%s: %s %s", name, printable(b.Where), oneLine(b.Why, 200))
	}
	if more := found.Bads - len(found.Bad); more > 0 {
		a.note("… and %d more", more)
	}
	if found.Bads > 0 && !skipBad {
		return memory.Errorf(memory.Invalid, "mend them, or leave them out with --skip-bad",
			"%s of %s cannot be imported; nothing was", plural(found.Bads, "part", "parts"), name)
	}
	if len(found.Items) == 0 {
		return memory.Errorf(memory.Invalid,
			"give a file or folder with text in it; what was imported from there before stays",
			"there is nothing to remember in %s (read as %s)", name, found.Format)
	}
	return nil
}

// placeItems gives each item its project.
func (a *app) placeItems(ctx context.Context, c censor, in *foundImport, home, user string, f importFlags) error {
	named, err := renames(f.rename)
	if err != nil {
		return err
	}
	var known []string
	placed, counts := map[string]string{}, map[string]int{}
	explicit := f.project != "" || f.global
	for i := range in.found.Items {
		item := &in.found.Items[i]
		item.User = user
		if item.Project == "" || explicit {
			item.Project = home
			continue
		}
		if known == nil {
			if known, err = knownProjects(ctx, c, home); err != nil {
				return err
			}
		}
		to, seen := placed[item.Project]
		if !seen {
			to = orText(named[item.Project], memory.ResolveProject(item.Project, known))
			placed[item.Project] = to
		}
		if !slices.Contains(known, to) && named[item.Project] == "" && !strings.Contains(to, "/") {
			counts[to]++
		}
		item.Project = to
	}
	for _, name := range sortedKeys(counts) {
		a.note("%s into project %s, which no folder of yours has yet; --map-project %s=NAME names the one they belong to",
			memories(counts[name]), printable(name), printable(name))
	}
	return nil
}

// knownProjects are the projects that hold memories, and that of the current folder.
func knownProjects(ctx context.Context, c censor, home string) ([]string, error) {
	census, err := c.Census(ctx, memory.CensusInput{})
	if err != nil {
		return nil, err
	}
	out := []string{home}
	for _, p := range census.Projects {
		out = append(out, p.Name)
	}
	return out, nil
}

// renames reads --map-project.
func renames(flags []string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range flags {
		from, to, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "" {
			return nil, memory.Errorf(memory.Invalid, "write it like shop=github.com/acme/shop",
				"--map-project %q names no two projects", oneLine(pair, 60))
		}
		out[strings.TrimSpace(from)] = strings.TrimSpace(to)
	}
	return out, nil
}

// id names the import: the same source with the same content has the same.
func (in *foundImport) id() (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "2 %q %q\n", in.key, in.found.Format)
	for _, item := range in.found.Items {
		if _, err := jsonSize(hash, parsedLine{in: item}); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]), nil
}

// batches cuts all items, so that the batches of an import that goes on are the same, and sends
// of each what is not there yet.
func (in *foundImport) batches(_ context.Context, send func(memory.ImportBatch) error) error {
	from := 0
	b := batcher{send: func(batch memory.ImportBatch) error {
		var items []memory.StoreInput
		for i, item := range batch.Items {
			p := in.plan.Items[from+i]
			if p.Fate != memory.ImportSame {
				item.WasRef = p.Was
				items = append(items, item)
			}
		}
		from += len(batch.Items)
		batch.Items = items
		return send(batch)
	}}
	for _, item := range in.found.Items {
		item.WasRef = strings.Repeat("x", len(item.SourceRef)) // room for it in the message
		size, err := jsonSize(io.Discard, parsedLine{in: item})
		if err != nil {
			return err
		}
		item.WasRef = ""
		if err := b.add(item, size); err != nil {
			return err
		}
	}
	return b.flush()
}

// changes is how many items are not there yet.
func (in *foundImport) changes() int {
	return len(in.plan.Items) - in.plan.Count(memory.ImportSame)
}

// sendFound imports what the plan says, then forgets what is gone from the source.
func (a *app) sendFound(ctx context.Context, c Client, in *foundImport, inFlight int) (importJSON, error) {
	res := in.result()
	if in.changes()+len(in.plan.Gone) == 0 {
		return res, a.printImported(in, res)
	}
	id, err := in.id()
	if err != nil {
		return res, err
	}
	progress, err := in.start(ctx, c, id)
	if err != nil {
		return res, err
	}
	res.ImportID, res.Resumed = id, progress.Batches
	bar := a.bar(in.changes())
	last := 0
	send := sender{client: c, id: id, inFlight: inFlight, skip: progress.Batches, done: bar.add, skipped: bar.skip}
	err = a.patiently(ctx, c, func() error {
		return send.all(ctx, counted{in, &last})
	})
	bar.finish()
	if err == nil && len(in.plan.Gone) > 0 {
		err = a.forgetGone(ctx, c, in, id, max(last, progress.Batches))
	}
	if ctx.Err() != nil {
		a.note("stopped; the same command goes on from there")
		return res, ctx.Err()
	}
	if err != nil {
		return res, err
	}
	end, err := c.ImportFinish(ctx, id)
	if err != nil {
		return res, err
	}
	res.count(end)
	return res, a.printImported(in, res)
}

// start begins the import or goes on with it. One whose batches are done, and whose memories are not
// there all the same (because it was taken back), is ended and begun again.
func (in *foundImport) start(ctx context.Context, c receiver, id string) (memory.ImportProgress, error) {
	progress, err := c.ImportStart(ctx, id)
	if err != nil || progress.Batches == 0 {
		return progress, err
	}
	undone := false
	err = in.batches(ctx, func(b memory.ImportBatch) error {
		undone = undone || b.Number < progress.Batches && len(b.Items) > 0
		return nil
	})
	if err != nil || !undone {
		return progress, err
	}
	if _, err := c.ImportFinish(ctx, id); err != nil {
		return progress, err
	}
	return c.ImportStart(ctx, id)
}

// counted counts batches while they are cut.
type counted struct {
	batched
	n *int
}

func (c counted) batches(ctx context.Context, send func(memory.ImportBatch) error) error {
	return c.batched.batches(ctx, func(b memory.ImportBatch) error {
		*c.n = b.Number + 1
		return send(b)
	})
}

// forgetGone forgets the memories whose place in the source is gone, as the last batches of the
// import. It plans the import again to list these memories, because the batches before have changed
// the list: a memory whose text was found at another place of the source now belongs to that place.
func (a *app) forgetGone(ctx context.Context, c Client, in *foundImport, id string, number int) error {
	plan, err := c.ImportPlan(ctx, in.found.Items, in.found.Scope)
	if err != nil {
		return err
	}
	in.plan.Gone = plan.Gone
	for part := range slices.Chunk(plan.Gone, memory.MaxImportBatch) {
		batch := memory.ImportBatch{Number: number, Items: []memory.StoreInput{}, User: in.found.Items[0].User}
		for _, m := range part {
			batch.Gone = append(batch.Gone, m.ID)
		}
		if _, err := c.ImportBatch(ctx, id, batch); err != nil {
			return err
		}
		number++
	}
	return nil
}

// result returns the result of an import before its first batch is sent: it counts the texts that
// mneme has already, and has no counts of stored, updated and forgotten memories yet.
func (in *foundImport) result() importJSON {
	res := importJSON{
		Format: in.found.Format, Lines: len(in.found.Items), Bad: in.found.Bads, Left: in.found.Left,
		Existing: in.plan.Count(memory.ImportSame),
	}
	for _, item := range in.found.Items {
		if !slices.Contains(res.Projects, item.Project) {
			res.Projects = append(res.Projects, item.Project)
		}
	}
	slices.Sort(res.Projects)
	return res
}

// would is the result of a dry run.
func (in *foundImport) would() importJSON {
	res := in.result()
	res.DryRun, res.Stored, res.Forgotten = true, in.plan.Count(memory.ImportNew), len(in.plan.Gone)
	res.Updated = in.plan.Count(memory.ImportChanged) + in.plan.Count(memory.ImportMoved)
	for i, p := range in.plan.Items {
		if item := in.found.Items[i]; p.Fate != memory.ImportSame {
			res.Would = append(res.Would,
				wouldJSON{p.Fate, item.SourceRef, item.Project, item.Type, p.ID, item.Text, p.Old})
		}
	}
	for _, m := range in.plan.Gone {
		res.Would = append(res.Would, wouldJSON{memory.ImportGone, m.SourceRef, m.Project, m.Type, m.ID, m.Text, ""})
	}
	return res
}
