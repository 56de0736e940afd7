package qdrant

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"

	"github.com/mneme-memory/mneme/embedded/qdrant/internal/wal"
)

// A collection is a set of points: tables in memory, and the log they are
// rebuilt from. Writers hold writing for the whole of a change and mu only
// while they touch the tables, so that readers never wait for the disk.
type collection struct {
	name   string // constant after opening
	dir    string
	logger *slog.Logger
	log    *wal.Log

	writing sync.Mutex
	seq     uint64 // of the last operation; guarded by writing
	alive   int64  // bytes the points would take in a fresh log; guarded by writing

	wasteful   atomic.Bool // the log is worth compacting
	compacting atomic.Bool

	mu       sync.RWMutex // guards all below
	gone     bool         // deleted: the log is closed
	changes  uint64       // records applied so far
	config   *pb.CollectionConfig
	ids      []pointID // by row
	versions []uint64
	payloads [][]byte
	live     bitset
	free     []uint32 // rows to use again
	byID     map[pointID]uint32
	order    idOrder
	dense    map[string]*denseTable
	sparse   map[string]*sparseIndex
	indexes  map[string]*fieldIndex
}

// shape makes the tables that the configuration asks for.
func (c *collection) shape(config *pb.CollectionConfig) {
	c.config = config
	if c.byID != nil {
		return // a later change of the configuration: the tables stay
	}
	c.byID = map[pointID]uint32{}
	c.indexes = map[string]*fieldIndex{}
	c.dense = map[string]*denseTable{}
	c.sparse = map[string]*sparseIndex{}
	for name, p := range denseParams(config) {
		c.dense[name] = newDenseTable(int(p.GetSize()), p.GetDistance())
	}
	for name, p := range config.GetParams().GetSparseVectorsConfig().GetMap() {
		c.sparse[name] = newSparseIndex(p.GetModifier() == pb.Modifier_Idf)
	}
}

// denseParams lists the dense vectors by name; the unnamed one is "".
func denseParams(config *pb.CollectionConfig) map[string]*pb.VectorParams {
	switch v := config.GetParams().GetVectorsConfig().GetConfig().(type) {
	case *pb.VectorsConfig_Params:
		return map[string]*pb.VectorParams{"": v.Params}
	case *pb.VectorsConfig_ParamsMap:
		return v.ParamsMap.GetMap()
	}
	return nil
}

