package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

func (a *app) showConversation() *cobra.Command {
	var scope scopeFlags
	var around int
	var thread, session, whole bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a message with its neighbours, or a whole conversation as text",
		Long: "Show the message with this id and what was said around it. With --whole, the conversation that it is\n" +
			"of, with its subagents behind; with --thread, only the thread. --session takes the id of a session instead.",
		Example: "  mneme conversations show 0e5a6a4e --around 5\n  mneme conversations show --session 1730c1f2-8a7e-4b1d-9a52-3c1f5e7d9b10 > session.txt",
		Args:    cobra.ExactArgs(1),
	}
	scope.add(cmd)
	fl := cmd.Flags()
	fl.IntVar(&around, "around", 3, "how many messages before and after it")
	fl.BoolVar(&thread, "thread", false, "all of its thread")
	fl.BoolVar(&whole, "whole", false, "all of its conversation")
	fl.BoolVar(&session, "session", false, "the id is that of a session")
	cmd.MarkFlagsMutuallyExclusive("thread", "whole", "session")
	cmd.MarkFlagsMutuallyExclusive("around", "thread")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			project, err := a.scope(cfg, scope)
			if err != nil {
				return err
			}
			p := conversation.Place{Project: project, AllProjects: scope.all, Around: around, Thread: thread}
			if session {
				p.Session = args[0]
			} else {
				p.Message = args[0]
			}
			messages, marked, err := readPlace(cmd.Context(), c, p, whole)
			if err != nil {
				return err
			}
			return a.paged(cmd.Context(), func() error { return a.printMessages(messages, marked) })
		})
	}
	return cmd
}

// pageReader reads conversations.
type pageReader interface {
	ReadConversation(ctx context.Context, p conversation.Place) (conversation.Page, error)
}

// readPlace reads all pages of a place, or with whole those of the conversation that a message is of.
func readPlace(
	ctx context.Context, c pageReader, p conversation.Place, whole bool,
) ([]conversation.Message, string, error) {
	marked := ""
	if whole {
		p.Around = 0
		page, err := c.ReadConversation(ctx, p)
		if err != nil {
			return nil, "", err
		}
		if len(page.Messages) == 0 {
			return nil, "", memory.Errorf(memory.NotFound, "search for another", "the message is gone")
		}
		marked = page.Marked
		p = conversation.Place{Project: page.Messages[0].Project, Session: page.Messages[0].Session}
	}
	var parts []conversation.Message
	for {
		page, err := c.ReadConversation(ctx, p)
		if err != nil {
			return nil, "", err
		}
		if page.Marked != "" {
			marked = page.Marked
		}
		parts = append(parts, page.Messages...)
		if page.Next == nil {
			return conversation.Join(parts), marked, nil
		}
		p.After = page.Next
	}
}

// printMessages prints messages: with --json as a list, otherwise as text with the speaker, the time
// and the words of each message.
func (a *app) printMessages(messages []conversation.Message, marked string) error {
	if a.json {
		return a.printJSON(list(messages))
	}
	p := a.paint()
	place, thread := "", ""
	for _, m := range messages {
		if at := m.Session + "\x00" + m.Project; at != place {
			place, thread = at, ""
			if err := a.printf(
				"%s\n", p.faint(fmt.Sprintf("session %s · %s", printable(m.Session), printable(m.Project))),
			); err != nil {
				return err
			}
		}
		if m.Thread != thread {
			thread = m.Thread
			if err := a.printf("\n%s\n", p.faint("subagent "+printable(thread))); err != nil {
				return err
			}
		}
		mark := ""
		if m.ID == marked {
			mark = "  ◀"
		}
		head := fmt.Sprintf("%s · %s · %s%s", m.Role, a.date(m.At), memory.ShortID(m.ID), mark)
		if err := a.printf("\n%s\n%s\n", p.bold(head), printable(m.Text)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listConversations() *cobra.Command {
	var scope scopeFlags
	var since, before string
	limit := 0
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List archived conversations, newest first",
		Long:  "List the conversations of a project, newest first. Exit code 3 if there are none.",
		Args:  cobra.NoArgs,
	}
	scope.add(cmd)
	cmd.Flags().StringVar(&since, "since", "", "still going on at or after this date")
	cmd.Flags().StringVar(&before, "before", "", "begun before this date")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many at most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		l := conversation.Listing{AllProjects: scope.all, Limit: limit}
		var err error
		if l.Since, err = a.dateFlag("since", since); err != nil {
			return err
		}
		if l.Before, err = a.dateFlag("before", before); err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			if l.Project, err = a.scope(cfg, scope); err != nil {
				return err
			}
			found, err := c.Conversations(cmd.Context(), l)
			if err != nil {
				return err
			}
			return a.paged(cmd.Context(), func() error { return a.printSessions(found, scope.all) })
		})
	}
	return cmd
}

func (a *app) printSessions(found []conversation.Session, all bool) error {
	if a.json {
		if err := a.printJSON(list(found)); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		if !a.json {
			a.note("no conversation is archived here; --all-projects looks everywhere, \"mneme import --claude\" archives them")
		}
		return quiet(ExitNothing)
	}
	if a.json {
		return nil
	}
	p := a.paint()
	for _, s := range found {
		about := []string{plural(s.Messages, "message", "messages"), lasted(s.Last.Sub(s.First))}
		if all {
			about = append(about, printable(s.Project))
		}
		if err := a.printf("%s  %s  %s\n    %s\n", p.bold(printable(s.Session)),
			a.date(s.First), p.faint(strings.Join(about, " · ")),
			oneLine(s.Opening, a.sys.width()-4)); err != nil {
			return err
		}
	}
	return nil
}

// lasted says roughly how long something took.
func lasted(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	default:
		return plural(int(d.Minutes()), "minute", "minutes")
	}
}
