package qdrant

import (
	"maps"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// TestAttachedPayload sends random payloads through random selections: who
// receives the message must read what decoding and picking gives.
func TestAttachedPayload(t *testing.T) {
	t.Parallel()
	paths := rapid.SampledFrom([]string{"a", "b", "deep.a", "deep.b", "none", "list[]"})
	selectors := []func(t *rapid.T) *pb.WithPayloadSelector{
		func(*rapid.T) *pb.WithPayloadSelector { return pb.NewWithPayload(true) },
		func(*rapid.T) *pb.WithPayloadSelector { return pb.NewWithPayload(false) },
		func(t *rapid.T) *pb.WithPayloadSelector {
			return pb.NewWithPayloadInclude(rapid.SliceOf(paths).Draw(t, "include")...)
		},
		func(t *rapid.T) *pb.WithPayloadSelector {
			return pb.NewWithPayloadExclude(rapid.SliceOf(paths).Draw(t, "exclude")...)
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		flat := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.String())
		fields := map[string]*pb.Value{"list": pb.NewValueFromList(pb.NewValueInt(1), pb.NewValueNull())}
		deep := map[string]*pb.Value{}
		for name, text := range flat.Draw(t, "fields") {
			fields[name] = pb.NewValueString(text)
		}
		for name, text := range flat.Draw(t, "deep") {
			deep[name] = pb.NewValueString(text)
		}
		fields["deep"] = pb.NewValueStruct(&pb.Struct{Fields: deep})
		data, err := encodePayload(fields)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newPayloadSelector(rapid.SampledFrom(selectors).Draw(t, "selector")(t), false)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.apply(data)
		if err != nil {
			t.Fatal(err)
		}
		var got pb.RetrievedPoint
		receive(t, s, data, &pb.RetrievedPoint{Id: pb.NewIDNum(7)}, &got)
		var scored pb.ScoredPoint
		receive(t, s, data, &pb.ScoredPoint{Score: .5}, &scored)
		equal := func(a, b *pb.Value) bool { return proto.Equal(a, b) }
		if !maps.EqualFunc(got.GetPayload(), want, equal) || !maps.EqualFunc(scored.GetPayload(), want, equal) {
			t.Fatalf("got %v and %v, want %v", got.GetPayload(), scored.GetPayload(), want)
		}
		if got.GetId().GetNum() != 7 || scored.GetScore() != .5 {
			t.Fatal("the other fields are gone")
		}
	})
}

// receive sends a message with a payload over the wire.
func receive(t *rapid.T, s payloadSelector, data []byte, from, to proto.Message) {
	if err := s.attach(data, from.ProtoReflect()); err != nil {
		t.Fatal(err)
	}
	wire, err := proto.Marshal(from)
	if err == nil {
		err = proto.Unmarshal(wire, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzEntries reads payloads as a damaged log could hold them: never a panic.
func FuzzEntries(f *testing.F) {
	data, err := encodePayload(map[string]*pb.Value{"a": pb.NewValueString("text"), "b": pb.NewValueInt(3)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{0x0a, 0x03, 0x0a, 0x05})
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := entriesOf(data, func([]byte) bool { return true })
		if err != nil {
			return
		}
		none, err := entriesOf(data, func([]byte) bool { return false })
		if err != nil || len(none) > 0 || len(whole) == 0 && len(data) > 0 {
			t.Errorf("all: %d bytes of %d, none: %d bytes, %v", len(whole), len(data), len(none), err)
		}
	})
}
