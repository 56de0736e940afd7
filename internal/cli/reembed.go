package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// reembedder changes the embedding model.
type reembedder interface {
	Reembed(ctx context.Context, in memory.ReembedInput, progress func(memory.ReembedReport)) (memory.ReembedReport, error)
	ReembedUnderWay(ctx context.Context) (*memory.ReembedReport, error)
	CancelReembed(ctx context.Context) (bool, error)
}

// modelsJSON is what "mneme reembed" prints without a flag.
type modelsJSON struct {
	memory.Generations
	UnderWay *memory.ReembedReport `json:"under_way,omitempty"`
}

// reembedFlags are the flags of "mneme reembed".
type reembedFlags struct {
	model                      string
	noFlip, back, drop, cancel bool
}

func (a *app) reembed() *cobra.Command {
	var f reembedFlags
	cmd := &cobra.Command{
		Use:   "reembed",
		Short: "Change the embedding model, without an interruption",
		Long: "Embed all memories and archived conversations with another model, into a second search index beside\n" +
			"the one that answers. What is stored meanwhile is written to both. When the second is complete, its\n" +
			"answers to the last recalls and the pinned questions are compared with those of the first, and it\n" +
			"takes over in one step. The first stays until --drop-old, so that --back can return to it.\n\n" +
			"An interrupted command goes on in the background; call it again to watch. Without a flag, show\n" +
			"which models there are.",
		Example: "  mneme reembed --model all-minilm\n  mneme reembed --back\n  mneme reembed --drop-old",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "the new model, as Ollama names it; it is fetched if it is missing")
	flags.BoolVar(&f.noFlip, "no-flip", false, "build the second index and compare the answers, and change nothing yet")
	flags.BoolVar(&f.back, "back", false, "return to the model before")
	flags.BoolVar(&f.drop, "drop-old", false, "delete the index that does not answer")
	flags.BoolVar(&f.cancel, "cancel", false, "end a change that is under way, and delete what it built")
	cmd.MarkFlagsMutuallyExclusive("model", "back", "drop-old", "cancel")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			switch {
			case f.cancel:
				return a.cancelReembed(cmd.Context(), c)
			case f == reembedFlags{}:
				return a.showModels(cmd.Context(), c)
			}
			return a.changeModel(cmd.Context(), cfg, c, f)
		})
	}
	return cmd
}

