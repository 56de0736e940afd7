package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/conversation"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// evalDepth is how many answers are asked for: what stands behind counts as not found.
const evalDepth = 10

// evalQuestion is a line of the file: a question and what answers it, any of which will do.
type evalQuestion struct {
	Question string   `json:"question"`
	IDs      []string `json:"ids"`      // or the beginnings of ids
	Contains []string `json:"contains"` // a text that holds one of these answers; case does not matter
	Project  string   `json:"project"`

	number int // of the line
}

// evalReport holds the figures of an evaluation, the questions that were not found or could not be
// measured, and notes on the limits of the figures.
type evalReport struct {
	Of        string     `json:"of"`        // memories or conversations
	Questions int        `json:"questions"` // n of all figures
	Hit1      float64    `json:"hit_at_1"`
	Hit3      float64    `json:"hit_at_3"`
	Hit5      float64    `json:"hit_at_5"`
	MRR       float64    `json:"mrr"`         // mean of 1/rank, 0 for what is not among the first ten
	Median    float64    `json:"median_ms"`   // of an answer, with the way there and back
	Degraded  int        `json:"degraded"`    // questions that were answered without a part
	NotFound  []evalMiss `json:"not_found"`   // among the first ten
	Left      []evalMiss `json:"unmeasured"`  // questions that could not be measured, and are in no figure
	Notes     []string   `json:"not_covered"` // what these figures do not say
}

// evalMiss is a question with its line.
type evalMiss struct {
	Line     int    `json:"line"`
	Question string `json:"question"`
	Why      string `json:"why,omitempty"`
}

func (a *app) eval() *cobra.Command {
	var scope scopeFlags
	var talks bool
	cmd := &cobra.Command{
		Use:   "eval FILE|-",
		Short: "Measure how well recall finds what you know to be there",
		Long: "Ask the questions of a file of JSON lines and count at which place an answer stands. A line has a question,\n" +
			"and what answers it: ids, or contains (a text that holds one of these answers); project, if it is another\n" +
			"than the current one. Nothing is counted as a recall. A question that nothing is given for, or that ends\n" +
			"in an error, is named and is in no figure.",
		Example: "  mneme eval questions.jsonl\n  echo '{\"question\": \"which port?\", \"contains\": [\"8443\"]}' | mneme eval -",
		Args:    cobra.ExactArgs(1),
	}
	scope.add(cmd)
	cmd.Flags().BoolVar(&talks, "conversations", false, "ask the archive of conversations instead")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		questions, left, err := a.readQuestions(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			project, err := a.scope(cfg, scope)
			if err != nil {
				return err
			}
			e := evaluation{app: a, client: c, project: project, all: scope.all, talks: talks}
			report, err := e.run(cmd.Context(), questions)
			if err != nil {
				return err
			}
			report.Left = append(left, report.Left...)
			return a.printEval(report)
		})
	}
	return cmd
}

// readQuestions reads a file of questions. Lines that say nothing that can be measured are named.
func (a *app) readQuestions(ctx context.Context, path string) ([]evalQuestion, []evalMiss, error) {
	file, err := a.openImport(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer file.close()
	if _, err := file.file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file.name, err)
	}
	var out []evalQuestion
	var left []evalMiss
	r := bufio.NewReaderSize(file.file, 64<<10)
	for number := 1; ; number++ {
		line, long, err := nextLine(r, maxLineBytes)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", file.name, err)
		}
		if number == 1 {
			line = trimMark(line)
		}
		if len(bytes.TrimSpace(line)) == 0 && !long {
			continue
		}
		q, why := parseQuestion(line, long)
		if q.number = number; why != "" {
			left = append(left, evalMiss{number, q.Question, why})
			continue
		}
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, nil, memory.Errorf(memory.Invalid,
			`each line is a JSON object such as {"question": "…", "contains": ["…"]}`,
			"there is no question in %s that can be measured", file.name)
	}
	return out, left, nil
}

// parseQuestion reads a line; why says what keeps it from being measured.
func parseQuestion(line []byte, long bool) (q evalQuestion, why string) {
	if long {
		return q, fmt.Sprintf("is longer than %d bytes", maxLineBytes)
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return evalQuestion{}, "is not JSON of this form"
	}
	if _, err := (memory.Query{Text: q.Question, Project: q.Project}).Clean(); err != nil {
		return q, err.Error()
	}
	for _, id := range q.IDs {
		if err := memory.CheckRef(id); err != nil {
			return q, err.Error()
		}
	}
	for _, text := range q.Contains {
		if strings.TrimSpace(text) == "" {
			return q, "contains an empty text, which is in everything"
		}
	}
	if len(q.IDs)+len(q.Contains) == 0 {
		return q, "says neither ids nor contains: nobody knows what answers it"
	}
	return q, ""
}

// evaluation asks questions.
type evaluation struct {
	app     *app
	client  Client
	project string
	all     bool
	talks   bool
}

func (e evaluation) run(ctx context.Context, questions []evalQuestion) (evalReport, error) {
	report := evalReport{Of: "memories", NotFound: []evalMiss{}, Notes: []string{
		"whether your questions are like those that are really asked",
		"answers that your file does not name: such a one counts as wrong",
	}}
	if e.talks {
		report.Of = "conversations"
	}
	var places []int
	var took []time.Duration
	for _, q := range questions {
		started := e.app.sys.Now()
		texts, ids, degraded, err := e.ask(ctx, q)
		switch {
		case ctx.Err() != nil:
			return report, ctx.Err()
		case memory.CodeOf(err) == memory.Invalid:
			report.Left = append(report.Left, evalMiss{q.number, q.Question, err.Error()})
			continue
		case err != nil:
			return report, err
		}
		took = append(took, e.app.sys.Now().Sub(started))
		if degraded {
			report.Degraded++
		}
		place := q.place(texts, ids)
		if places = append(places, place); place == 0 {
			report.NotFound = append(report.NotFound, evalMiss{Line: q.number, Question: q.Question})
		}
	}
	report.count(places, took)
	return report, nil
}

// ask returns the answers' texts and ids, best first.
func (e evaluation) ask(ctx context.Context, q evalQuestion) (texts, ids []string, degraded bool, err error) {
	project, all := e.project, e.all
	if q.Project != "" {
		project, all = q.Project, false
	}
	if e.talks {
		res, err := e.client.SearchConversations(ctx,
			conversation.Query{Text: q.Question, Project: project, AllProjects: all, Limit: evalDepth})
		for _, h := range res.Hits {
			texts, ids = append(texts, h.Text), append(ids, h.ID)
		}
		return texts, ids, res.Degraded != "", err
	}
	res, err := e.client.Recall(ctx, memory.Query{
		Text: q.Question, Project: project, AllProjects: all, Limit: evalDepth, Source: memory.SourceCLI, Trial: true,
	})
	for _, h := range res.Hits {
		texts, ids = append(texts, h.Text), append(ids, h.ID)
	}
	return texts, ids, res.Degraded != "", err
}

// place is where the first answer stands, from 1; 0 if there is none.
func (q evalQuestion) place(texts, ids []string) int {
	for i := range texts {
		for _, ref := range q.IDs {
			if memory.Names(ref, ids[i]) {
				return i + 1
			}
		}
		for _, part := range q.Contains {
			if strings.Contains(strings.ToLower(texts[i]), strings.ToLower(strings.TrimSpace(part))) {
				return i + 1
			}
		}
	}
	return 0
}
