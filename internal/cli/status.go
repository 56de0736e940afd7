package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// How long the servers have for their answers: "mneme status" is asked for an answer at once,
// while "mneme up" can wait a little for servers that are still busy.
const (
	statusTimeout = 800 * time.Millisecond
	readyTimeout  = 10 * time.Second
)

func (a *app) status() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what runs where, and how much is remembered",
		Long: "Show what runs where, how it is now, and how much is remembered. Every server is asked,\n" +
			"for less than a second. Exit code 4 if mneme does not run or Temporal is down, 5 if\nanother part is down or refuses.",
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		d, alive, err := homestate.Running(cfg.Home)
		if err != nil {
			return err
		}
		if !alive {
			d = homestate.Daemon{}
		}
		st := a.look(cmd.Context(), cfg, d, statusTimeout)
		if !alive {
			if st.Starting, err = homestate.Holder(cfg.Home); err != nil {
				return err
			}
		}
		return a.printStatus(st)
	}
	return cmd
}

// state is how everything is at a moment.
type state struct {
	statusJSON
	servers map[string]doctor.Server // the services and the workers
}

// look asks all servers and counts the memories, for limit at most; d is zero if no daemon runs.
func (a *app) look(ctx context.Context, cfg config.Config, d homestate.Daemon, limit time.Duration) state {
	counted := make(chan counts, 1)
	go func() { counted <- a.count(ctx, cfg, limit) }()
	st := state{servers: a.examination(cfg, d).Look(ctx, limit)}
	st.statusJSON = statusJSON{
		Running: d.PID != 0, PID: d.PID, Version: a.versionText(), Home: cfg.Home, UI: d.UI, Model: d.Model, Ledger: d.Ledger,
		Services: map[string]serviceJSON{},
	}
	if d.PID != 0 {
		st.Version, st.StartedAt = d.Version, &d.StartedAt
	}
	for _, name := range homestate.ServiceNames() {
		st.Services[name] = serviceOf(st.servers[name])
	}
	if w := st.servers[doctor.Worker]; w.Known() {
		worker := serviceOf(w)
		st.Worker = &worker
	}
	c := <-counted
	if c.stats != nil && c.stats.Generations != nil && slices.Contains(c.stats.Generations.Replaced, st.Model) {
		st.Model = c.stats.Model // "mneme reembed" changed it since the daemon started
	}
	st.Stats, st.Waiting, st.Backups = c.stats, list(c.waiting), c.backups
	return st
}

// counter counts what the ledger holds, and compares the index with it.
type counter interface {
	Stats(ctx context.Context) (memory.Stats, error)
	IndexState(ctx context.Context) (memory.IndexState, error)
	Held(ctx context.Context) ([]memory.HeldPrune, error)
}

// counts are what the workflows tell.
type counts struct {
	stats   *memory.Stats    // nil when they cannot be had
	waiting []memory.Waiting // nil too when they cannot be had
	backups *memory.BackupPlan
}

// count asks the workflows, for limit at most. Why they do not answer, the servers tell.
func (a *app) count(ctx context.Context, cfg config.Config, limit time.Duration) counts {
	if _, err := homestate.TemporalAddress(cfg); err != nil {
		return counts{}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return counts{}
	}
	defer client.Close()
	var c counts
	var both sync.WaitGroup
	both.Go(func() {
		if stats, err := client.Stats(ctx); err == nil {
			c.stats = &stats
		}
	})
	both.Go(func() {
		if plan, err := client.BackupPlan(ctx); err == nil {
			c.backups = plan
		}
	})
	both.Go(func() {
		if waiting, err := client.Waiting(ctx); err == nil {
			c.waiting = waiting
		}
	})
	both.Wait()
	return c
}

// exit is the exit code that goes with a state.
func (st state) exit() int {
	switch {
	case !st.servers[homestate.TemporalService].Fine():
		return ExitDown // nothing can even be accepted
	case len(st.troubled()) > 0 || len(st.Waiting) > 0:
		return ExitPartly
	default:
		return ExitDone
	}
}

