package qdrant

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
)

// scrollPage is how many points are read at once.
const scrollPage = 500

// Digest counts a collection's points and hashes all they hold. It equals
// [DigestOf] of the records that the collection should hold.
func (x *Index) Digest(ctx context.Context, collection string) (activities.Digest, error) {
	var d digest
	var from *qdrant.PointId
	for {
		points, next, err := x.scroll(ctx, collection, from)
		if err != nil {
			return activities.Digest{}, err
		}
		for _, p := range points {
			r := memory.Record{Memory: fromPayload(p.GetId().GetUuid(), collection, p.GetPayload())}
			r.Vector = denseOf(p.GetVectors())
			d.add(r, r.Vector)
		}
		if next == nil {
			return d.sum(), nil
		}
		from = next
	}
}

func (x *Index) scroll(ctx context.Context, collection string, from *qdrant.PointId) ([]*qdrant.RetrievedPoint, *qdrant.PointId, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.LongTimeout)
	defer cancel()
	var points []*qdrant.RetrievedPoint
	var next *qdrant.PointId
	err := x.with(ctx, collection, func(name string) (err error) {
		points, next, err = x.client.ScrollAndOffset(ctx, &qdrant.ScrollPoints{
			CollectionName: name, Offset: from, Limit: qdrant.PtrOf(uint32(scrollPage)),
			WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectorsInclude(""),
		})
		return x.explain("read "+collection, err)
	})
	return points, next, err
}

// denseOf finds the unnamed vector, which comes back alone or in a map.
func denseOf(v *qdrant.VectorsOutput) memory.Vector {
	if named := v.GetVectors().GetVectors(); named != nil {
		return numbers(named[""])
	}
	return numbers(v.GetVector())
}

func numbers(v *qdrant.VectorOutput) memory.Vector {
	if dense := v.GetDense(); dense != nil {
		return dense.GetData()
	}
	return v.GetData() //nolint:staticcheck // older servers fill only this field
}

// DigestOf is the digest that an index holding exactly these records has. The
// vector enters with the unit length in which it is sent: Qdrant keeps such a
// vector as it is, so the two agree to the last bit.
func DigestOf(records []memory.Record) activities.Digest {
	var d digest
	for _, r := range records {
		d.add(r, r.Vector.Unit())
	}
	return d.sum()
}

// digest adds records up; their order does not matter.
type digest struct {
	count int
	xor   [sha256.Size]byte
}

func (d *digest) add(r memory.Record, unit memory.Vector) {
	sum := sha256.Sum256(canonical(r.Memory, unit))
	for i := range d.xor {
		d.xor[i] ^= sum[i]
	}
	d.count++
}

func (d *digest) sum() activities.Digest {
	return activities.Digest{Count: d.count, Hash: hex.EncodeToString(d.xor[:])}
}

// canonical writes down all that a point holds, each part after its length,
// so that no two points are written the same.
func canonical(m memory.Memory, unit memory.Vector) []byte {
	expires := ""
	if m.ExpiresAt != nil {
		expires = timeText(*m.ExpiresAt)
	}
	position := m.Position
	if m.Session == "" {
		position = 0 // a place in no session is not kept
	}
	var b []byte
	for _, part := range []string{
		m.ID, m.Collection, m.Project, m.Type, strings.Join(m.Tags, "\n"), m.Text, bits(m.Confidence), bits(m.Importance),
		strconv.FormatBool(m.Pinned), strconv.Itoa(m.AccessCount), timeText(m.CreatedAt), timeText(m.LastAccessed), expires,
		m.Source, m.Session, strconv.Itoa(position), m.ContentHash, m.Model, string(unit.Bytes()),
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// bits writes a float32's worth of a number: PostgreSQL may keep no more.
func bits(f float64) string { return strconv.FormatUint(uint64(math.Float32bits(float32(f))), 16) }
