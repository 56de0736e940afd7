package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/metrics"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// metricsTimeout bounds the questions of "mneme metrics": nobody watches it, and Prometheus gives
// up after ten seconds.
const metricsTimeout = 8 * time.Second

func (a *app) metrics() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Print figures for Prometheus",
		Long: "Print figures in the text format of Prometheus: which servers work, how much is remembered,\n" +
			"what waits, and what the index lacks. They name no project and hold no text. mneme opens no\n" +
			"port for this: let a timer write them to a file for node_exporter's textfile collector.\n" +
			"Exit code 0 also when parts are down: the figures say so.",
		Example: "  mneme metrics > mneme.prom.new && mv mneme.prom.new mneme.prom",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		d, alive, err := homestate.Running(cfg.Home)
		if err != nil || !alive {
			d = homestate.Daemon{}
		}
		index := make(chan *memory.IndexState, 1)
		go func() { index <- a.indexState(cmd.Context(), cfg) }()
		st := a.look(cmd.Context(), cfg, d, metricsTimeout)
		all, err := a.figures(st, cfg.Home, <-index)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(all)
		}
		return metrics.Write(a.sys.Stdout, all)
	}
	return cmd
}

// indexState is how index and database agree; nil if nobody tells.
func (a *app) indexState(ctx context.Context, cfg config.Config) *memory.IndexState {
	if _, err := homestate.TemporalAddress(cfg); err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, metricsTimeout)
	defer cancel()
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return nil
	}
	defer client.Close()
	state, err := client.IndexState(ctx)
	if err != nil {
		return nil
	}
	return &state
}

// figures returns the metrics. A figure that could not be read is left out, because a zero would be
// mistaken for a count. The metric mneme_up is 0 if the counts of the database could not be read.
func (a *app) figures(st state, home string, index *memory.IndexState) ([]metrics.Metric, error) {
	now := a.sys.Now()
	up := metrics.Metric{
		Name: "mneme_server_up",
		Help: "Whether a server answers and does what mneme needs", Label: "server",
	}
	for _, name := range append(homestate.ServiceNames(), doctor.Worker) {
		if s := st.servers[name]; s.Known() {
			up.Samples = append(up.Samples, metrics.Sample{Label: name, Value: metrics.Yes(s.Fine())})
		}
	}
	out := []metrics.Metric{
		metrics.One("mneme_up",
			"Whether a store or recall is answered now: Temporal and a worker work, and the database tells its counts",
			metrics.Yes(st.Stats != nil)),
		metrics.One("mneme_time_seconds", "When these figures were taken, in seconds since 1970", float64(now.Unix())),
		up,
	}
	if st.Stats != nil {
		out = append(out, statsFigures(*st.Stats)...)
		out = append(out, waitingFigures(st.Waiting, now)...)
	}
	if index != nil {
		sum := index.Sum()
		out = append(out,
			metrics.One("mneme_index_lost", "Memories that the index lacks", float64(sum.Lost)),
			metrics.One("mneme_index_extra", "Points of the index that the database does not know", float64(sum.Extra)),
			metrics.One("mneme_index_different", "Of the memories that were compared, those that the index has otherwise", float64(sum.Differ)))
	}
	left, err := spool.Open(home, nil).State() // nothing is added, so nothing is redacted
	return append(out,
		metrics.One("mneme_spool_entries", "What hooks left to be stored", float64(left.Entries)),
		metrics.One("mneme_spool_quarantined", "What hooks left and cannot be stored", float64(left.Quarantined))), errors.Join(err)
}

func statsFigures(s memory.Stats) []metrics.Metric {
	live := metrics.Metric{Name: "mneme_memories", Help: "Live memories", Label: "collection"}
	for _, name := range slices.Sorted(maps.Keys(s.Live)) {
		live.Samples = append(live.Samples, metrics.Sample{Label: name, Value: float64(s.Live[name])})
	}
	held := 0
	for _, h := range s.Held {
		held += h.Memories
	}
	return []metrics.Metric{
		live,
		metrics.One("mneme_projects", "Projects with a live memory", float64(s.Projects)),
		metrics.One("mneme_unindexed", "Changes that are not in the index yet", float64(s.Unindexed)),
		metrics.One("mneme_nearly_pruned", "Memories that the next tidying may prune", float64(s.NearlyPruned)),
		metrics.One("mneme_held", "Memories whose pruning waits for a yes", float64(held)),
	}
}

// waitingFigures tell what was accepted and is not done, by the part that it waits for. Of a part
// that several things wait for, the oldest counts.
func waitingFigures(all []memory.Waiting, now time.Time) []metrics.Metric {
	changes, oldest := map[string]int{}, map[string]time.Time{}
	for _, w := range all {
		changes[w.Part] += w.Count
		if at, ok := oldest[w.Part]; !ok || w.Since.Before(at) {
			oldest[w.Part] = w.Since
		}
	}
	total := 0
	count := metrics.Metric{
		Name: "mneme_waiting_changes",
		Help: "Accepted changes that wait, by the part that they wait for", Label: "part",
	}
	age := metrics.Metric{Name: "mneme_waiting_seconds", Help: "How long the oldest of them has waited", Label: "part"}
	for _, part := range slices.Sorted(maps.Keys(changes)) {
		total += changes[part]
		count.Samples = append(count.Samples, metrics.Sample{Label: part, Value: float64(changes[part])})
		age.Samples = append(age.Samples, metrics.Sample{Label: part, Value: max(0, now.Sub(oldest[part]).Seconds())})
	}
	return []metrics.Metric{metrics.One("mneme_waiting", "All accepted changes that wait", float64(total)), count, age}
}
