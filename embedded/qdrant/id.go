package qdrant

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	pb "github.com/qdrant/go-client/qdrant"
)

// A pointID is a number or a UUID in a form that can be a map's key and that
// sorts as Qdrant sorts: numbers by value, then UUIDs.
type pointID [17]byte

const (
	kindNumber = 0
	kindUUID   = 1
)

func numberID(n uint64) pointID {
	id := pointID{kindNumber}
	binary.BigEndian.PutUint64(id[9:], n)
	return id
}

func compareIDs(a, b pointID) int { return bytes.Compare(a[:], b[:]) }

// parseID reads the id of a request.
func parseID(p *pb.PointId) (pointID, error) {
	if p == nil {
		return pointID{}, invalid("Empty ID is not allowed")
	}
	switch v := p.GetPointIdOptions().(type) {
	case *pb.PointId_Num:
		return numberID(v.Num), nil
	case *pb.PointId_Uuid:
		raw, ok := parseUUID(v.Uuid)
		if !ok {
			return pointID{}, invalid("Unable to parse UUID: %s", v.Uuid)
		}
		id := pointID{kindUUID}
		copy(id[1:], raw[:])
		return id, nil
	default:
		return pointID{}, invalid("No ID options provided")
	}
}

func parseIDs(list []*pb.PointId) ([]pointID, error) {
	ids := make([]pointID, len(list))
	for i, p := range list {
		id, err := parseID(p)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// parseUUID reads the four spellings Qdrant takes, in any case: with dashes,
// without, in braces, and as URN.
func parseUUID(s string) ([16]byte, bool) {
	var out [16]byte
	const urn = "urn:uuid:"
	switch {
	case len(s) == 38 && s[0] == '{' && s[37] == '}':
		s = s[1:37]
	case len(s) == 45 && s[:len(urn)] == urn:
		s = s[len(urn):]
	case len(s) == 32:
		_, err := hex.Decode(out[:], []byte(s))
		return out, err == nil
	}
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return out, false
	}
	digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	_, err := hex.Decode(out[:], []byte(digits))
	return out, err == nil
}

// formatUUID is the one spelling that comes back.
func formatUUID(raw []byte) string {
	var out [36]byte
	hex.Encode(out[:8], raw[:4])
	out[8] = '-'
	hex.Encode(out[9:13], raw[4:6])
	out[13] = '-'
	hex.Encode(out[14:18], raw[6:8])
	out[18] = '-'
	hex.Encode(out[19:23], raw[8:10])
	out[23] = '-'
	hex.Encode(out[24:], raw[10:16])
	return string(out[:])
}

func (id pointID) String() string {
	if id[0] == kindUUID {
		return formatUUID(id[1:])
	}
	return strconv.FormatUint(binary.BigEndian.Uint64(id[9:]), 10)
}

// message is the id as a response carries it.
func (id pointID) message() *pb.PointId {
	if id[0] == kindUUID {
		return pb.NewIDUUID(id.String())
	}
	return pb.NewIDNum(binary.BigEndian.Uint64(id[9:]))
}
