package doctor

import (
	"fmt"
	"slices"

	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// fit finds what no server can tell by itself: whether the index, the ledger and the model go
// together.
func fit(found map[string]Server) {
	ledger := found[homestate.PostgresService].Inspection
	model := found[homestate.OllamaService].Inspection
	index := found[homestate.QdrantService]

	// An empty ledger takes the dimension of the model with its first memory.
	dimension, of := ledger.Dimension, "the stored memories"
	if dimension == 0 {
		dimension, of = model.Dimension, "the embedding model's"
	}
	switch have := index.Inspection; {
	case have.Ledger != "" && ledger.Ledger != "" && have.Ledger != ledger.Ledger:
		index.Inspection.Fail(memory.Refusal(nameQdrant,
			"set MNEME_QDRANT_PREFIX to a word of this mneme's own, or use another Qdrant: what is there is neither searched nor changed nor deleted",
			fmt.Errorf("its collections belong to another mneme (%s; this one is %s)", have.Ledger, ledger.Ledger)))
	case have.Dimension != 0 && dimension != 0 && have.Dimension != dimension && !slices.Contains(have.Dimensions, dimension):
		index.Inspection.Fail(memory.Refusal(nameQdrant, `"mneme rebuild" writes the index anew`,
			fmt.Errorf("its collections hold vectors of %d numbers, %s have %d", have.Dimension, of, dimension)))
	}
	found[homestate.QdrantService] = index
	if ledger.Model != "" && model.Model != "" && ledger.Model != model.Model && !slices.Contains(ledger.Replaced, model.Model) {
		server := found[homestate.OllamaService]
		server.Inspection.Fail(memory.Refusal(nameOllama,
			`"mneme rebuild" takes the new model up, or set MNEME_EMBED_MODEL=`+ledger.Model,
			fmt.Errorf("the memories were embedded with %s, the model in use is %s", ledger.Model, model.Model)))
		found[homestate.OllamaService] = server
	}
}
