package memory

import (
	"fmt"
	"slices"
)

// Generation is a set of collections in the index, all with vectors of one embedding model.
type Generation struct {
	Name      string `json:"name"` // ends the names of its collections; "" for those of the first model
	Model     string `json:"model"`
	Dimension int    `json:"dimension"`
}

// Generations are the generations of an index: the one that answers and, while the embedding
// model is changed, a second one that is written to as well.
type Generations struct {
	Active Generation  `json:"active"`           // answers
	Beside *Generation `json:"beside,omitempty"` // is written to as well; nil if there is none
	// Old says that Beside answered before Active did, and can do so again. Otherwise Beside is
	// still being built.
	Old bool `json:"old,omitempty"`
	// Dropping says that Beside is being deleted, and is not written to any more.
	Dropping bool `json:"dropping,omitempty"`
	// Replaced names the models that "mneme reembed" put another one in the place of. A worker whose
	// settings still name one of them works with the model of Active.
	Replaced []string `json:"replaced,omitempty"`
}

// Follows reports whether a worker whose settings name a model works with the model of the
// active generation all the same.
func (g Generations) Follows(configured string) bool {
	return g.Active.Model != "" && (g.Beside != nil || slices.Contains(g.Replaced, configured))
}

// Written returns the generation beside the active one that changes are written to, nil for none.
func (g Generations) Written() *Generation {
	if g.Dropping {
		return nil
	}
	return g.Beside
}

// Flipped returns the generations after the one beside has taken the place of the active one.
func (g Generations) Flipped() Generations {
	now, before := *g.Beside, g.Active
	g.Active, g.Beside, g.Old = now, &before, true
	g.Replaced = slices.DeleteFunc(slices.Clone(g.Replaced), func(m string) bool { return m == now.Model || m == before.Model })
	if before.Model != now.Model {
		g.Replaced = append(g.Replaced, before.Model)
	}
	return g
}

// ReembedInput asks to change the embedding model.
type ReembedInput struct {
	Model string `json:"model,omitempty"` // the new one; "" with Back and Drop
	Back  bool   `json:"back,omitempty"`  // return to the model before
	Drop  bool   `json:"drop,omitempty"`  // delete the generation that does not answer
	// NoFlip builds the new generation and compares answers, and leaves the old one in force.
	NoFlip bool   `json:"no_flip,omitempty"`
	User   string `json:"user,omitempty"`
}

// Clean checks the input.
func (in ReembedInput) Clean() (ReembedInput, error) {
	asked := 0
	for _, one := range []bool{in.Model != "", in.Back, in.Drop} {
		if one {
			asked++
		}
	}
	if asked != 1 || in.NoFlip && in.Drop {
		return in, Errorf(Invalid, "name a model, or go back, or drop the old index", "give one of --model, --back and --drop-old")
	}
	if len(in.Model) > 200 || !printable(in.Model) {
		return in, Errorf(Invalid, `give it as Ollama lists it, such as "all-minilm"`, "that is no name of a model")
	}
	return in, nil
}

// printable reports whether a name holds only printable ASCII without spaces.
func printable(name string) bool {
	for _, r := range name {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

// The stages of a [ReembedReport], in their order.
const (
	ReembedBuilding  = "building"  // texts are embedded and written beside
	ReembedComparing = "comparing" // both are compared with the database, and with each other
	ReembedBuilt     = "built"     // complete, and not in force
	ReembedFlipped   = "flipped"   // in force
	ReembedDropped   = "dropped"   // the other one is deleted
)

// ReembedReport says how far a change of the embedding model is.
type ReembedReport struct {
	WorkflowID  string              `json:"workflow_id"`
	From        string              `json:"from"` // the model in force at the start
	Model       string              `json:"model"`
	Stage       string              `json:"stage"`
	Memories    int                 `json:"memories"`          // embedded so far
	Messages    int                 `json:"messages"`          // parts of archived conversations embedded so far
	Left        int                 `json:"left"`              // memories to be embedded still
	Collections []RebuildCollection `json:"collections"`       // how the new one compares with the database
	Answers     *AnswersCompared    `json:"answers,omitempty"` // nil before they were compared
	Done        bool                `json:"done"`
}

// Equal reports whether the new collections hold the same memories as the database.
func (r ReembedReport) Equal() bool {
	return !slices.ContainsFunc(r.Collections, func(c RebuildCollection) bool { return !c.Equal })
}

// AnswersCompared says how much two generations agree on the last recalls and the pinned questions.
type AnswersCompared struct {
	Asked     int     `json:"asked"`      // questions that either generation answered
	Overlap   float64 `json:"overlap"`    // mean share of the first ten that both have, from 0 to 1
	SameFirst int     `json:"same_first"` // questions with the same first answer
	Left      int     `json:"left_out"`   // questions that neither answered
}

// CompareFirst is how many answers of a question are compared.
const CompareFirst = 10

// Add counts a question by the ids of its answers before and after, the best first.
func (a *AnswersCompared) Add(before, after []string) {
	before, after = before[:min(len(before), CompareFirst)], after[:min(len(after), CompareFirst)]
	most := max(len(before), len(after))
	if most == 0 {
		a.Left++
		return
	}
	both := 0
	for _, id := range before {
		if slices.Contains(after, id) {
			both++
		}
	}
	a.Overlap = (a.Overlap*float64(a.Asked) + float64(both)/float64(most)) / float64(a.Asked+1)
	a.Asked++
	if len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		a.SameFirst++
	}
}

// BesideText tells people of the generation beside the active one; "" if there is none.
func (g Generations) BesideText() string {
	switch {
	case g.Beside == nil:
		return ""
	case g.Dropping:
		return fmt.Sprintf(`the index of %s is being deleted; "mneme reembed --drop-old" completes that`, g.Beside.Model)
	case g.Old:
		return fmt.Sprintf(`the index of %s, which answered before, is kept: "mneme reembed --back" returns to it, "mneme reembed --drop-old" deletes it`,
			g.Beside.Model)
	}
	return fmt.Sprintf(`an index of %s is being built, or waits to be brought into force: "mneme reembed --model %s" goes on, "mneme reembed --drop-old" deletes it`,
		g.Beside.Model, g.Beside.Model)
}
