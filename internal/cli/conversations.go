package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// archivist keeps and searches the archive of conversations.
type archivist interface {
	Archive(ctx context.Context, b conversation.Batch) (conversation.Archived, error)
	SearchConversations(ctx context.Context, q conversation.Query) (conversation.Result, error)
	ReadConversation(ctx context.Context, p conversation.Place) (conversation.Page, error)
	Conversations(ctx context.Context, l conversation.Listing) ([]conversation.Session, error)
	ForgetConversations(ctx context.Context, in conversation.ForgetInput) (conversation.Receipt, error)
	ConversationStats(ctx context.Context) (conversation.Stats, error)
	IndexConversations(ctx context.Context, anew bool) (int, error)
}

func (a *app) conversations() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversations",
		Short: "Search and read the archive of earlier sessions",
		Long: "Search and read what was said in earlier sessions. \"mneme import --claude\" archives them.\n" +
			"Recalls do not see the archive. A search sees the current project alone, unless it is told otherwise.",
		Args: cobra.NoArgs,
	}
	for _, sub := range []*cobra.Command{
		a.searchConversations(), a.showConversation(), a.listConversations(),
		a.forgetConversations(), a.indexConversations(),
	} {
		a.completions(sub)
		sub.ValidArgsFunction = cobra.NoFileCompletions
		cmd.AddCommand(sub)
	}
	return cmd
}

// scopeFlags say of which project.
type scopeFlags struct {
	project string
	all     bool
}

func (s *scopeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.project, "project", "", "project (default: that of the current folder)")
	cmd.Flags().BoolVar(&s.all, "all-projects", false, "every project")
}

func (a *app) scope(cfg config.Config, s scopeFlags) (string, error) {
	if s.all && s.project != "" {
		return "", memory.Errorf(memory.Invalid, "choose one", "--all-projects and --project exclude each other")
	}
	if s.all {
		return "", nil
	}
	return a.project(cfg, s.project, false)
}

type conversationFlags struct {
	scope                  scopeFlags
	since, before, session string
	roles                  []string
	limit                  int
	minScore, recency      float64
}

func (a *app) searchConversations() *cobra.Command {
	var f conversationFlags
	cmd := &cobra.Command{
		Use:   "search QUESTION…",
		Short: "Find what was said about something",
		Long:  "Find messages by meaning and by words, best first. A score is the chance that the message answers;\nolder messages stand a little further behind. Exit code 3 if there are none.",
		Example: `  mneme conversations search "why did we drop the cache?"
  mneme conversations search --role user --since 30d deadline
  mneme conversations search --all-projects --min-score 0.5 "rotate the certificates"`,
		Args: cobra.MinimumNArgs(1),
	}
	f.scope.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "only in this session")
	fl.StringArrayVar(&f.roles, "role", nil, "user, assistant, tool or thinking; with commas or repeated (default all)")
	fl.StringVar(&f.since, "since", "", "said at or after this date, such as 2026-01-31, 7d or \"last week\"")
	fl.StringVar(&f.before, "before", "", "said before this date")
	fl.IntVar(&f.limit, "limit", conversation.DefaultLimit,
		fmt.Sprintf("how many at most, 1 to %d", conversation.MaxLimit))
	fl.Float64Var(&f.minScore, "min-score", 0, "leave out what does not score above this, 0 to 1")
	fl.Float64Var(&f.recency, "recency", conversation.DefaultRecency, "how much age counts, 0 to 1")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		q, err := a.conversationQuery(cfg, f, strings.Join(args, " "))
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			res, err := c.SearchConversations(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.paged(cmd.Context(), func() error { return a.printMessageHits(res, f.scope.all) })
		})
	}
	return cmd
}

func (a *app) conversationQuery(cfg config.Config, f conversationFlags, text string) (conversation.Query, error) {
	q := conversation.Query{
		Text: text, AllProjects: f.scope.all, Session: f.session,
		Limit: f.limit, MinScore: f.minScore, Recency: &f.recency,
	}
	for _, r := range split(f.roles) {
		q.Roles = append(q.Roles, conversation.Role(r))
	}
	if f.limit == 0 {
		return q, memory.Errorf(memory.Invalid, "leave it out for 5",
			"limit must be 1 to %d, got 0", conversation.MaxLimit)
	}
	var err error
	if q.Project, err = a.scope(cfg, f.scope); err != nil {
		return q, err
	}
	if q.Since, err = a.dateFlag("since", f.since); err != nil {
		return q, err
	}
	if q.Before, err = a.dateFlag("before", f.before); err != nil {
		return q, err
	}
	_, err = q.Clean(asIs{})
	return q, err
}

// asIs leaves texts as they are: the client redacts them.
type asIs struct{}

func (asIs) Redact(text string) (string, []string) { return text, nil }

func (a *app) printMessageHits(res conversation.Result, all bool) error {
	if res.Degraded != "" {
		a.note("%s", res.Degraded)
	}
	if a.json {
		if err := a.printJSON(list(res.Hits)); err != nil {
			return err
		}
	}
	if len(res.Hits) == 0 {
		if res.BelowBar > 0 {
			a.note("nothing scores above the bar; %d were below", res.BelowBar)
		} else if !a.json {
			a.note("nothing found")
		}
		return quiet(ExitNothing)
	}
	if a.json {
		return nil
	}
	p := a.paint()
	for i, h := range res.Hits {
		about := []string{string(h.Role), a.date(h.At), "session " + printable(h.Session)}
		if h.Thread != "" {
			about = append(about, "subagent "+printable(h.Thread))
		}
		if all {
			about = append(about, printable(h.Project))
		}
		head := fmt.Sprintf("%2d  %.2f  %s", i+1, h.Score, memory.ShortID(h.ID))
		if err := a.printf("%s\n%s\n    %s\n", p.bold(head), wrap(memory.Clip(h.Text, 600), a.sys.width(), "    "),
			p.faint(strings.Join(about, " · "))); err != nil {
			return err
		}
	}
	a.note("\"mneme conversations show ID\" shows a message with its neighbours")
	return nil
}

func (a *app) indexConversations() *cobra.Command {
	var anew bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Bring the archive in step with the search index",
		Long:  "Have the search index learn what it lacks of the archive: after the index was lost or the embedding model changed.\nAn import does so too.",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&anew, "anew", false, "write everything again")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			n := 0
			err := a.patiently(cmd.Context(), c,
				func() (err error) { n, err = c.IndexConversations(cmd.Context(), anew); return err })
			if err != nil {
				return err
			}
			stats, err := c.ConversationStats(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					Written int `json:"written"`
					conversation.Stats
				}{n, stats})
			}
			return a.printf("wrote %s; the archive holds %s of %s\n",
				plural(n, "part of a message", "parts of messages"),
				plural(stats.Messages, "message", "messages"), plural(stats.Sessions, "conversation", "conversations"))
		})
	}
	return cmd
}
