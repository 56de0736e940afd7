package static

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// maxHeader bounds the JSON header of a model file; ours has some 200 bytes.
const maxHeader = 1 << 20

// tensor is one named array of a safetensors file. The zero value is an absent one.
type tensor struct {
	dtype string
	shape []int
	data  []byte // little endian, a window into the file
}

// header is a tensor's entry in the file's JSON header.
type header struct {
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

// parseSafetensors reads the header of a safetensors file (eight bytes of length, JSON,
// then the arrays) and checks that every array lies inside the file and is as long as its
// type and shape say.
func parseSafetensors(file []byte) (map[string]tensor, map[string]string, error) {
	if len(file) < 8 {
		return nil, nil, errors.New("shorter than its length field")
	}
	size := binary.LittleEndian.Uint64(file)
	file = file[8:]
	if size > maxHeader || size > uint64(len(file)) {
		return nil, nil, fmt.Errorf("header of %d bytes does not fit", size)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(file[:size], &entries); err != nil {
		return nil, nil, fmt.Errorf("parse header: %w", err)
	}
	data := file[size:]
	var meta map[string]string
	tensors := make(map[string]tensor, len(entries))
	for name, raw := range entries {
		if name == "__metadata__" {
			if err := json.Unmarshal(raw, &meta); err != nil {
				return nil, nil, fmt.Errorf("parse metadata: %w", err)
			}
			continue
		}
		t, err := parseTensor(raw, data)
		if err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, meta, nil
}

func parseTensor(raw json.RawMessage, data []byte) (tensor, error) {
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return tensor{}, fmt.Errorf("parse header: %w", err)
	}
	width, ok := map[string]int64{"I8": 1, "U8": 1, "F32": 4}[h.DType]
	if !ok {
		return tensor{}, fmt.Errorf("type %q is not supported", h.DType)
	}
	if len(h.Offsets) != 2 || h.Offsets[0] < 0 || h.Offsets[1] < h.Offsets[0] || h.Offsets[1] > int64(len(data)) {
		return tensor{}, fmt.Errorf("offsets %v do not lie in the %d bytes of data", h.Offsets, len(data))
	}
	want := width
	shape := make([]int, len(h.Shape))
	for i, n := range h.Shape {
		// Bounded by the file's size at each step, so the product cannot overflow.
		if n < 0 || n > int64(len(data)) || want*n > int64(len(data)) {
			return tensor{}, fmt.Errorf("shape %v does not fit into %d bytes of data", h.Shape, len(data))
		}
		want *= n
		shape[i] = int(n)
	}
	if got := h.Offsets[1] - h.Offsets[0]; got != want {
		return tensor{}, fmt.Errorf("%d bytes for shape %v of %s, want %d", got, h.Shape, h.DType, want)
	}
	return tensor{dtype: h.DType, shape: shape, data: data[h.Offsets[0]:h.Offsets[1]]}, nil
}

// float32s decodes an F32 tensor. A value that is not finite is an error: it would
// spread through every vector it touches.
func (t tensor) float32s() ([]float32, error) {
	values := make([]float32, len(t.data)/4)
	for i := range values {
		v := math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("value %d is %v", i, v)
		}
		values[i] = v
	}
	return values, nil
}
