package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

type forgetConversationFlags struct {
	message, session, since, before string
	scope                           scopeFlags
	dryRun, yes                     bool
}

func (a *app) forgetConversations() *cobra.Command {
	var f forgetConversationFlags
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Forget archived conversations, by session, project, date or message",
		Long: "Forget what is archived of a session, of a project, of a time, or one message; everything that is given must\n" +
			"hold. It is counted first, and forgotten when you type how many messages it is, or with --yes. The texts\n" +
			"are blanked at once, and a later import leaves them out. Claude Code's own files stay as they are: as long\n" +
			"as they are there, \"mneme import --claude --again\" brings everything back.",
		Example: "  mneme conversations forget --session 1730c1f2-8a7e-4b1d-9a52-3c1f5e7d9b10 --dry-run\n" +
			"  mneme conversations forget --project github.com/acme/shop\n  mneme conversations forget --before 2025-01-01 --all-projects",
		Args: cobra.NoArgs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "all of this session, in whatever project")
	fl.StringVar(&f.message, "message", "", "the message with this id")
	fl.StringVar(&f.scope.project, "project", "", "of this project")
	fl.BoolVar(&f.scope.all, "all-projects", false, "of every project")
	fl.StringVar(&f.since, "since", "", "said at or after this date")
	fl.StringVar(&f.before, "before", "", "said before this date")
	fl.BoolVar(&f.dryRun, "dry-run", false, "count what would be forgotten, change nothing")
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		in, err := a.forgetConversationsInput(cfg, f)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(_ config.Config, c Client) error {
			return a.runForgetConversations(cmd.Context(), c, in, f.yes)
		})
	}
	return cmd
}

func (a *app) forgetConversationsInput(cfg config.Config, f forgetConversationFlags) (conversation.ForgetInput, error) {
	in := conversation.ForgetInput{
		Filter: conversation.Filter{Message: f.message, Session: f.session, Project: f.scope.project},
		DryRun: f.dryRun, User: cfg.User,
	}
	var err error
	if in.Filter.Since, err = a.dateFlag("since", f.since); err != nil {
		return in, err
	}
	if in.Filter.Before, err = a.dateFlag("before", f.before); err != nil {
		return in, err
	}
	// A session or a message says what is meant wherever it is; a date is of one project.
	if _, err := in.Filter.Clean(asIs{}); err != nil {
		return in, err
	}
	if f.message == "" && f.session == "" {
		in.Filter.Project, err = a.scope(cfg, f.scope)
	}
	return in, err
}

// conversationForgetter forgets what a filter selects of the archive.
type conversationForgetter interface {
	ForgetConversations(ctx context.Context, in conversation.ForgetInput) (conversation.Receipt, error)
}

func (a *app) runForgetConversations(
	ctx context.Context, c conversationForgetter, in conversation.ForgetInput, yes bool,
) error {
	if !in.DryRun && !yes {
		sure, err := a.confirmForgetConversations(ctx, c, in)
		if err != nil || !sure {
			return err
		}
	}
	res, err := c.ForgetConversations(ctx, in)
	if err != nil {
		return err
	}
	res.Projects = list(res.Projects)
	switch {
	case a.json:
		err = a.printJSON(res)
	case res.Messages == 0:
		a.note("nothing matched")
	default:
		err = a.printf("%s\n", a.forgottenText(res))
	}
	if err == nil && res.Messages == 0 {
		return quiet(ExitNothing)
	}
	return err
}

// forgottenText says what was, or would be, forgotten.
func (a *app) forgottenText(r conversation.Receipt) string {
	verb := "forgot"
	if r.DryRun {
		verb = "would forget"
	}
	text := fmt.Sprintf("%s %s of %s in %s", verb, plural(r.Messages, "message", "messages"),
		plural(r.Sessions, "conversation", "conversations"),
		printable(strings.Join(r.Projects, ", ")))
	if r.First != nil && r.Last != nil {
		text += fmt.Sprintf(", from %s to %s", a.date(*r.First), a.date(*r.Last))
	}
	switch {
	case r.Verified:
		text += "; looked for again, and gone from database and index"
	case !r.DryRun:
		text += "; more of it was archived meanwhile: run the same command again"
	}
	return text
}

func (a *app) confirmForgetConversations(
	ctx context.Context, c conversationForgetter, in conversation.ForgetInput,
) (bool, error) {
	look := in
	look.DryRun = true
	would, err := c.ForgetConversations(ctx, look)
	if err != nil || would.Messages <= 1 {
		return err == nil, err
	}
	if !a.sys.StdinTTY {
		return false, memory.Errorf(memory.Invalid, "see what it is with --dry-run, then repeat with --yes",
			"this selects %s, and nobody is there to confirm", plural(would.Messages, "message", "messages"))
	}
	would.DryRun = true
	fmt.Fprintf(a.sys.Stderr, "This %s.\nType %d to forget them; anything else stops: ",
		a.forgottenText(would), would.Messages)
	answers := bufio.NewReader(a.sys.Stdin)
	line, err := interruptible(ctx, func() (string, error) { return answers.ReadString('\n') })
	if ctx.Err() != nil {
		return false, err
	}
	if said := strings.TrimSpace(strings.ToLower(line)); said == fmt.Sprint(would.Messages) || said == "yes" {
		return true, nil
	}
	a.note("nothing was forgotten") // no answer is no
	return false, nil
}
