package qdrant

import (
	"slices"
	"strings"

	pb "github.com/qdrant/go-client/qdrant"
)

// A fieldTest is a condition on the values of one field.
type fieldTest struct {
	key     string
	path    jsonPath
	whole   bool                                              // check sees a list as one value
	check   func(*pb.Value) bool                              // without an index
	indexed func(x *fieldIndex, within bitset) (bitset, bool) // with one, if it has the type
	refine  func(*fieldIndex, string) bool                    // what the index alone cannot tell, of each text
}

func newFieldCondition(f *pb.FieldCondition) (condition, error) {
	path, err := parsePath(f.GetKey())
	if err != nil {
		return nil, err
	}
	if f.GeoBoundingBox != nil || f.GeoRadius != nil || f.GeoPolygon != nil {
		return nil, unsupported("a geographical filter")
	}
	var tests []condition
	add := func(t *fieldTest) { t.key, t.path = f.GetKey(), path; tests = append(tests, t) }
	if f.Match != nil {
		t, err := newMatch(f.Match)
		if err != nil {
			return nil, err
		}
		add(t)
	}
	if f.Range != nil {
		add(newRangeTest(numberRange[float64]{f.Range.Gt, f.Range.Gte, f.Range.Lt, f.Range.Lte}))
	}
	if f.DatetimeRange != nil {
		add(newTimeTest(newTimeRange(f.DatetimeRange.Gt, f.DatetimeRange.Gte, f.DatetimeRange.Lt, f.DatetimeRange.Lte)))
	}
	if f.ValuesCount != nil {
		add(newCountTest(f.ValuesCount))
	}
	if f.IsEmpty != nil {
		tests = append(tests, &presence{key: f.GetKey(), path: path, empty: true, want: f.GetIsEmpty()})
	}
	if f.IsNull != nil {
		tests = append(tests, &presence{key: f.GetKey(), path: path, want: f.GetIsNull()})
	}
	switch len(tests) {
	case 0:
		return nil, invalid("Validation error in body: [Validation error: At least one field condition must be specified [{}]]")
	case 1:
		return tests[0], nil
	default:
		return &filter{should: tests}, nil // Qdrant takes any one of them
	}
}

func (t *fieldTest) rows(c *collection, within bitset) (bitset, bool) {
	x := c.indexes[t.key]
	if x == nil || t.indexed == nil {
		return nil, false
	}
	set, ok := t.indexed(x, within)
	if !ok || t.refine == nil {
		return set, ok
	}
	set.and(within)
	set.each(func(row uint32) bool {
		if !c.anyText(row, x, t.refine) {
			set.remove(row)
		}
		return true
	})
	return set, true
}

// anyText reads the texts of a point back from its payload.
func (c *collection) anyText(row uint32, x *fieldIndex, f func(*fieldIndex, string) bool) bool {
	fields, err := decodePayload(c.payloads[row])
	if err != nil {
		return false
	}
	return slices.ContainsFunc(x.path.values(fields), func(v *pb.Value) bool {
		return scalars(v, func(v *pb.Value) bool { return f(x, v.GetStringValue()) })
	})
}

func (t *fieldTest) match(v *view) bool {
	return slices.ContainsFunc(t.path.values(v.fields), func(value *pb.Value) bool {
		if t.whole {
			return t.check(value)
		}
		return scalars(value, t.check)
	})
}

// newMatch compiles a match.
func newMatch(m *pb.Match) (*fieldTest, error) {
	switch k := m.GetMatchValue().(type) {
	case *pb.Match_Keyword:
		return keywordTest([]string{k.Keyword}), nil
	case *pb.Match_Keywords:
		return keywordTest(k.Keywords.GetStrings()), nil
	case *pb.Match_ExceptKeywords:
		return exceptKeywords(k.ExceptKeywords.GetStrings()), nil
	case *pb.Match_Integer:
		return integerTest([]int64{k.Integer}), nil
	case *pb.Match_Integers:
		return integerTest(k.Integers.GetIntegers()), nil
	case *pb.Match_ExceptIntegers:
		return exceptIntegers(k.ExceptIntegers.GetIntegers()), nil
	case *pb.Match_Boolean:
		return boolTest(k.Boolean), nil
	case *pb.Match_Text:
		return textTest(k.Text), nil
	case *pb.Match_TextAny:
		return anyWordTest(k.TextAny), nil
	case *pb.Match_Phrase:
		return phraseTest(k.Phrase), nil
	default:
		return nil, invalid("Malformed Match condition")
	}
}

// isKeyword tells the indexes that find a row by a whole string.
func (x *fieldIndex) isKeyword() bool { return x.words != nil && x.tokens == nil }

func keywordTest(words []string) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			s, ok := v.GetKind().(*pb.Value_StringValue)
			return ok && slices.Contains(words, s.StringValue)
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if !x.isKeyword() {
				return nil, false
			}
			out := make(bitset, len(within))
			for _, word := range words {
				for _, key := range x.keys(word) {
					for _, row := range x.words[key] {
						out.add(row)
					}
				}
			}
			return out, true
		},
	}
}

