package qdrant

import (
	"errors"
	"fmt"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A payload is stored as the wire format of a Struct, whose entries are those
// of the payload of a ScoredPoint and a RetrievedPoint but for the number of
// the field. So a payload goes out nearly as it is stored: to decode it into a
// map and to encode that again took most of the time of a search.
const pointPayload protowire.Number = 2

var errPayload = errors.New("stored payload is no list of entries")

// attach gives a message that has a payload what of a stored one is wanted.
// The entries become unknown fields, which encoding copies as they are; so the
// payload cannot be read here, only by who receives the message.
func (s payloadSelector) attach(data []byte, to protoreflect.Message) error {
	if s.none() || len(data) == 0 {
		return nil
	}
	keys, plain := s.keys()
	if !s.all && !plain {
		fields, err := s.apply(data)
		if err != nil {
			return err
		}
		if data, err = proto.Marshal(&pb.Struct{Fields: fields}); err != nil {
			return internal(fmt.Errorf("encode payload: %w", err))
		}
	}
	entries, err := entriesOf(data, func(key []byte) bool { return !plain || keys[string(key)] })
	if err != nil {
		return internal(err)
	}
	to.SetUnknown(entries)
	return nil
}

// keys are the whole fields that a selector includes, if it asks for nothing
// that lies inside of one.
func (s payloadSelector) keys() (map[string]bool, bool) {
	if s.include == nil {
		return nil, false
	}
	keys := make(map[string]bool, len(s.include))
	for _, path := range s.include {
		if len(path) != 1 || path[0].kind != stepKey {
			return nil, false
		}
		keys[path[0].key] = true
	}
	return keys, true
}

// entriesOf copies the entries of a stored payload that are wanted, numbered
// as those of a point.
func entriesOf(data []byte, wanted func(key []byte) bool) ([]byte, error) {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		_, kind, tag := protowire.ConsumeTag(data)
		if tag < 0 || kind != protowire.BytesType {
			return nil, errPayload
		}
		entry, length := protowire.ConsumeBytes(data[tag:])
		if length < 0 {
			return nil, errPayload
		}
		key, err := fieldOf(entry)
		if err != nil {
			return nil, err
		}
		if wanted(key) {
			out = protowire.AppendTag(out, pointPayload, protowire.BytesType)
			out = append(out, data[tag:tag+length]...)
		}
		data = data[tag+length:]
	}
	return out, nil
}

// fieldOf is the first field of an entry, where every encoder writes it.
func fieldOf(entry []byte) ([]byte, error) {
	number, kind, tag := protowire.ConsumeTag(entry)
	if tag < 0 || number != 1 || kind != protowire.BytesType {
		return nil, errPayload
	}
	key, length := protowire.ConsumeBytes(entry[tag:])
	if length < 0 {
		return nil, errPayload
	}
	return key, nil
}
