package qdrant

import (
	"slices"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// A fieldIndex answers conditions on one field without reading payloads. It
// must agree with them: every change of a payload goes through put.
type fieldIndex struct {
	path   jsonPath
	schema *pb.PayloadSchemaInfo // type and parameters, as they are shown

	indexed  bitset // rows with at least one value of the index's type
	nonEmpty bitset // rows where the field is more than null and []
	null     bitset // rows where the field is null

	words  map[string][]uint32 // keyword, uuid, text: rows in ascending order
	ints   *column[int64]      // integer; datetime in microseconds
	floats *column[float64]
	yes    bitset // bool
	no     bitset
	tokens *tokenizer // text
}

// newFieldIndex makes an empty index.
func newFieldIndex(field string, schema *pb.PayloadSchemaInfo) (*fieldIndex, error) {
	path, err := parsePath(field)
	if err != nil {
		return nil, err
	}
	x := &fieldIndex{path: path, schema: schema}
	switch schema.GetDataType() {
	case pb.PayloadSchemaType_Keyword, pb.PayloadSchemaType_Uuid:
		x.words = map[string][]uint32{}
	case pb.PayloadSchemaType_Text:
		x.words = map[string][]uint32{}
		x.tokens, err = newTokenizer(schema.GetParams().GetTextIndexParams())
	case pb.PayloadSchemaType_Integer, pb.PayloadSchemaType_Datetime:
		x.ints = &column[int64]{}
	case pb.PayloadSchemaType_Float:
		x.floats = &column[float64]{}
	case pb.PayloadSchemaType_Bool:
	default:
		err = unsupported("a payload index of type " + schema.GetDataType().String())
	}
	return x, err
}

// put brings a row up to date; a nil payload takes it out. old is what the
// index holds for the row now.
func (x *fieldIndex) put(row uint32, old, payload map[string]*pb.Value) {
	before, after := x.path.values(old), x.path.values(payload)
	if sameValues(before, after) {
		return
	}
	x.removeWords(row, before)
	x.note(row, after)
	switch x.schema.GetDataType() {
	case pb.PayloadSchemaType_Integer, pb.PayloadSchemaType_Datetime:
		values := x.integersOf(after)
		x.ints.put(row, values)
		x.indexed.set(row, len(values) > 0)
	case pb.PayloadSchemaType_Float:
		values := collect(after, number)
		x.floats.put(row, values)
		x.indexed.set(row, len(values) > 0)
	case pb.PayloadSchemaType_Bool:
		x.putBools(row, after)
	default:
		words := x.wordsOf(after)
		for _, word := range words {
			x.words[word] = insertRow(x.words[word], row)
		}
		x.indexed.set(row, len(words) > 0)
	}
}

func sameValues(a, b []*pb.Value) bool {
	return slices.EqualFunc(a, b, func(a, b *pb.Value) bool { return proto.Equal(a, b) })
}

// note keeps what presence conditions ask for.
func (x *fieldIndex) note(row uint32, values []*pb.Value) {
	x.nonEmpty.set(row, slices.ContainsFunc(values, func(v *pb.Value) bool { return !isEmpty(v) }))
	x.null.set(row, slices.ContainsFunc(values, isNull))
}

func (x *fieldIndex) integersOf(values []*pb.Value) []int64 {
	if x.schema.GetDataType() == pb.PayloadSchemaType_Datetime {
		return collect(values, func(v *pb.Value) (int64, bool) {
			text, isText := v.GetKind().(*pb.Value_StringValue)
			if !isText {
				return 0, false
			}
			t, ok := parseTime(text.StringValue)
			return t.UnixMicro(), ok
		})
	}
	return collect(values, func(v *pb.Value) (int64, bool) {
		n, ok := v.GetKind().(*pb.Value_IntegerValue)
		if !ok {
			return 0, false
		}
		return n.IntegerValue, true
	})
}

func (x *fieldIndex) putBools(row uint32, values []*pb.Value) {
	bools := collect(values, func(v *pb.Value) (bool, bool) {
		b, ok := v.GetKind().(*pb.Value_BoolValue)
		return ok && b.BoolValue, ok
	})
	x.yes.set(row, slices.Contains(bools, true))
	x.no.set(row, slices.Contains(bools, false))
	x.indexed.set(row, len(bools) > 0)
}

// wordsOf are the keys under which a row is found, each once.
func (x *fieldIndex) wordsOf(values []*pb.Value) []string {
	var words []string
	for _, v := range values {
		scalars(v, func(v *pb.Value) bool {
			if text, ok := v.GetKind().(*pb.Value_StringValue); ok {
				words = append(words, x.keys(text.StringValue)...)
			}
			return false
		})
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func (x *fieldIndex) keys(text string) []string {
	switch {
	case x.tokens != nil:
		return x.tokens.stored(text)
	case x.schema.GetDataType() == pb.PayloadSchemaType_Uuid:
		raw, ok := parseUUID(text)
		if !ok {
			return nil
		}
		return []string{formatUUID(raw[:])}
	default:
		return []string{text}
	}
}

func (x *fieldIndex) removeWords(row uint32, values []*pb.Value) {
	if x.words == nil {
		return
	}
	for _, word := range x.wordsOf(values) {
		rows := removeRow(x.words[word], row)
		if len(rows) == 0 {
			delete(x.words, word)
			continue
		}
		x.words[word] = rows
	}
}

// collect applies f to every value, and to every item of those that are lists.
func collect[T any](values []*pb.Value, f func(*pb.Value) (T, bool)) []T {
	var out []T
	for _, v := range values {
		scalars(v, func(v *pb.Value) bool {
			if x, ok := f(v); ok {
				out = append(out, x)
			}
			return false
		})
	}
	return out
}

func insertRow(rows []uint32, row uint32) []uint32 {
	if n := len(rows); n == 0 || rows[n-1] < row {
		return append(rows, row)
	}
	i, found := slices.BinarySearch(rows, row)
	if found {
		return rows
	}
	return slices.Insert(rows, i, row)
}

func removeRow(rows []uint32, row uint32) []uint32 {
	i, found := slices.BinarySearch(rows, row)
	if !found {
		return rows
	}
	return slices.Delete(rows, i, i+1)
}

// rowsOf is the set of rows of a word.
func (x *fieldIndex) rowsOf(word string, within bitset) bitset {
	out := make(bitset, len(within))
	for _, row := range x.words[word] {
		out.add(row)
	}
	return out
}

// ranged tells whether points can be put in order by the field.
func (x *fieldIndex) ranged() bool {
	if x.schema.GetDataType() == pb.PayloadSchemaType_Integer {
		p := x.schema.GetParams().GetIntegerIndexParams()
		return p == nil || p.Range == nil || p.GetRange()
	}
	return x.ints != nil || x.floats != nil
}

// describe is the index as a collection's info shows it.
func (x *fieldIndex) describe() *pb.PayloadSchemaInfo {
	points := uint64(x.indexed.count())
	return &pb.PayloadSchemaInfo{DataType: x.schema.DataType, Params: x.schema.Params, Points: &points}
}
