package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/hooklog"
	"github.com/mneme-memory/mneme/internal/spool"
	"github.com/mneme-memory/mneme/memory"
)

// hooksJSON is the shape of "hooks log --json".
type hooksJSON struct {
	Log         []hooklog.Entry     `json:"log"` // oldest first
	Spool       spool.State         `json:"spool"`
	Quarantined []spool.Quarantined `json:"quarantined"` // oldest first
}

func (a *app) hooks() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hooks", Short: "Show what Claude Code's hooks did", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.hooksLog())
	return cmd
}

func (a *app) hooksLog() *cobra.Command {
	var session string
	var n int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what each hook did, how long it took and what it injected",
		Long: "Show what each hook did, how long it took, what it put in front of the model, what it\n" +
			"saved, and what still waits to be stored or could not be.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&session, "session", "", "only of this `session`")
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "the last `lines`; 0 for all")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.showHooks(cmd.Context(), session, n)
	}
	return cmd
}

func (a *app) showHooks(ctx context.Context, session string, n int) error {
	if n < 0 {
		return memory.Errorf(memory.Invalid, "leave it out for 20; 0 shows all", "--lines must not be negative, got %d", n)
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	out, err := readHooks(cfg.Home, session, n)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(out)
	}
	return a.printHooks(out, a.textsOfHooks(ctx, cfg, out.Log))
}

// textsTimeout bounds the question for the texts: without them the log is still of use.
const textsTimeout = 2 * time.Second

// textsOfHooks asks a running mneme for the texts of the memories that hooks showed, by id:
// the log itself holds no words. A mneme that does not answer has none.
func (a *app) textsOfHooks(ctx context.Context, cfg config.Config, log []hooklog.Entry) map[string]string {
	var ids []string
	for _, e := range log {
		for _, i := range e.Injected {
			ids = append(ids, i.ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 || a.deps.Dial == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, textsTimeout)
	defer cancel()
	client, err := a.deps.Dial(ctx, cfg)
	if err != nil {
		return nil
	}
	defer client.Close()
	texts := make(map[string]string, len(ids))
	for some := range slices.Chunk(ids, memory.MaxLimit) {
		found, err := client.Get(ctx, some)
		if err != nil {
			return texts
		}
		for _, d := range found {
			texts[d.ID] = d.Text
		}
	}
	return texts
}

func readHooks(home, session string, n int) (hooksJSON, error) {
	log, err := hooklog.Read(home, session, n)
	if err != nil {
		return hooksJSON{}, err
	}
	waiting := spool.Open(home, nil) // nothing is added, so nothing is redacted
	state, err := waiting.State()
	if err != nil {
		return hooksJSON{}, err
	}
	bad, err := waiting.Quarantined()
	if err != nil {
		return hooksJSON{}, err
	}
	return hooksJSON{Log: list(log), Spool: state, Quarantined: list(bad)}, nil
}

func (a *app) printHooks(out hooksJSON, texts map[string]string) error {
	if len(out.Log) == 0 {
		a.note("no hook has done anything yet; \"mneme install\" sets them up")
	}
	for _, e := range out.Log {
		if err := a.printHook(e, texts); err != nil {
			return err
		}
	}
	if out.Spool.Entries > 0 {
		if err := a.printf("\n%s waiting to be stored (%d bytes)\n", plural(out.Spool.Entries, "request", "requests"), out.Spool.Bytes); err != nil {
			return err
		}
	}
	for _, q := range out.Quarantined {
		if err := a.printf("\ncould not be stored: %s of %s: %s\n  %s\n", q.Kind, a.date(q.At), oneLine(q.Reason, 200), q.File); err != nil {
			return err
		}
	}
	return nil
}

// printHook prints a line for the event and one for each memory it showed, with its text as
// far as that is known.
func (a *app) printHook(e hooklog.Entry, texts map[string]string) error {
	p := a.paint()
	outcome := e.Outcome
	if outcome == hooklog.Late || outcome == hooklog.Failed {
		outcome = p.yellow(outcome)
	}
	session := e.Session
	if len(session) > 8 {
		session = session[:8]
	}
	_, err := fmt.Fprintf(a.sys.Stdout, "%s  %-8s  %-18s %7.1f ms  %s%s\n",
		a.date(e.At), printable(session), printable(e.Event), e.TookMillis, outcome, printable(hookSaid(e)))
	if err != nil {
		return err
	}
	for _, i := range e.Injected {
		if err := a.printf("    %s  %s\n", printable(memory.ShortID(i.ID)), oneLine(texts[i.ID], 80)); err != nil {
			return err
		}
	}
	return nil
}

// hookSaid says in words what an event came to.
func hookSaid(e hooklog.Entry) string {
	var parts []string
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	if len(e.Injected) > 0 {
		parts = append(parts, fmt.Sprintf("showed %s (%s)", memories(len(e.Injected)), plural(e.Tokens, "token", "tokens")))
	}
	if e.Duplicate != "" {
		parts = append(parts, "duplicate of "+e.Duplicate)
	}
	add(len(e.Credited), "%d helped")
	add(len(e.Discarded), "%d did not help")
	add(len(e.Used), "%d used")
	add(e.Extracted, "found %d")
	add(e.Saved, "saved %d")
	add(e.Spooled, "kept %d for later")
	add(e.Delivered, "stored %d kept before")
	add(e.Quarantine, "%d could not be stored")
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