// Except matches a field that has some other value; a null is none.
func exceptKeywords(words []string) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			s, ok := v.GetKind().(*pb.Value_StringValue)
			return !isNull(v) && !(ok && slices.Contains(words, s.StringValue))
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if !x.isKeyword() {
				return nil, false
			}
			var keys []string
			for _, word := range words {
				keys = append(keys, x.keys(word)...)
			}
			out := make(bitset, len(within))
			for word, list := range x.words {
				if slices.Contains(keys, word) {
					continue
				}
				for _, row := range list {
					out.add(row)
				}
			}
			return out, true
		},
	}
}

func integerTest(numbers []int64) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			n, ok := v.GetKind().(*pb.Value_IntegerValue)
			return ok && slices.Contains(numbers, n.IntegerValue)
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.schema.GetDataType() != pb.PayloadSchemaType_Integer {
				return nil, false
			}
			return x.ints.where(within, func(n int64) bool { return slices.Contains(numbers, n) }), true
		},
	}
}

func exceptIntegers(numbers []int64) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			n, ok := v.GetKind().(*pb.Value_IntegerValue)
			return !isNull(v) && !(ok && slices.Contains(numbers, n.IntegerValue))
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.schema.GetDataType() != pb.PayloadSchemaType_Integer {
				return nil, false
			}
			return x.ints.where(within, func(n int64) bool { return !slices.Contains(numbers, n) }), true
		},
	}
}

func boolTest(want bool) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			b, ok := v.GetKind().(*pb.Value_BoolValue)
			return ok && b.BoolValue == want
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.schema.GetDataType() != pb.PayloadSchemaType_Bool {
				return nil, false
			}
			if want {
				return x.yes.clone(), true
			}
			return x.no.clone(), true
		},
	}
}

func stringTest(f func(string) bool) func(*pb.Value) bool {
	return func(v *pb.Value) bool {
		s, ok := v.GetKind().(*pb.Value_StringValue)
		return ok && f(s.StringValue)
	}
}

// allWords are the rows that have every word; none for no words at all.
func (x *fieldIndex) allWords(words []string, within bitset) bitset {
	out := make(bitset, len(within))
	for i, word := range words {
		if i == 0 {
			out = x.rowsOf(word, within)
			continue
		}
		out.and(x.rowsOf(word, within))
	}
	return out
}

func textTest(text string) *fieldTest {
	return &fieldTest{
		check: stringTest(func(s string) bool { return strings.Contains(s, text) }),
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.tokens == nil {
				return nil, false
			}
			return x.allWords(x.tokens.words(text), within), true
		},
	}
}

func phraseTest(text string) *fieldTest {
	t := textTest(text)
	t.refine = func(x *fieldIndex, have string) bool { return x.tokens.phrase(have, x.tokens.words(text)) }
	return t
}

func anyWordTest(text string) *fieldTest {
	words := strings.Fields(text)
	return &fieldTest{
		check: stringTest(func(s string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
		}),
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.tokens == nil {
				return nil, false
			}
			out := make(bitset, len(within))
			for _, word := range x.tokens.words(text) {
				out.or(x.rowsOf(word, within))
			}
			return out, true
		},
	}
}

func newRangeTest(r numberRange[float64]) *fieldTest {
	return &fieldTest{
		check: func(v *pb.Value) bool {
			n, ok := number(v)
			return ok && r.holds(n)
		},
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			switch {
			case x.floats != nil:
				return x.floats.where(within, r.holds), true
			case x.ints != nil:
				return x.ints.where(within, func(n int64) bool { return r.holds(float64(n)) }), true
			}
			return nil, false
		},
	}
}

// newTimeTest compares times; an index of integers holds microseconds for it.
func newTimeTest(r timeRange) *fieldTest {
	return &fieldTest{
		check: stringTest(func(s string) bool {
			t, ok := parseTime(s)
			return ok && r.holds(t)
		}),
		indexed: func(x *fieldIndex, within bitset) (bitset, bool) {
			if x.ints == nil {
				return nil, false
			}
			return x.ints.where(within, r.micros().holds), true
		},
	}
}

// newCountTest counts the values of a field. A null and an empty list have 0.
func newCountTest(c *pb.ValuesCount) *fieldTest {
	return &fieldTest{whole: true, check: func(v *pb.Value) bool {
		n := uint64(1)
		if isNull(v) {
			n = 0
		} else if list, ok := v.GetKind().(*pb.Value_ListValue); ok {
			n = uint64(len(list.ListValue.GetValues()))
		}
		return (c.Gt == nil || n > *c.Gt) && (c.Gte == nil || n >= *c.Gte) &&
			(c.Lt == nil || n < *c.Lt) && (c.Lte == nil || n <= *c.Lte)
	}}
}
