// Command fit fits the chance that a memory answers a question, which is the
// score of recall ([memory.Chance]), on public questions with and without
// their answer, and prints the weights that stand in memory/calibration.go.
//
//	go run ./internal/test/evaluation/fit
//
// Each question is asked of samples of its set, down to a handful of memories,
// and of the whole set; each time with its answer and without. The weights come
// from the samples: in the whole sets much that answers as well is not marked as
// an answer. The fit is checked on each set by itself with the weights that the
// others give. In the end the intercept alone is fitted again with hand-written
// scenarios as one more set, since a team's memories are less alike than the
// turns of one conversation.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/mneme-memory/mneme/embedded/ollama/static"
	"github.com/mneme-memory/mneme/internal/test/evaluation/corpus"
	"github.com/mneme-memory/mneme/memory"
)

// sizes are those of the samples.
func sizes() []int { return []int{2, 6, 25, 60} }

// unanswerable is the share of questions put to a memory that it cannot answer.
const unanswerable = 0.1

// example is the first candidate of a question.
type example struct {
	set      string
	size     int // of the sample
	standing memory.Lead
	right    bool
	answered bool // an answer is there
	weight   float64
}

func main() {
	folder := flag.String("data", corpus.Folder("."), "`folder` of the data sets")
	flag.Parse()
	if err := run(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	if _, err := os.Stat(folder); err != nil {
		fmt.Printf("skipped: there is no evaluation data at %s\nset MNEME_SHARED to the folder that holds retrieval-dev, or give -data\n", folder)
		return nil
	}
	model, err := static.Load()
	if err != nil {
		return err
	}
	embed := func(text string) memory.Vector { return model.Embed(text) }
	var all []example
	var background moments
	for _, name := range corpus.Names() {
		c, err := corpus.Load(folder, name, embed)
		if err != nil {
			return err
		}
		all = append(all, balanced(examplesOf(c, embed, &background))...)
	}
	fmt.Printf("%d examples; a question and any memory: cosine %.3f, standard deviation %.3f\n\n", len(all), background.mean(), background.spread())
	fmt.Println("| held out | examples | AUC | strong when right | right when strong | strong for none |\n| --- | ---: | ---: | ---: | ---: | ---: |")
	for _, name := range corpus.Names() {
		others := slices.DeleteFunc(slices.Clone(all), func(e example) bool { return e.set == name })
		own := slices.DeleteFunc(slices.Clone(all), func(e example) bool { return e.set != name || e.size == 0 })
		fmt.Println(row(name, own, fitted(others)))
	}
	chance := fitted(all)
	for _, size := range append(sizes(), 0) {
		own := slices.DeleteFunc(slices.Clone(all), func(e example) bool { return e.size != size })
		fmt.Println(row(fmt.Sprintf("none; %s", sample(size)), own, chance))
	}
	hand, err := played(filepath.Join(folder, "..", "scenarios"), embed)
	if err != nil {
		return err
	}
	if len(hand) > 0 {
		fmt.Println(row("scenarios", hand, chance))
		chance = shifted(chance, slices.Concat(all, balanced(hand)))
	}
	fmt.Printf("\nChance{Intercept: %.2f, Second: %.2f, Sixth: %.2f}\n", chance.Intercept, chance.Second, chance.Sixth)
	return nil
}

func sample(size int) string {
	if size == 0 {
		return "whole sets"
	}
	return fmt.Sprintf("samples of %d", size)
}

// examplesOf asks all questions of a set.
func examplesOf(c *corpus.Corpus, embed corpus.Embedder, background *moments) []example {
	random := rand.New(rand.NewPCG(1, 2))
	var out []example
	whole := map[string]corpus.Index{}
	for _, q := range c.Questions {
		vector := embed(q.Query)
		add := func(x corpus.Index, size int, answered bool, exclude []string) {
			candidates := x.Candidates(q.Query, vector, exclude)
			places := memory.Leads(memory.Query{Text: q.Query}, memory.CalibrationFor(static.Name), candidates, corpus.Now())
			if len(places) == 0 {
				return
			}
			out = append(out, example{
				set: c.Name, size: size, standing: places[0], answered: answered,
				right: answered && slices.Contains(q.Relevant, places[0].ID),
			})
		}
		if _, ok := whole[q.Project]; !ok {
			whole[q.Project] = c.All(q.Project)
		}
		add(whole[q.Project], 0, true, q.Exclude)
		add(whole[q.Project], 0, false, slices.Concat(q.Exclude, q.Relevant))
		answers, others := parted(c.Of(q.Project), q)
		random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		for _, d := range others[:min(20, len(others))] {
			background.add(memory.Cosine(d.Vector(), vector))
		}
		for _, size := range sizes() {
			sample := others[:min(size-1, len(others))]
			add(corpus.NewIndex(sample), size, false, nil)
			add(corpus.NewIndex(append(slices.Clone(sample), answers[0])), size, true, nil)
		}
	}
	return out
}

// parted separates the answers to a question from what is none.
func parted(documents []*corpus.Document, q corpus.Question) (answers, others []*corpus.Document) {
	for _, d := range documents {
		switch {
		case slices.Contains(q.Relevant, d.ID):
			answers = append(answers, d)
		case !slices.Contains(q.Exclude, d.ID):
			others = append(others, d)
		}
	}
	return answers, others
}

// balanced gives the examples of one set together the same weight as those of
// any other, and questions without an answer their share.
func balanced(examples []example) []example {
	n := float64(len(examples)) / 2
	for i := range examples {
		if examples[i].size == 0 {
			continue
		}
		examples[i].weight = (1 - unanswerable) / n
		if !examples[i].answered {
			examples[i].weight = unanswerable / n
		}
	}
	return examples
}
