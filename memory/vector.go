package memory

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Vector is a dense embedding. In JSON it is the base64 text of its float32
// numbers, little-endian: workflow histories hold many, and this form is a
// third of the size of decimal numbers.
type Vector []float32

// Bytes returns the numbers as little-endian float32.
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// VectorFromBytes is the inverse of [Vector.Bytes].
func VectorFromBytes(b []byte) (Vector, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("vector of %d bytes is not a list of float32", len(b))
	}
	v := make(Vector, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}

// MarshalJSON encodes the vector as base64 text.
func (v Vector) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.StdEncoding.EncodeToString(v.Bytes()))
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Vector) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decode vector: %w", err)
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return fmt.Errorf("decode vector: %w", err)
	}
	*v, err = VectorFromBytes(b)
	return err
}

// Check refuses what would poison an index: no numbers, NaN or infinity.
func (v Vector) Check() error {
	if len(v) == 0 {
		return errors.New("the embedding is empty")
	}
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("number %d of the embedding is %v", i, f)
		}
	}
	return nil
}

// IsZero reports whether all numbers are 0. Such a text is similar to nothing.
func (v Vector) IsZero() bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// Norm returns the Euclidean length.
func (v Vector) Norm() float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// Unit returns the vector scaled to length 1, or a copy of a zero vector.
func (v Vector) Unit() Vector {
	u, n := make(Vector, len(v)), v.Norm()
	if n == 0 {
		return u
	}
	for i, x := range v {
		u[i] = float32(float64(x) / n)
	}
	return u
}

// Cosine returns the cosine of the angle between a and b, 0 when one is zero
// or their lengths differ.
func Cosine(a, b Vector) float64 {
	if len(a) != len(b) {
		return 0
	}
	na, nb := a.Norm(), b.Norm()
	if na == 0 || nb == 0 {
		return 0
	}
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot / (na * nb)
}

// MeanVector returns the normalised average of vectors of one length.
func MeanVector(vs ...Vector) Vector {
	if len(vs) == 0 {
		return nil
	}
	sum := make(Vector, len(vs[0]))
	for _, v := range vs {
		for i, x := range v.Unit() {
			if i < len(sum) {
				sum[i] += x
			}
		}
	}
	return sum.Unit()
}

// Purpose says what a text is embedded for: some models want a prefix for it.
type Purpose string

// The purposes.
const (
	ForDocument Purpose = "document"
	ForQuery    Purpose = "query"
)