// commit writes a record and applies it. The caller holds writing; the
// position is to be made durable without it.
func (c *collection) commit(r record) (int64, error) {
	c.seq++
	r.seq = c.seq
	for i := range r.points {
		r.points[i].version = r.seq
	}
	position, err := c.log.Append(r.encode())
	if err != nil {
		return 0, internal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.apply(r); err != nil {
		return 0, internal(err) // only a record that was never checked
	}
	c.wasteful.Store(c.log.Size() > compactFrom && c.log.Size() > 2*c.alive)
	return position, nil
}

// apply brings the tables up to date with a record.
func (c *collection) apply(r record) error {
	c.seq = max(c.seq, r.seq)
	c.changes++
	if r.kind != recordConfig && c.byID == nil {
		return fmt.Errorf("record of kind %d before the configuration", r.kind)
	}
	switch r.kind {
	case recordConfig:
		var config pb.CollectionConfig
		if err := proto.Unmarshal(r.message, &config); err != nil {
			return fmt.Errorf("read configuration: %w", err)
		}
		c.name = r.name
		c.shape(&config)
	case recordPut:
		return each(r.points, c.put)
	case recordDelete:
		for _, id := range r.ids {
			c.remove(id)
		}
	case recordPayload:
		return each(r.points, c.putPayload)
	case recordIndex:
		return c.putIndex(r.name, r.message)
	case recordNoIndex:
		delete(c.indexes, r.name)
	}
	return nil
}

func each(points []storedPoint, f func(*storedPoint) error) error {
	for i := range points {
		if err := f(&points[i]); err != nil {
			return err
		}
	}
	return nil
}

// rowFor finds the row of a point, or gives it one.
func (c *collection) rowFor(id pointID) uint32 {
	if row, ok := c.byID[id]; ok {
		return row
	}
	var row uint32
	if n := len(c.free); n > 0 {
		row, c.free = c.free[n-1], c.free[:n-1]
		c.ids[row] = id
	} else {
		row = uint32(len(c.ids))
		c.ids = append(c.ids, id)
		c.versions = append(c.versions, 0)
		c.payloads = append(c.payloads, nil)
	}
	c.byID[id] = row
	c.live.add(row)
	c.order.add(id)
	return row
}

// put replaces a point, payload and every vector.
func (c *collection) put(p *storedPoint) error {
	for _, v := range p.dense {
		if t := c.dense[v.name]; t == nil || t.dim != len(v.data) {
			return fmt.Errorf("vector %q of point %s does not fit the collection", v.name, p.id)
		}
	}
	if row, ok := c.byID[p.id]; ok {
		old := c.stored(row)
		c.alive -= old.size()
	}
	c.alive += p.size()
	row := c.rowFor(p.id)
	c.setPayload(row, p.payload)
	c.versions[row] = p.version
	for name, t := range c.dense {
		i := slices.IndexFunc(p.dense, func(v namedDense) bool { return v.name == name })
		if i < 0 {
			t.remove(row)
			continue
		}
		t.put(row, p.dense[i].data)
	}
	for name, s := range c.sparse {
		i := slices.IndexFunc(p.sparse, func(v namedSparse) bool { return v.name == name })
		if i < 0 {
			s.remove(row)
			continue
		}
		s.put(row, p.sparse[i].vec)
	}
	return nil
}

// setPayload stores a payload and brings the indexes up to date.
func (c *collection) setPayload(row uint32, payload []byte) {
	if len(c.indexes) > 0 {
		// Both were encoded here: they can be decoded.
		before, _ := decodePayload(c.payloads[row])
		after, _ := decodePayload(payload)
		for _, x := range c.indexes {
			x.put(row, before, after)
		}
	}
	c.payloads[row] = payload
}

func (c *collection) putPayload(p *storedPoint) error {
	row, ok := c.byID[p.id]
	if !ok {
		return nil
	}
	c.alive += int64(len(p.payload) - len(c.payloads[row]))
	c.setPayload(row, p.payload)
	c.versions[row] = p.version
	return nil
}

func (c *collection) remove(id pointID) {
	row, ok := c.byID[id]
	if !ok {
		return
	}
	p := c.stored(row)
	c.alive -= p.size()
	c.setPayload(row, nil)
	for _, t := range c.dense {
		t.remove(row)
	}
	for _, s := range c.sparse {
		s.remove(row)
	}
	delete(c.byID, id)
	c.live.remove(row)
	c.free = append(c.free, row)
}

// putIndex makes an index and fills it. The same again changes nothing.
func (c *collection) putIndex(field string, message []byte) error {
	var schema pb.PayloadSchemaInfo
	if err := proto.Unmarshal(message, &schema); err != nil {
		return fmt.Errorf("read index of %s: %w", field, err)
	}
	if old := c.indexes[field]; old != nil && proto.Equal(old.schema, &schema) {
		return nil
	}
	x, err := newFieldIndex(field, &schema)
	if err != nil {
		return err
	}
	for _, row := range c.byID {
		fields, err := decodePayload(c.payloads[row])
		if err != nil {
			return err
		}
		x.put(row, nil, fields)
	}
	c.indexes[field] = x
	return nil
}

// stored puts a point together again. Vectors point into the tables.
func (c *collection) stored(row uint32) storedPoint {
	p := storedPoint{id: c.ids[row], version: c.versions[row], payload: c.payloads[row]}
	for name, t := range c.dense {
		if v := t.get(row); v != nil {
			p.dense = append(p.dense, namedDense{name, v})
		}
	}
	for name, s := range c.sparse {
		if s.present.has(row) {
			p.sparse = append(p.sparse, namedSparse{name, s.vectors[row]})
		}
	}
	return p
}

const (
	// compactFrom is the log size below which nothing is worth compacting.
	compactFrom = 16 << 20
	// compactBatch is how many points go into one record of a fresh log.
	compactBatch = 256
)

// compactIfWasteful rewrites a log of which more than half is out of date.
// Readers go on meanwhile, writers wait.
func (c *collection) compactIfWasteful() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gone || c.log.Size() < compactFrom || c.log.Size() < 2*c.alive {
		return nil
	}
	if err := c.log.Replace(c.dump); err != nil {
		return fmt.Errorf("compact log of %s: %w", c.name, err)
	}
	c.wasteful.Store(false)
	return nil
}

// compact rewrites the log: the new log holds the present points and settings of the collection,
// and no entries that later ones replaced.
func (c *collection) compact() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.gone {
		return nil
	}
	if err := c.log.Replace(c.dump); err != nil {
		return fmt.Errorf("compact log of %s: %w", c.name, err)
	}
	c.wasteful.Store(false)
	return nil
}

// dump emits the records of which a fresh log consists. The caller holds
// writing, which keeps the tables as they are.
func (c *collection) dump(emit func([]byte) error) error {
	config, err := proto.Marshal(c.config)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	if err := emit(record{kind: recordConfig, seq: c.seq, name: c.name, message: config}.encode()); err != nil {
		return err
	}
	var batch []storedPoint
	for _, row := range slices.Sorted(maps.Values(c.byID)) {
		batch = append(batch, c.stored(row))
		if len(batch) == compactBatch {
			if err := emit(record{kind: recordPut, seq: c.seq, points: batch}.encode()); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		if err := emit(record{kind: recordPut, seq: c.seq, points: batch}.encode()); err != nil {
			return err
		}
	}
	for field, x := range c.indexes {
		message, err := proto.Marshal(x.schema)
		if err != nil {
			return fmt.Errorf("write index of %s: %w", field, err)
		}
		if err := emit(record{kind: recordIndex, seq: c.seq, name: field, message: message}.encode()); err != nil {
			return err
		}
	}
	return nil
}