// troubled are the names of those that were asked and have problems.
func (st state) troubled() []string {
	var out []string
	for _, name := range append(homestate.ServiceNames(), doctor.Worker) {
		if s := st.servers[name]; s.Known() && !s.Fine() {
			out = append(out, name)
		}
	}
	return out
}

func serviceOf(s doctor.Server) serviceJSON {
	out := serviceJSON{
		Address: config.MaskAddress(s.Service.Address), Mode: s.Service.Mode,
		Version: s.Inspection.Version, Supported: s.Inspection.Supported, OK: s.Fine(), Detail: detailOf(s),
		Problems: problemsOf(s.Inspection.Problems), Warnings: problemsOf(s.Inspection.Warnings),
	}
	return out
}

func problemsOf(errs []error) []problemJSON {
	out := make([]problemJSON, 0, len(errs))
	for _, err := range errs {
		out = append(out, problemJSON{string(memory.CodeOf(err)), err.Error(), memory.HintOf(err)})
	}
	return out
}

func (a *app) printStatus(st state) error {
	var err error
	if a.json {
		err = a.printJSON(st.statusJSON)
	} else {
		err = a.printStatusText(st)
	}
	if err != nil {
		return err
	}
	if code := st.exit(); code != ExitDone {
		return quiet(code)
	}
	return nil
}

func (a *app) printStatusText(st state) error {
	head := `mneme is not running; start it with "mneme up"`
	switch {
	case st.Starting != 0:
		head = fmt.Sprintf("mneme is starting, or stopping, as process %d", st.Starting)
	case st.Running:
		head = fmt.Sprintf("mneme %s runs as process %d since %s", st.Version, st.PID, a.date(*st.StartedAt))
	case st.servers[homestate.TemporalService].Known():
		head = "no daemon runs here; what is given is used"
	}
	if err := a.printf("%s\n\n", a.paint().bold(head)); err != nil {
		return err
	}
	if err := a.printServers(st); err != nil {
		return err
	}
	rows := [][]string{{"  Data", st.Home}}
	if st.UI != "" {
		rows = append(rows, []string{"  Temporal UI", uiText(st.UI)})
	}
	if st.Model != "" {
		rows = append(rows, []string{"  Model", st.Model})
	}
	if st.Stats != nil && besideText(*st.Stats) != "" {
		rows = append(rows, []string{"  Other model", besideText(*st.Stats)})
	}
	if st.Ledger != "" {
		rows = append(rows, []string{"  Ledger", st.Ledger})
	}
	switch {
	case st.Stats != nil:
		rows = append(rows, statsRows(*st.Stats)...)
	case st.servers[homestate.TemporalService].Fine():
		rows = append(rows, []string{"  Memories", "could not be counted in time"})
	}
	if st.Backups != nil {
		rows = append(rows, []string{"  Backups", a.planText(*st.Backups)})
	}
	if err := a.printf("\n"); err != nil {
		return err
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	return a.printWaiting(st.Waiting)
}

// printWaiting says which accepted changes wait, and what to do.
func (a *app) printWaiting(all []memory.Waiting) error {
	for i, w := range all {
		if i == 0 {
			if err := a.printf("\n"); err != nil {
				return err
			}
		}
		if err := a.printf("%s\n", wrap(waitingLine(w), a.sys.width(), "  ")); err != nil {
			return err
		}
	}
	return nil
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
	if s.NearlyPruned > 0 {
		rows = append(rows, []string{"  Nearly pruned", fmt.Sprintf(`%d; "mneme review --all-projects" goes through them`, s.NearlyPruned)})
	}
	if text, hint := memory.HeldText(s.Held); text != "" {
		rows = append(rows, []string{"  Waits for you", printable(text + ": " + hint)})
	}
	return rows
}
