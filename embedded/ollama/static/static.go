// Package static holds mneme-static, the embedding model that ships inside the program:
// a table of one vector per word piece. A text's vector is the weighted sum of its
// pieces' rows, normalised. It needs no network and no model server, and it answers in
// microseconds; the price is that it knows no word order.
//
// Most callers want [Load] and then [Model.Embed]. Everything else serves a model file
// of one's own ([New]) or the bookkeeping of a server ([Model.EmbedCount]).
package static

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
)

// Name is the model's name as servers list it, without a tag.
const Name = "mneme-static"

// Dimension is the length of every vector of the shipped model.
const Dimension = 256

// Rows is the number of word pieces of the shipped model.
const Rows = 40000

// Digest is the SHA-256 of the shipped model file, in hex.
const Digest = "b1e15b3dd1923cd4d6eebdbb09a29a324553830620c70c94895d6b697391d31f"

// format is the value of the model file's "format" metadata that this code can read.
const format = "mneme-static/1"

// Embedded rather than read from disk: the model must be there even when nothing else is.
// The table is used in place, so it costs no heap and is paged in as rows are touched.
//
//go:embed model.safetensors
var shippedModel []byte

//go:embed vocab.txt
var shippedVocab string

// Model turns text into vectors. It never changes after [New], so any number of
// goroutines may share one.
type Model struct {
	dim    int
	table  []byte    // int8 rows, row-major; kept small: float32 would be four times the size
	scales []float32 // scales[i] * table row i is the vector of piece i
	vocab  vocabulary
}

// Load parses the shipped model. It takes about two milliseconds and 2 MB of heap, so load
// once and share the result.
func Load() (*Model, error) {
	return New(shippedModel, shippedVocab)
}

// Size returns the length of the shipped model file in bytes.
func Size() int64 { return int64(len(shippedModel)) }

// New reads a model from the bytes of a safetensors file (an int8 tensor "embeddings" of
// shape [rows, dimension] and a float32 tensor "scales" of shape [rows]) and a
// vocabulary of one piece a line. It keeps a reference to file, which must not change.
// Every error says which part of the input is wrong.
func New(file []byte, vocab string) (*Model, error) {
	tensors, meta, err := parseSafetensors(file)
	if err != nil {
		return nil, fmt.Errorf("read model file: %w", err)
	}
	if meta["format"] != format {
		return nil, fmt.Errorf("read model file: format is %q, want %q", meta["format"], format)
	}
	emb, scl := tensors["embeddings"], tensors["scales"]
	if emb.dtype != "I8" || len(emb.shape) != 2 || emb.shape[0] < 1 || emb.shape[1] < 1 {
		return nil, fmt.Errorf("read model file: embeddings are %s %v, want I8 [rows, dimension]", emb.dtype, emb.shape)
	}
	rows, dim := emb.shape[0], emb.shape[1]
	if scl.dtype != "F32" || len(scl.shape) != 1 || scl.shape[0] != rows {
		return nil, fmt.Errorf("read model file: scales are %s %v, want F32 [%d]", scl.dtype, scl.shape, rows)
	}
	scales, err := scl.float32s()
	if err != nil {
		return nil, fmt.Errorf("read model file: scales: %w", err)
	}
	words, err := newVocabulary(vocab, rows)
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	return &Model{dim: dim, table: emb.data, scales: scales, vocab: words}, nil
}

// Dimension returns the length of the model's vectors.
func (m *Model) Dimension() int { return m.dim }

// Embed returns the vector of text: of length 1, or all zeros when the model knows no
// piece of it (an empty text, or one in another script than Latin). A zero vector must
// not be treated as similar to anything.
func (m *Model) Embed(text string) []float32 {
	vector, _ := m.EmbedCount(text)
	return vector
}

// EmbedCount is [Model.Embed] and also reports how many pieces the text had.
func (m *Model) EmbedCount(text string) (vector []float32, pieces int) {
	// Most memories are a sentence or two; the array keeps their ids off the heap.
	var short [64]int32
	ids := m.appendPieces(short[:0], text)

	// Sorted, equal pieces stand together and are counted in one pass; and the sum is
	// taken in the same order for the same bag of words, so it is the same to the bit.
	slices.Sort(ids)
	vector = make([]float32, m.dim)
	for i := 0; i < len(ids); {
		n := 1
		for i+n < len(ids) && ids[i+n] == ids[i] {
			n++
		}
		m.add(vector, ids[i], float32(1+math.Log(float64(n))))
		i += n
	}
	normalise(vector)
	return vector, len(ids)
}

// add adds weight times the vector of piece id to sum.
func (m *Model) add(sum []float32, id int32, weight float32) {
	row := m.table[int(id)*m.dim:][:len(sum)]
	weight *= m.scales[id]
	for i, b := range row {
		sum[i] += weight * float32(int8(b))
	}
}

// appendPieces appends the ids of the text's pieces, in reading order.
func (m *Model) appendPieces(ids []int32, text string) []int32 {
	for word := range words(text) {
		ids = m.vocab.appendWord(ids, word)
	}
	return ids
}

// normalise scales v to length 1; a zero vector stays as it is.
func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}

// Words returns the words that the model sees in text: runs of letters or digits,
// identifiers split at their humps, in lower case and without accents.
func Words(text string) []string {
	return slices.Collect(words(text))
}
