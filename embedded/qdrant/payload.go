package qdrant

import (
	"fmt"
	"math"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// encodePayload serialises a payload; an empty one takes no bytes.
func encodePayload(fields map[string]*pb.Value) ([]byte, error) {
	for _, v := range fields {
		if err := checkValue(v); err != nil {
			return nil, err
		}
	}
	data, err := proto.Marshal(&pb.Struct{Fields: fields})
	if err != nil {
		return nil, invalid("payload: %v", err)
	}
	return data, nil
}

// decodePayload is the reverse; the map is the caller's to change.
func decodePayload(data []byte) (map[string]*pb.Value, error) {
	var s pb.Struct
	if err := proto.Unmarshal(data, &s); err != nil {
		return nil, internal(fmt.Errorf("decode payload: %w", err))
	}
	if s.Fields == nil {
		s.Fields = map[string]*pb.Value{}
	}
	return s.Fields, nil
}

// checkValue refuses numbers that JSON has not, and makes a value of no kind
// the null that it is read back as.
func checkValue(v *pb.Value) error {
	switch kind := v.GetKind().(type) {
	case nil:
		if v != nil {
			v.Kind = &pb.Value_NullValue{}
		}
	case *pb.Value_DoubleValue:
		if math.IsNaN(kind.DoubleValue) || math.IsInf(kind.DoubleValue, 0) {
			return invalid("cannot convert to json number")
		}
	case *pb.Value_StructValue:
		for _, child := range kind.StructValue.GetFields() {
			if err := checkValue(child); err != nil {
				return err
			}
		}
	case *pb.Value_ListValue:
		for _, child := range kind.ListValue.GetValues() {
			if err := checkValue(child); err != nil {
				return err
			}
		}
	}
	return nil
}

func isNull(v *pb.Value) bool {
	_, null := v.GetKind().(*pb.Value_NullValue)
	return null || v.GetKind() == nil
}

// isEmpty is true of what a search for empty fields finds: null and [].
func isEmpty(v *pb.Value) bool {
	list, isList := v.GetKind().(*pb.Value_ListValue)
	return isNull(v) || isList && len(list.ListValue.GetValues()) == 0
}

// scalars calls f with a value, or with every item of a list, until f says
// that it has found what it looked for.
func scalars(v *pb.Value, f func(*pb.Value) bool) bool {
	list, ok := v.GetKind().(*pb.Value_ListValue)
	if !ok {
		return f(v)
	}
	for _, item := range list.ListValue.GetValues() {
		if f(item) {
			return true
		}
	}
	return false
}

// number is the value of an integer or a double.
func number(v *pb.Value) (float64, bool) {
	switch kind := v.GetKind().(type) {
	case *pb.Value_IntegerValue:
		return float64(kind.IntegerValue), true
	case *pb.Value_DoubleValue:
		return kind.DoubleValue, true
	}
	return 0, false
}

// A payloadSelector picks what of a payload a response carries.
type payloadSelector struct {
	all     bool
	include []jsonPath
	exclude []jsonPath
}

func (s payloadSelector) none() bool { return !s.all && s.include == nil && s.exclude == nil }

// newPayloadSelector reads a request's wish; without one, otherwise decides.
func newPayloadSelector(w *pb.WithPayloadSelector, otherwise bool) (payloadSelector, error) {
	if w == nil {
		return payloadSelector{all: otherwise}, nil
	}
	switch o := w.GetSelectorOptions().(type) {
	case *pb.WithPayloadSelector_Enable:
		return payloadSelector{all: o.Enable}, nil
	case *pb.WithPayloadSelector_Include:
		paths, err := parsePaths(o.Include.GetFields())
		return payloadSelector{include: paths}, err
	case *pb.WithPayloadSelector_Exclude:
		paths, err := parsePaths(o.Exclude.GetFields())
		return payloadSelector{exclude: paths}, err
	default:
		return payloadSelector{}, invalid("No PayloadSelector")
	}
}

func parsePaths(fields []string) ([]jsonPath, error) {
	paths := make([]jsonPath, len(fields))
	for i, field := range fields {
		path, err := parsePath(field)
		if err != nil {
			return nil, err
		}
		paths[i] = path
	}
	return paths, nil
}

// apply decodes a stored payload and picks from it.
func (s payloadSelector) apply(data []byte) (map[string]*pb.Value, error) {
	if s.none() || len(data) == 0 {
		return nil, nil
	}
	payload, err := decodePayload(data)
	if err != nil || s.all {
		return payload, err
	}
	if s.exclude != nil {
		for _, path := range s.exclude {
			path.remove(payload)
		}
		return payload, nil
	}
	out := map[string]*pb.Value{}
	for _, path := range s.include {
		path.copyTo(payload, out)
	}
	return out, nil
}

// copyTo copies what the path leads to, with the structs around it.
func (p jsonPath) copyTo(from, to map[string]*pb.Value) {
	if len(p) == 0 || p[0].kind != stepKey {
		return
	}
	v, ok := from[p[0].key]
	if !ok {
		return
	}
	if len(p) == 1 || p[1].kind != stepKey {
		to[p[0].key] = v
		return
	}
	inside := v.GetStructValue().GetFields()
	if len(p[1:].values(inside)) == 0 {
		return
	}
	target := to[p[0].key].GetStructValue()
	if target == nil {
		target = &pb.Struct{Fields: map[string]*pb.Value{}}
		to[p[0].key] = &pb.Value{Kind: &pb.Value_StructValue{StructValue: target}}
	}
	p[1:].copyTo(inside, target.Fields)
}
