package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// questioner keeps the questions whose answers no organize run may lose.
type questioner interface {
	PinQuestion(ctx context.Context, q memory.PinnedQuestion) (memory.PinnedQuestion, error)
	UnpinQuestion(ctx context.Context, id, user string) (memory.PinnedQuestion, error)
	Questions(ctx context.Context, project string) ([]memory.PinnedQuestion, error)
}

type questionFlags struct {
	expect    []string
	project   string
	list, all bool
	remove    string
}

func (a *app) pinQuestion() *cobra.Command {
	var f questionFlags
	cmd := &cobra.Command{
		Use:   "pin-question [QUESTION]",
		Short: "Pin a question that must keep its answer",
		Long: "Pin a question and the memories that answer it. Before organize merges, prunes or expires anything\n" +
			"it asks the pinned questions: what would cost one its answer is left alone, and the report says so.\n" +
			"A memory that others were merged into answers for them. \"mneme forget\" is not held back.",
		Example: "  mneme pin-question \"which port does the API use\" --expect 1a2b3c4d\n  mneme pin-question --list\n  mneme pin-question --remove 9f8e7d6c",
		Args:    cobra.MaximumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.expect, "expect", nil,
		"ids of memories that answer it, with commas or repeated: one of them must be found")
	fl.StringVar(&f.project, "project", "", "project (default: that of the current folder)")
	fl.BoolVar(&f.list, "list", false, "show the pinned questions, and at which place each is answered now")
	fl.BoolVar(&f.all, "all-projects", false, "with --list: those of all projects")
	fl.StringVar(&f.remove, "remove", "", "take the question with this id away")
	cmd.MarkFlagsMutuallyExclusive("list", "remove", "expect")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			project, err := a.project(cfg, f.project, false)
			if err != nil {
				return err
			}
			switch {
			case f.list && f.all:
				return a.listQuestions(cmd.Context(), c, "")
			case f.list:
				return a.listQuestions(cmd.Context(), c, project)
			case f.remove != "":
				q, err := c.UnpinQuestion(cmd.Context(), f.remove, cfg.User)
				return a.tellQuestion("taken away", q, err)
			case len(args) == 0:
				return memory.Errorf(memory.Invalid, `mneme pin-question "..." --expect ID, or --list`,
					"give a question")
			}
			q, err := c.PinQuestion(cmd.Context(), memory.PinnedQuestion{
				Project: project, Text: args[0], Expect: split(f.expect), User: cfg.User,
			})
			return a.tellQuestion("pinned", q, err)
		})
	}
	return cmd
}

func (a *app) tellQuestion(what string, q memory.PinnedQuestion, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(q)
	}
	return a.printf("%s  %s  %s\n", what, memory.ShortID(q.ID), oneLine(q.Text, a.sys.width()-20))
}

// questionJSON is a pinned question, and at which place it is answered now: 0 when it is not.
type questionJSON struct {
	memory.PinnedQuestion

	AnsweredAt int `json:"answered_at"`
}

func (a *app) listQuestions(ctx context.Context, c Client, project string) error {
	found, err := c.Questions(ctx, project)
	if err != nil {
		return err
	}
	out := make([]questionJSON, len(found))
	for i, q := range found {
		q.Expect = list(q.Expect)
		out[i] = questionJSON{PinnedQuestion: q}
		answer, err := c.Recall(ctx,
			memory.Query{Text: q.Text, Project: q.Project, Limit: memory.AnswerWithin, Trial: true})
		if err != nil {
			return err
		}
		out[i].AnsweredAt = 1 + slices.IndexFunc(answer.Hits,
			func(h memory.Hit) bool { return slices.Contains(q.Expect, h.ID) })
	}
	if a.json {
		return a.printJSON(out)
	}
	if len(out) == 0 {
		a.note("no question is pinned")
		return nil
	}
	rows := [][]string{{"ID", "ANSWERED", "BY", "PROJECT", "QUESTION"}}
	for _, q := range out {
		place := "not among the first " + strconv.Itoa(memory.AnswerWithin)
		if q.AnsweredAt > 0 {
			place = "at place " + strconv.Itoa(q.AnsweredAt)
		}
		rows = append(rows, []string{
			memory.ShortID(q.ID), place, strings.Join(shortIDs(q.Expect), ","),
			printable(q.Project), oneLine(q.Text, 60),
		})
	}
	return table(a.sys.Stdout, rows)
}
