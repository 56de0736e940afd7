package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

const statsTimeout = 5 * time.Second

func (a *app) status() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what runs where, and how much is remembered",
		Long:  "Show what runs where, and how much is remembered. Exit code 4 if a part is down or\nmneme does not run.",
		Args:  cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		d, alive, err := config.Running(cfg.Home)
		if err != nil {
			return err
		}
		st := a.statusOf(cfg, d, alive)
		if !alive {
			if st.Starting, err = config.Holder(cfg.Home); err != nil {
				return err
			}
		}
		reach(cmd.Context(), st.Services)
		if st.Services[config.TemporalService].OK {
			if stats, err := a.stats(cmd.Context(), cfg); err != nil {
				a.note("the counts could not be had: %v", err)
			} else {
				st.Stats = &stats
			}
		}
		return a.printStatus(st)
	}
	return cmd
}

// statusOf is the status as the settings and the state file tell it.
func (a *app) statusOf(cfg config.Config, d config.Daemon, alive bool) statusJSON {
	st := statusJSON{Running: alive, Version: a.versionText(), Home: cfg.Home, Services: map[string]config.Service{}}
	given := map[string]string{
		config.TemporalService: cfg.Temporal.Address,
		config.PostgresService: config.MaskURL(cfg.Postgres.URL),
		config.QdrantService:   cfg.Qdrant.Address,
		config.OllamaService:   config.MaskURL(cfg.Ollama.URL),
	}
	for _, name := range config.ServiceNames() {
		s := config.Service{Mode: config.Embedded, Detail: "not running"}
		if given[name] != "" {
			s = config.Service{Address: given[name], Mode: config.Given, OK: true}
		}
		st.Services[name] = s
	}
	if !alive {
		return st
	}
	st.PID, st.Version, st.StartedAt, st.UI, st.Model = d.PID, d.Version, &d.StartedAt, d.UI, d.Model
	for name, s := range d.Services {
		s.Address = maskAddress(s.Address)
		st.Services[name] = s
	}
	return st
}

// counter counts what the ledger holds.
type counter interface {
	Stats(ctx context.Context) (memory.Stats, error)
}

func (a *app) stats(ctx context.Context, cfg config.Config) (memory.Stats, error) {
	ctx, cancel := context.WithTimeout(ctx, statsTimeout)
	defer cancel()
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return memory.Stats{}, err
	}
	defer client.Close()
	return client.Stats(ctx)
}

func (a *app) printStatus(st statusJSON) error {
	var err error
	if a.json {
		err = a.printJSON(st)
	} else {
		err = a.printStatusText(st)
	}
	if err != nil {
		return err
	}
	for _, s := range st.Services {
		if !s.OK {
			return quiet(ExitDown)
		}
	}
	return nil
}

func (a *app) printStatusText(st statusJSON) error {
	p := a.paint()
	head := `mneme is not running; start it with "mneme up"`
	switch {
	case st.Starting != 0:
		head = fmt.Sprintf("mneme is starting, or stopping, as process %d", st.Starting)
	case st.Running:
		head = fmt.Sprintf("mneme %s runs as process %d since %s", st.Version, st.PID, a.date(*st.StartedAt))
	case st.Services[config.TemporalService].Mode == config.Given:
		head = "no daemon runs here; what is given is used"
	}
	if err := a.printf("%s\n\n", p.bold(head)); err != nil {
		return err
	}
	var rows [][]string
	for _, name := range config.ServiceNames() {
		s := st.Services[name]
		word := p.green("ok  ")
		if !s.OK {
			word = p.red("down")
		}
		rows = append(rows, []string{"  " + word, title(name), shownAddress(s.Address), serviceNote(s)})
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	rows = [][]string{{"  Data", st.Home}}
	if st.UI != "" {
		rows = append(rows, []string{"  Temporal UI", st.UI})
	}
	if st.Model != "" {
		rows = append(rows, []string{"  Model", st.Model})
	}
	if st.Stats != nil {
		rows = append(rows, statsRows(*st.Stats)...)
	}
	if err := a.printf("\n"); err != nil {
		return err
	}
	return table(a.sys.Stdout, rows)
}

func statsRows(s memory.Stats) [][]string {
	total := 0
	for _, n := range s.Live {
		total += n
	}
	rows := [][]string{{"  Memories", fmt.Sprintf("%d in %s", total, plural(s.Projects, "project", "projects"))}}
	for _, c := range memory.Collections() {
		if n := s.Live[c]; n > 0 {
			rows = append(rows, []string{"    " + c, fmt.Sprint(n)})
		}
	}
	if s.Unindexed > 0 {
		rows = append(rows, []string{"  Not yet indexed", fmt.Sprint(s.Unindexed)})
	}
	return rows
}
