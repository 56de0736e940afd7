package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/memory"
)

// maxTableRows bounds what is printed as a table; --csv and --json print all.
const maxTableRows = 1000

// printQuery prints the answer to a query in the form asked for.
func (a *app) printQuery(ctx context.Context, r *analytics.Reader, query string, asCSV bool) error {
	limit := maxTableRows
	if asCSV || a.json {
		limit = 0
	}
	t, more, err := r.Query(ctx, query, limit)
	if err != nil {
		return err
	}
	switch {
	case asCSV:
		return printCSV(a.sys.Stdout, t)
	case a.json:
		return a.printJSON(objects(t))
	default:
		rows := make([][]string, 0, len(t.Rows)+1)
		rows = append(rows, t.Columns)
		for _, row := range t.Rows {
			rows = append(rows, cells(row, true))
		}
		if more {
			a.note("only the first %d rows are shown; --csv and --json print all", maxTableRows)
		}
		return table(a.sys.Stdout, rows)
	}
}

func printCSV(w io.Writer, t analytics.Table) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.Columns); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if err := out.Write(cells(row, false)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// objects gives each row its columns' names.
func objects(t analytics.Table) []map[string]any {
	out := make([]map[string]any, 0, len(t.Rows))
	for _, row := range t.Rows {
		o := make(map[string]any, len(row))
		for i, v := range row {
			o[t.Columns[i]] = v
		}
		out = append(out, o)
	}
	return out
}

// cells writes values as text. On a screen they are made safe for it.
func cells(row []any, screen bool) []string {
	out := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			out[i] = ""
		case time.Time:
			out[i] = strings.TrimSuffix(v.UTC().Format("2006-01-02 15:04:05"), " 00:00:00")
		case float64:
			out[i] = fmt.Sprintf("%.4g", v)
			if !screen {
				out[i] = fmt.Sprint(v)
			}
		default:
			out[i] = fmt.Sprint(v)
		}
		if screen {
			out[i] = oneLine(out[i], 60)
		}
	}
	return out
}

func (a *app) sqlShell() *cobra.Command {
	return &cobra.Command{
		Use:   "shell",
		Short: "Ask the last snapshot in SQL, query by query",
		Long:  "Ask the last snapshot in SQL. A query ends with a semicolon; \"exit\" or the end of the input leaves.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			r, err := analytics.OpenReader(cmd.Context(), snapshotPath(cfg))
			if err != nil {
				return err
			}
			defer r.Close()
			if a.sys.StdinTTY && a.sys.StdoutTTY {
				a.note("tables and views: \"show all tables;\"  end a query with ;  leave with exit")
			}
			return a.readQueries(cmd.Context(), r)
		},
	}
}

// readQueries answers one query after the other. An error in one is shown
// and ends nothing.
func (a *app) readQueries(ctx context.Context, r *analytics.Reader) error {
	lines := bufio.NewScanner(a.sys.Stdin)
	var query strings.Builder
	for a.prompt(query.Len() > 0); lines.Scan(); a.prompt(query.Len() > 0) {
		line := strings.TrimSpace(lines.Text())
		if query.Len() == 0 && (line == "exit" || line == "quit" || line == ".exit" || line == ".quit") {
			return nil
		}
		query.WriteString(line + "\n")
		if !strings.HasSuffix(line, ";") {
			continue
		}
		if err := a.printQuery(ctx, r, query.String(), false); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.note("%v", err)
			if hint := memory.HintOf(err); hint != "" {
				a.note("hint: %s", hint)
			}
		}
		query.Reset()
	}
	return lines.Err()
}

// prompt asks a person for the next line.
func (a *app) prompt(inQuery bool) {
	if !a.sys.StdinTTY {
		return
	}
	mark := "sql> "
	if inQuery {
		mark = "...> "
	}
	fmt.Fprint(a.sys.Stderr, mark)
}
