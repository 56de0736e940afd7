package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/history"
	"github.com/mneme-memory/mneme/memory"
)

const (
	aboutClaude = "With --claude, take what Claude Code kept of earlier sessions (in CLAUDE_CONFIG_DIR, or ~/.claude):\n" +
		"the conversations go into an archive that \"mneme conversations search\" searches and recalls do not\n" +
		"see, and what is worth keeping becomes memories, as the hooks would have found it. A second import\n" +
		"takes only what is new; one that was interrupted goes on where it stopped. Secrets are taken out."
	claudeExamples = "  mneme import --claude --dry-run\n  mneme import --claude --project github.com/acme/shop --since 30d"
)

// claudeFlags are those of "mneme import --claude".
type claudeFlags struct {
	on                    bool
	since, before         string
	tools, thinking       bool
	again, dryRun         bool
	noMemories, noArchive bool
}

func (f *claudeFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.on, "claude", false, "take Claude Code's history; --project means only that project's")
	fl.StringVar(&f.since, "since", "", "with --claude: what was said at or after this date, into the archive only")
	fl.StringVar(&f.before, "before", "", "with --claude: what was said before this date, into the archive only")
	fl.BoolVar(&f.tools, "tools", false, "with --claude: archive also what tools returned")
	fl.BoolVar(&f.thinking, "thinking", false, "with --claude: archive also what the model thought")
	fl.BoolVar(&f.again, "again", false, "with --claude: archive everything anew, also what was forgotten")
	fl.BoolVar(&f.noMemories, "no-memories", false, "with --claude: only archive the conversations")
	fl.BoolVar(&f.noArchive, "no-archive", false, "with --claude: only find memories")
}

// args wants a file, unless it is Claude Code's history that is imported.
func (f *claudeFlags) args(cmd *cobra.Command, args []string) error {
	if f.on {
		return cobra.NoArgs(cmd, args)
	}
	return cobra.MinimumNArgs(1)(cmd, args)
}

func (a *app) importClaude(ctx context.Context, f claudeFlags, project string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	in, err := a.claudeImport(cfg, f, project)
	if err != nil {
		return err
	}
	list, total, err := in.Plan(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if a.json {
			return a.printJSON(history.Found{Projects: map[string]int{}})
		}
		a.note("there is nothing new in %s", in.Root)
		return nil
	}
	bar := a.barOf(int(total), "bytes")
	in.Read = func(n int64) { bar.add(int(n)) }
	if f.dryRun {
		found, err := in.DryRun(ctx)
		bar.finish()
		if err != nil {
			return err
		}
		return a.printClaude(found, in, true)
	}
	return a.with(ctx, func(_ config.Config, c Client) error {
		started := a.sys.Now()
		var found history.Found
		err := a.patiently(ctx, c, func() (err error) { found, err = in.Run(ctx, c); return err })
		bar.finish()
		if ctx.Err() != nil {
			a.note("stopped; the same command goes on from there")
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		// What another import left behind, or another model knew, is found again.
		if _, err := c.IndexConversations(ctx, false); err != nil {
			return err
		}
		if err := a.printClaude(found, in, false); err != nil || a.json {
			return err
		}
		took := a.sys.Now().Sub(started)
		a.note("it took %s", took.Round(100*time.Millisecond))
		return nil
	})
}

func (a *app) claudeImport(cfg config.Config, f claudeFlags, project string) (history.Import, error) {
	home, err := os.UserHomeDir()
	if own := a.sys.Env("HOME"); own != "" {
		home, err = own, nil
	}
	if err != nil {
		return history.Import{}, fmt.Errorf("find the home folder: %w", err)
	}
	if a.deps.Redactor == nil || a.deps.Project == nil {
		return history.Import{}, memory.Errorf(memory.Internal, "", "this program cannot import Claude Code's history")
	}
	in := history.Import{
		Home: cfg.Home, Root: history.Folder(a.sys.Env, home), Project: a.deps.Project, Now: a.sys.Now,
		Redactor: func(dir string) (memory.Redactor, error) { return a.deps.Redactor(cfg, dir) },
		User:     cfg.User, Tools: f.tools, Thinking: f.thinking, Again: f.again, Archive: !f.noArchive,
	}
	if project != "" {
		in.Projects = []string{project}
	}
	if !f.noMemories {
		in.Memories = cfg.Hooks.ExtractMax
	}
	if f.noArchive && (f.noMemories || f.since != "" || f.before != "" || f.tools || f.thinking || f.again) {
		return in, memory.Errorf(memory.Invalid, "leave --no-archive out",
			"without the archive there is nothing to import, or the other flags mean nothing")
	}
	if in.Since, err = a.dateFlag("since", f.since); err != nil {
		return in, err
	}
	in.Before, err = a.dateFlag("before", f.before)
	return in, err
}

func (a *app) printClaude(found history.Found, in history.Import, dry bool) error {
	if a.json {
		return a.printJSON(found)
	}
	did, kept := "archived", found.Archived.Added+found.Archived.Changed
	if dry {
		did, kept = "would archive", found.Messages
	}
	text := fmt.Sprintf("%s %s of %s", did, plural(kept, "message", "messages"),
		plural(found.Sessions, "conversation", "conversations"))
	if !dry && found.Archived.Known > 0 {
		text += fmt.Sprintf("; %d were there already", found.Archived.Known)
	}
	if found.Archived.Forgotten > 0 {
		text += fmt.Sprintf("; %d are forgotten and stay so (--again takes them)", found.Archived.Forgotten)
	}
	if in.Archive {
		if err := a.printf("%s\n", text); err != nil {
			return err
		}
	}
	if in.Memories > 0 {
		if err := a.printf("%s\n", memoriesFound(found, dry)); err != nil {
			return err
		}
	}
	for _, p := range byCount(found.Projects) {
		if err := a.printf("  %6d  %s\n", found.Projects[p], printable(p)); err != nil {
			return err
		}
	}
	if found.Skipped > 0 {
		a.note("%s could not be read and were left out", plural(found.Skipped, "line", "lines"))
	}
	if found.Unreadable > 0 {
		a.note("%s could not be opened", plural(found.Unreadable, "transcript", "transcripts"))
	}
	return nil
}

func memoriesFound(found history.Found, dry bool) string {
	text := fmt.Sprintf("stored %s", plural(found.Stored, "new memory", "new memories"))
	if dry {
		text = fmt.Sprintf("would find %s", memories(found.Candidates))
	}
	if found.Attended > 0 {
		text += fmt.Sprintf("; %s left to the hooks, which look after them",
			plural(found.Attended, "conversation is", "conversations are"))
	}
	return text
}

// byCount are the names of what was counted, the most first.
func byCount(counts map[string]int) []string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(x, y string) int { return counts[y] - counts[x] })
	return names
}
