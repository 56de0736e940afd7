package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// project is the one that everything here is stored in.
const project = "benchmark"

// corpus makes sentences that are all different and share words as real ones
// do: a few words are in many, most in few.
type corpus struct {
	random *rand.Rand
	words  []string
}

func newCorpus(seed uint64) *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(seed, 1))}
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gru sta tre spi pro plu")
	for _, a := range syllables {
		for _, b := range syllables {
			for _, e := range []string{"n", "ster", "ling", "ry", "x"} {
				c.words = append(c.words, a+b+e)
			}
		}
	}
	return c
}

// sentence says something about number n.
func (c *corpus) sentence(n int) string {
	frames := []string{
		"The %s service of the %s team listens on port %d and talks to %s through the %s queue.",
		"We decided that %s goes before %s in step %d, because %s failed twice when %s was slow.",
		"After the migration %s must be restarted with %s set to %d, or %s loses its %s.",
		"When %s reports an error in %s, look at line %d of the log of %s before touching %s.",
	}
	return fmt.Sprintf(frames[c.random.IntN(len(frames))], c.word(), c.word(), n, c.word(), c.word())
}

// word is one of few often and one of many seldom.
func (c *corpus) word() string {
	n := len(c.words)
	return c.words[int(float64(n)*c.random.Float64()*c.random.Float64()*c.random.Float64())]
}

// question asks in some words of the corpus.
func (c *corpus) question() string {
	return fmt.Sprintf("what did we decide about %s and the %s of %s?", c.word(), c.word(), c.word())
}

// write writes n memories as lines for "mneme import". Some are of sessions,
// and some of types that have a collection of their own.
func (c *corpus) write(w io.Writer, n int) error {
	types := []string{memory.TypeFact, memory.TypeFact, memory.TypeDecision, memory.TypeNote, memory.TypeLearning}
	encoder := json.NewEncoder(w)
	for i := range n {
		line := map[string]any{"text": c.sentence(i), "project": project, "type": types[i%len(types)], "tags": []string{c.word()}}
		if i%4 == 0 {
			line["session"] = fmt.Sprintf("session-%d", i/200)
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("write corpus: %w", err)
		}
	}
	return nil
}
