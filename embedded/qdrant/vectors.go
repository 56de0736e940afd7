package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
)

// A vectorInput is a vector of a request before it is known what it is for.
type vectorInput struct {
	kind   inputKind
	dense  []float32
	sparse sparseVector
	id     pointID // of the point whose vector is meant
}

type inputKind byte

const (
	inputDense inputKind = iota
	inputSparse
	inputMulti
	inputID
)

// fitDense checks that the input suits a table, and normalises it.
func (in vectorInput) fitDense(t *denseTable) ([]float32, error) {
	switch {
	case in.kind == inputSparse:
		return nil, wrongInput("Conversion between sparse and regular vectors failed")
	case in.kind == inputMulti:
		return nil, wrongInput("Conversion between multi and regular vectors failed")
	case len(in.dense) != t.dim:
		return nil, wrongSize(t.dim, len(in.dense))
	case t.distance == pb.Distance_Cosine:
		return normalise(in.dense), nil
	}
	return in.dense, nil
}

// readVectors reads the vectors of a point by name.
func readVectors(v *pb.Vectors, missing string) (map[string]vectorInput, error) {
	out := map[string]vectorInput{}
	switch o := v.GetVectorsOptions().(type) {
	case *pb.Vectors_Vector:
		in, err := readVector(o.Vector, "points[0].vectors.vectors_options.vector")
		if err == nil && in.kind == inputSparse {
			err = invalid("Sparse vector must be named")
		}
		out[""] = in
		return out, err
	case *pb.Vectors_Vectors:
		for name, vector := range o.Vectors.GetVectors() {
			in, err := readVector(vector, "points[0].vectors.vectors_options.vectors.[]")
			if err != nil {
				return nil, err
			}
			out[name] = in
		}
		return out, nil
	default:
		return nil, invalid("%s", missing)
	}
}

func readVector(v *pb.Vector, field string) (vectorInput, error) {
	switch o := v.GetVector().(type) {
	case *pb.Vector_Dense:
		return vectorInput{dense: o.Dense.GetData()}, nil
	case *pb.Vector_Sparse:
		sv, err := newSparse(o.Sparse.GetIndices(), o.Sparse.GetValues(), field)
		return vectorInput{kind: inputSparse, sparse: sv}, err
	case *pb.Vector_MultiDense:
		return vectorInput{kind: inputMulti}, nil
	case nil: // the fields that came before the three kinds
		//nolint:staticcheck // old clients still send them
		if indices := v.GetIndices(); indices != nil {
			sv, err := newSparse(indices.GetData(), v.GetData(), field)
			return vectorInput{kind: inputSparse, sparse: sv}, err
		}
		return vectorInput{dense: v.GetData()}, nil //nolint:staticcheck // as above
	default:
		return vectorInput{}, unsupported("making vectors from texts or images")
	}
}

func readInput(v *pb.VectorInput) (vectorInput, error) {
	switch o := v.GetVariant().(type) {
	case *pb.VectorInput_Dense:
		return vectorInput{dense: o.Dense.GetData()}, nil
	case *pb.VectorInput_Sparse:
		sv, err := newSparse(o.Sparse.GetIndices(), o.Sparse.GetValues(), "query.variant.variant")
		return vectorInput{kind: inputSparse, sparse: sv}, err
	case *pb.VectorInput_Id:
		id, err := parseID(o.Id)
		return vectorInput{kind: inputID, id: id}, err
	case *pb.VectorInput_MultiDense:
		return vectorInput{kind: inputMulti}, nil
	case nil:
		return vectorInput{}, invalid("VectorInput variant is missing")
	default:
		return vectorInput{}, unsupported("making vectors from texts or images")
	}
}

// A vectorSelector picks the vectors that a response carries.
type vectorSelector struct {
	all   bool
	names []string // if not all; nil for none
}

func newVectorSelector(w *pb.WithVectorsSelector, c *collection) (vectorSelector, error) {
	switch o := w.GetSelectorOptions().(type) {
	case *pb.WithVectorsSelector_Enable:
		return vectorSelector{all: o.Enable}, nil
	case *pb.WithVectorsSelector_Include:
		for _, name := range o.Include.GetNames() {
			if c.dense[name] == nil && c.sparse[name] == nil {
				return vectorSelector{}, noVector(name)
			}
		}
		return vectorSelector{names: append([]string{}, o.Include.GetNames()...)}, nil
	}
	return vectorSelector{}, nil
}

// vectors are those of a row as a response carries them. The unnamed dense one
// alone comes as "vector", anything else by name.
func (c *collection) vectors(row uint32, s vectorSelector) *pb.VectorsOutput {
	if !s.all && s.names == nil {
		return nil
	}
	out := map[string]*pb.VectorOutput{}
	for name, t := range c.dense {
		if v := t.get(row); v != nil && (s.all || slices.Contains(s.names, name)) {
			// A copy: the answer is sent after the lock is given back.
			out[name] = &pb.VectorOutput{Vector: &pb.VectorOutput_Dense{Dense: &pb.DenseVector{Data: slices.Clone(v)}}}
		}
	}
	for name, x := range c.sparse {
		if x.present.has(row) && (s.all || slices.Contains(s.names, name)) {
			v := x.vectors[row]
			out[name] = &pb.VectorOutput{Vector: &pb.VectorOutput_Sparse{Sparse: &pb.SparseVector{Indices: v.indices, Values: v.values}}}
		}
	}
	if only, ok := out[""]; ok && len(out) == 1 {
		return &pb.VectorsOutput{VectorsOptions: &pb.VectorsOutput_Vector{Vector: only}}
	}
	return &pb.VectorsOutput{VectorsOptions: &pb.VectorsOutput_Vectors{Vectors: &pb.NamedVectorsOutput{Vectors: out}}}
}
