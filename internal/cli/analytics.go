package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/analytics/page"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// analyticsFlags are those of "mneme analytics".
type analyticsFlags struct {
	input analytics.ReportInput
	html  string
	sql   string
	csv   bool
	asIs  bool
}

func (a *app) analytics() *cobra.Command {
	var f analyticsFlags
	cmd := &cobra.Command{
		Use:   "analytics",
		Short: "See what the memory does for you",
		Long: "See what the memory does for you: what recalls find, what is used and what never,\n" +
			"what it costs. A snapshot of the audit is taken first, into a DuckDB file that any\n" +
			"DuckDB client can open; its views are described in docs/analytics.md.",
		Example: `  mneme analytics --days 90
  mneme analytics --html report.html
  mneme analytics --sql "select * from recall_hit_rate order by day desc limit 7"
  mneme analytics --sql "from memory_value order by tokens desc" --csv > value.csv`,
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.input.Project, "project", "", "project (default all)")
	fl.IntVar(&f.input.Days, "days", analytics.DefaultDays, fmt.Sprintf("how far back, 1 to %d", analytics.MaxDays))
	fl.StringVar(&f.html, "html", "", "write the report as one web page to this file")
	fl.StringVar(&f.sql, "sql", "", "print the answer to this query instead")
	fl.BoolVar(&f.csv, "csv", false, "with --sql, print comma-separated values")
	fl.BoolVar(&f.asIs, "as-is", false, "read the last snapshot, take no new one")
	cmd.MarkFlagsMutuallyExclusive("html", "sql")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.csv && f.sql == "" {
			return memory.Errorf(memory.Invalid, "give a query with --sql", "--csv prints the answer to a query")
		}
		if _, err := f.input.Clean(); err != nil {
			return err
		}
		return a.analyse(cmd.Context(), f)
	}
	cmd.AddCommand(a.snapshot(), a.sqlShell())
	return cmd
}

// snapshotPath is where the file is that readers open.
func snapshotPath(cfg config.Config) string {
	return filepath.Join(cfg.Home, "analytics", analytics.FileName)
}

// analyse takes a snapshot, if it can, and shows what was asked for.
func (a *app) analyse(ctx context.Context, f analyticsFlags) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	client, err := a.fresh(ctx, cfg, f.asIs)
	if err != nil {
		return err
	}
	if client != nil {
		defer client.Close()
	}
	r, err := analytics.OpenReader(ctx, snapshotPath(cfg))
	if err != nil {
		return err
	}
	defer r.Close()
	if f.sql != "" {
		return a.printQuery(ctx, r, f.sql, f.csv)
	}
	report, err := r.Report(ctx, f.input)
	if err != nil {
		return err
	}
	if client != nil {
		if err := addTexts(ctx, client, &report); err != nil {
			return err
		}
	}
	switch {
	case f.html != "":
		return a.writePage(f.html, report)
	case a.json:
		return a.printJSON(report)
	default:
		return a.printReport(report)
	}
}

// snapshotter copies the ledger for analysis, and tells how far it is.
type snapshotter interface {
	Snapshot(ctx context.Context, in memory.SnapshotInput, progress func(memory.SnapshotReport)) (memory.SnapshotReport, error)
}

// fresh takes a snapshot and returns the client that did. When mneme does not
// run, what there is must do: it returns nil.
func (a *app) fresh(ctx context.Context, cfg config.Config, asIs bool) (Client, error) {
	if asIs {
		return nil, nil
	}
	client, err := a.deps.Dial(ctx, cfg)
	if err == nil {
		_, err = client.Snapshot(ctx, memory.SnapshotInput{User: cfg.User}, a.snapshotProgress())
		if err == nil {
			return client, nil
		}
		client.Close()
	}
	if memory.CodeOf(err) != memory.Unavailable {
		return nil, err
	}
	if _, statErr := os.Stat(snapshotPath(cfg)); statErr != nil {
		return nil, err
	}
	a.note("mneme does not run: this is the last snapshot, without texts")
	return nil, nil
}

func (a *app) snapshotProgress() func(memory.SnapshotReport) {
	var told int64
	return func(r memory.SnapshotReport) {
		if r.NewRows > told {
			told = r.NewRows
			a.note("%d rows of the audit copied", told)
		}
	}
}

// addTexts asks the ledger for the texts that a report shows: the snapshot holds none.
func addTexts(ctx context.Context, c getter, r *analytics.Report) error {
	places := map[string][]*string{} // by id: a memory may stand in several lists
	for _, used := range [][]analytics.Used{r.MostUsed, r.NearlyPruned} {
		for i := range used {
			places[used[i].ID] = append(places[used[i].ID], &used[i].Text)
		}
	}
	for i := range r.DeadWeight {
		places[r.DeadWeight[i].ID] = append(places[r.DeadWeight[i].ID], &r.DeadWeight[i].Text)
	}
	if len(places) == 0 {
		return nil
	}
	found, err := details(ctx, c, slices.Sorted(maps.Keys(places)))
	for _, d := range found {
		for _, place := range places[d.ID] {
			*place = d.Text
		}
	}
	return err
}

// writePage writes the page beside its place first, so that a full disk
// leaves an older page as it was.
func (a *app) writePage(path string, report analytics.Report) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer f.Cleanup() //nolint:errcheck // gone already when all went well
	if err := page.Write(f, report); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	a.note("wrote %s", path)
	return nil
}

func (a *app) snapshot() *cobra.Command {
	var in memory.SnapshotInput
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Copy the audit and the memories' state into the DuckDB file",
		Long:  "Copy the audit and the memories' state into the DuckDB file, as it happens every night.",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&in.Parquet, "parquet", false, "write the tables as Parquet files too")
	cmd.Flags().BoolVar(&in.Anew, "anew", false, "build the file from nothing instead of adding to it")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			in.User = cfg.User
			report, err := c.Snapshot(cmd.Context(), in, a.snapshotProgress())
			if err != nil {
				return err
			}
			if a.json {
				report.Parquet = list(report.Parquet)
				return a.printJSON(report)
			}
			if err := a.printf("%s\n", report.File); err != nil {
				return err
			}
			a.note("%d rows of the audit (%d new) and %s in %.1f s", report.Rows, report.NewRows,
				memories(int(report.Memories)), report.TookSeconds)
			return nil
		})
	}
	return cmd
}
