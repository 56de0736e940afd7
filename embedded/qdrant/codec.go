package qdrant

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// What a record of the log says. The numbers are on disk: never reuse one.
const (
	recordConfig  = 1 // the collection's name and configuration
	recordPut     = 2 // whole points, replacing those of the same id
	recordDelete  = 3 // ids
	recordPayload = 4 // new payloads of points that exist
	recordIndex   = 5 // a payload index: field and definition
	recordNoIndex = 6 // the field whose index is dropped
)

// A storedPoint is a point as the log and the tables hold it: vectors already
// normalised, the payload as a serialised Struct.
type storedPoint struct {
	id      pointID
	version uint64
	dense   []namedDense
	sparse  []namedSparse
	payload []byte
}

type namedDense struct {
	name string
	data []float32
}

type namedSparse struct {
	name string
	vec  sparseVector
}

// A sparseVector has its indices in ascending order, each once.
type sparseVector struct {
	indices []uint32
	values  []float32
}

// A record is the decoded form of one log record. Only the fields of its kind
// are set.
type record struct {
	kind    byte
	seq     uint64 // number of the operation
	points  []storedPoint
	ids     []pointID
	name    string // collection or field
	message []byte // serialised protobuf
}

func (r record) encode() []byte {
	b := []byte{r.kind}
	b = binary.AppendUvarint(b, r.seq)
	switch r.kind {
	case recordPut:
		b = binary.AppendUvarint(b, uint64(len(r.points)))
		for i := range r.points {
			b = appendPoint(b, &r.points[i])
		}
	case recordDelete:
		b = binary.AppendUvarint(b, uint64(len(r.ids)))
		for _, id := range r.ids {
			b = append(b, id[:]...)
		}
	case recordPayload:
		b = binary.AppendUvarint(b, uint64(len(r.points)))
		for _, p := range r.points {
			b = append(b, p.id[:]...)
			b = appendBytes(b, p.payload)
		}
	default:
		b = appendBytes(b, []byte(r.name))
		b = appendBytes(b, r.message)
	}
	return b
}

func appendBytes(b, data []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}

func appendPoint(b []byte, p *storedPoint) []byte {
	b = append(b, p.id[:]...)
	b = binary.AppendUvarint(b, p.version)
	b = binary.AppendUvarint(b, uint64(len(p.dense)))
	for _, v := range p.dense {
		b = appendBytes(b, []byte(v.name))
		b = binary.AppendUvarint(b, uint64(len(v.data)))
		b = appendFloats(b, v.data)
	}
	b = binary.AppendUvarint(b, uint64(len(p.sparse)))
	for _, v := range p.sparse {
		b = appendBytes(b, []byte(v.name))
		b = binary.AppendUvarint(b, uint64(len(v.vec.indices)))
		for _, index := range v.vec.indices {
			b = binary.LittleEndian.AppendUint32(b, index)
		}
		b = appendFloats(b, v.vec.values)
	}
	return appendBytes(b, p.payload)
}

func appendFloats(b []byte, data []float32) []byte {
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// size is about what a point takes in the log.
func (p *storedPoint) size() int64 {
	n := 32 + len(p.payload)
	for _, v := range p.dense {
		n += len(v.name) + 4*len(v.data)
	}
	for _, v := range p.sparse {
		n += len(v.name) + 8*len(v.vec.indices)
	}
	return int64(n)
}

var errShort = errors.New("record ends early")

// decodeRecord reads a record. Nothing of the result points into data.
func decodeRecord(data []byte) (record, error) {
	d := decoder{rest: data}
	r := record{kind: d.byte()}
	r.seq = d.uvarint()
	switch r.kind {
	case recordPut:
		for range d.count(len(pointID{}) + 4) {
			r.points = append(r.points, d.point())
		}
	case recordDelete:
		for range d.count(len(pointID{})) {
			r.ids = append(r.ids, d.id())
		}
	case recordPayload:
		for range d.count(len(pointID{}) + 1) {
			r.points = append(r.points, storedPoint{id: d.id(), version: r.seq, payload: d.bytes()})
		}
	case recordConfig, recordIndex, recordNoIndex:
		r.name = string(d.bytes())
		r.message = d.bytes()
	default:
		return r, fmt.Errorf("record of unknown kind %d", r.kind)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.err = fmt.Errorf("%d bytes too many in record", len(d.rest))
	}
	return r, d.err
}

// A decoder takes values off the front of rest. After a failure it returns
// zeros, so that one check at the end is enough.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n > len(d.rest) {
		d.fail()
		return nil
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errShort
	}
	d.rest = nil
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.err != nil || n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count reads how many items of at least size bytes follow, so that a damaged
// number cannot ask for more memory than there is data.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.rest)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte {
	return append([]byte(nil), d.take(d.count(1))...)
}

func (d *decoder) id() pointID {
	var id pointID
	copy(id[:], d.take(len(id)))
	return id
}

func (d *decoder) floats(n int) []float32 {
	raw := d.take(4 * n)
	if raw == nil {
		return nil
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

func (d *decoder) point() storedPoint {
	p := storedPoint{id: d.id(), version: d.uvarint()}
	for range d.count(2) {
		name := string(d.bytes())
		p.dense = append(p.dense, namedDense{name: name, data: d.floats(d.count(4))})
	}
	for range d.count(2) {
		name := string(d.bytes())
		n := d.count(8)
		p.sparse = append(p.sparse, namedSparse{name: name, vec: d.sparse(n)})
	}
	p.payload = d.bytes()
	return p
}

func (d *decoder) sparse(n int) sparseVector {
	var v sparseVector
	raw := d.take(4 * n)
	if raw == nil {
		return v
	}
	v.indices = make([]uint32, n)
	for i := range v.indices {
		v.indices[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	v.values = d.floats(n)
	return v
}