// changeModel runs a change of the embedding model and prints its report.
func (a *app) changeModel(ctx context.Context, cfg config.Config, c Client, f reembedFlags) error {
	in, err := memory.ReembedInput{Model: f.model, Back: f.back, Drop: f.drop, NoFlip: f.noFlip, User: cfg.User}.Clean()
	if err != nil {
		return err
	}
	var report memory.ReembedReport
	err = a.patiently(ctx, c, func() (err error) {
		report, err = c.Reembed(ctx, in, a.reembedProgress())
		return err
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !in.Drop {
		a.note("the change of the model goes on in the background; \"mneme reembed\" shows it, \"mneme reembed --cancel\" ends it")
	}
	if err != nil {
		return err
	}
	if a.json {
		report.Collections = list(report.Collections)
		for i := range report.Collections {
			one := &report.Collections[i]
			one.Mended, one.Unequal = list(one.Mended), list(one.Unequal)
		}
		return a.printJSON(report)
	}
	return a.printReembedded(report, cfg.Ollama.EmbedModel)
}

func (a *app) reembedProgress() func(memory.ReembedReport) {
	told, stage := -1, ""
	return func(r memory.ReembedReport) {
		done := r.Memories + r.Messages
		if r.Stage == stage && done == told {
			return
		}
		told, stage = done, r.Stage
		switch r.Stage {
		case memory.ReembedBuilding:
			a.note("%s embedded with %s, %d left", plural(r.Memories, "memory", "memories"), r.Model, r.Left)
		case memory.ReembedComparing:
			a.note("comparing the second index with the database, and the answers of both")
		}
	}
}

// printReembedded tells what came of a change. Configured is the model that the settings name.
func (a *app) printReembedded(r memory.ReembedReport, configured string) error {
	if r.Stage == memory.ReembedDropped {
		return a.printf("the other index is deleted; %s stays in force\n", r.From)
	}
	if err := a.printf("%s embedded with %s\n", plural(r.Memories, "memory", "memories"), r.Model); err != nil {
		return err
	}
	if r.Messages > 0 {
		if err := a.printf("%s of archived conversations embedded\n", plural(r.Messages, "part", "parts")); err != nil {
			return err
		}
	}
	if s := r.Answers; s != nil {
		if err := a.printf("%s\n", overlap(*s)); err != nil {
			return err
		}
	}
	if !r.Equal() {
		a.note("the new index differed from the database, and was mended; \"mneme rebuild\" looks once more")
	}
	if r.Stage == memory.ReembedBuilt {
		return a.printf("%s stays in force; the same call without --no-flip brings %s into force, --cancel or --drop-old deletes its index\n", r.From, r.Model)
	}
	if configured != "" && configured != r.Model {
		a.note("the settings still name %s, which %s takes the place of; set MNEME_EMBED_MODEL=%s, or leave it out", configured, r.Model, r.Model)
	}
	return a.printf("%s is in force; \"mneme reembed --back\" returns to %s, \"mneme reembed --drop-old\" deletes its index\n", r.Model, r.From)
}

// overlap says how much two models agree.
func overlap(s memory.AnswersCompared) string {
	if s.Asked == 0 {
		return "there was no recall whose answers could be compared"
	}
	return fmt.Sprintf("of the first %d answers to %s both models have %.0f %% in common; the first answer is the same for %d",
		memory.CompareFirst, plural(s.Asked, "question", "questions"), 100*s.Overlap, s.SameFirst)
}

// cancelReembed ends a change that is under way, or gives up what one has built.
func (a *app) cancelReembed(ctx context.Context, c Client) error {
	was, err := c.CancelReembed(ctx)
	if err != nil {
		return err
	}
	if !was {
		return memory.Errorf(memory.NotFound, `"mneme reembed" shows which models there are, "mneme reembed --drop-old" deletes an index that does not answer`,
			"no change of the embedding model is under way")
	}
	if a.json {
		return a.printJSON(map[string]bool{"cancelled": true})
	}
	return a.printf("the change of the embedding model is ended\n")
}

// showModels tells which models have an index.
func (a *app) showModels(ctx context.Context, c Client) error {
	stats, err := c.Stats(ctx)
	if err != nil {
		return err
	}
	out := modelsJSON{}
	if stats.Generations != nil {
		out.Generations = *stats.Generations
	}
	out.Active.Model, out.Active.Dimension = stats.Model, stats.Dimension
	if out.UnderWay, err = c.ReembedUnderWay(ctx); err != nil {
		return err
	}
	if a.json {
		if out.UnderWay != nil {
			out.UnderWay.Collections = list(out.UnderWay.Collections)
		}
		return a.printJSON(out)
	}
	if stats.Model == "" {
		return a.printf("nothing is embedded yet\n")
	}
	if err := a.printf("%s (%d dimensions) is in force\n", out.Active.Model, out.Active.Dimension); err != nil {
		return err
	}
	if text := besideText(stats); text != "" {
		if err := a.printf("%s\n", text); err != nil {
			return err
		}
	}
	if out.UnderWay != nil && out.UnderWay.Stage != "" {
		return a.printf("a change to %s is under way: %s, %s embedded, %d left\n", out.UnderWay.Model, out.UnderWay.Stage,
			plural(out.UnderWay.Memories, "memory", "memories"), out.UnderWay.Left)
	}
	return nil
}

// besideText tells of an index beside the one that answers, "" if there is none.
func besideText(s memory.Stats) string {
	if s.Generations == nil {
		return ""
	}
	return s.Generations.BesideText()
}
