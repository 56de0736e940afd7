package qdrant

import (
	"context"
	"maps"
	"strings"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type collectionsService struct {
	pb.UnimplementedCollectionsServer
	store *store
}

// maxDimensions is Qdrant's own bound.
const maxDimensions = 65536

func done(start time.Time, ok bool, err error) (*pb.CollectionOperationResponse, error) {
	if err != nil {
		return nil, err
	}
	return &pb.CollectionOperationResponse{Result: ok, Time: time.Since(start).Seconds()}, nil
}

// Create makes a collection.
func (s *collectionsService) Create(_ context.Context, r *pb.CreateCollection) (*pb.CollectionOperationResponse, error) {
	start := time.Now()
	if err := checkCreate(r); err != nil {
		return nil, err
	}
	return done(start, true, s.store.create(r.GetCollectionName(), newConfig(r)))
}

func checkCreate(r *pb.CreateCollection) error {
	name := r.GetCollectionName()
	switch {
	case name == "" || len(name) > 255:
		return invalid("Validation error in body: [collection_name: value %q invalid, must be from 1 to 255 characters]", name)
	case strings.ContainsAny(name, "/\\\x00<>:\"|?*"):
		return invalid("Validation error in body: [collection_name: collection name cannot contain %q char]", "/")
	case r.ShardNumber != nil && r.GetShardNumber() == 0:
		return invalid("Validation error in body: [shard_number: value 0 invalid, must be 1 or larger]")
	case r.GetQuantizationConfig() != nil:
		return unsupported("quantization")
	}
	if err := checkHNSW(r.GetHnswConfig()); err != nil {
		return err
	}
	config := &pb.CollectionConfig{Params: &pb.CollectionParams{VectorsConfig: r.GetVectorsConfig()}}
	for _, p := range denseParams(config) {
		switch {
		case p.GetSize() == 0 || p.GetSize() > maxDimensions:
			return invalid("Validation error in body: [vectors_config.config.size: value %d invalid, must be from 1 to %d]", p.GetSize(), maxDimensions)
		case p.GetDistance() == pb.Distance_UnknownDistance:
			return invalid("Malformed distance parameter: %s", p.GetDistance())
		case p.GetMultivectorConfig() != nil:
			return unsupported("multi-vectors")
		}
	}
	return nil
}

func checkHNSW(h *pb.HnswConfigDiff) error {
	if h != nil && h.EfConstruct != nil && h.GetEfConstruct() < 4 {
		return invalid("Validation error in body: [hnsw_config.ef_construct: value %d invalid, must be 4 or larger]", h.GetEfConstruct())
	}
	return nil
}

// newConfig is what a collection's info shows: the request over Qdrant's
// defaults. Graphs, optimizers, shards and replicas are described although the
// server has none, so that a client reads back its own settings.
func newConfig(r *pb.CreateCollection) *pb.CollectionConfig {
	config := &pb.CollectionConfig{
		Params: &pb.CollectionParams{
			ShardNumber: max(1, r.GetShardNumber()), OnDiskPayload: true, VectorsConfig: r.GetVectorsConfig(),
			ReplicationFactor: proto.Uint32(max(1, r.GetReplicationFactor())), WriteConsistencyFactor: proto.Uint32(max(1, r.GetWriteConsistencyFactor())),
			SparseVectorsConfig: r.GetSparseVectorsConfig(),
		},
		HnswConfig: &pb.HnswConfigDiff{
			M: proto.Uint64(16), EfConstruct: proto.Uint64(100), FullScanThreshold: proto.Uint64(10000),
			MaxIndexingThreads: proto.Uint64(0), OnDisk: proto.Bool(false),
		},
		OptimizerConfig: &pb.OptimizersConfigDiff{
			DeletedThreshold: proto.Float64(0.2), VacuumMinVectorNumber: proto.Uint64(1000),
			DefaultSegmentNumber: proto.Uint64(0), IndexingThreshold: proto.Uint64(10000), FlushIntervalSec: proto.Uint64(5),
		},
		WalConfig: &pb.WalConfigDiff{
			WalCapacityMb: proto.Uint64(32), WalSegmentsAhead: proto.Uint64(0), WalRetainClosed: proto.Uint64(1),
		},
		Metadata: r.GetMetadata(),
	}
	if r.OnDiskPayload != nil {
		config.Params.OnDiskPayload = r.GetOnDiskPayload()
	}
	if config.Params.VectorsConfig.GetConfig() == nil {
		config.Params.VectorsConfig = &pb.VectorsConfig{Config: &pb.VectorsConfig_ParamsMap{ParamsMap: &pb.VectorParamsMap{}}}
	}
	proto.Merge(config.HnswConfig, orEmpty(r.GetHnswConfig()))
	proto.Merge(config.OptimizerConfig, orEmpty(r.GetOptimizersConfig()))
	proto.Merge(config.WalConfig, orEmpty(r.GetWalConfig()))
	return config
}

func orEmpty[T any, P interface {
	*T
	proto.Message
}](m P) P {
	if m == nil {
		return new(T)
	}
	return m
}

// Update changes a configuration. Search here is exact, so there is no graph
// to rebuild and nothing to wait for.
func (s *collectionsService) Update(_ context.Context, r *pb.UpdateCollection) (*pb.CollectionOperationResponse, error) {
	start := time.Now()
	if err := checkHNSW(r.GetHnswConfig()); err != nil {
		return nil, err
	}
	c, err := s.store.find(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	_, err = s.store.carryOut(c, true, func(c *collection) (*record, error) {
		config := proto.CloneOf(c.config)
		proto.Merge(config.HnswConfig, orEmpty(r.GetHnswConfig()))
		proto.Merge(config.OptimizerConfig, orEmpty(r.GetOptimizersConfig()))
		if err := updateVectorParams(config, r.GetVectorsConfig()); err != nil {
			return nil, err
		}
		if config.Metadata == nil {
			config.Metadata = map[string]*pb.Value{}
		}
		maps.Copy(config.Metadata, r.GetMetadata())
		message, err := proto.Marshal(config)
		return &record{kind: recordConfig, name: c.name, message: message}, err
	})
	return done(start, true, err)
}

func updateVectorParams(config *pb.CollectionConfig, diff *pb.VectorsConfigDiff) error {
	changes := diff.GetParamsMap().GetMap()
	if p := diff.GetParams(); p != nil {
		changes = map[string]*pb.VectorParamsDiff{"": p}
	}
	have := denseParams(config)
	for name, d := range changes {
		p := have[name]
		if p == nil {
			return noVector(name)
		}
		if d.GetHnswConfig() != nil {
			if p.HnswConfig == nil {
				p.HnswConfig = &pb.HnswConfigDiff{}
			}
			proto.Merge(p.HnswConfig, d.HnswConfig)
		}
		if d.OnDisk != nil {
			p.OnDisk = d.OnDisk
		}
	}
	return nil
}

// Delete drops a collection; a missing one is no error but a false.
func (s *collectionsService) Delete(_ context.Context, r *pb.DeleteCollection) (*pb.CollectionOperationResponse, error) {
	start := time.Now()
	ok, err := s.store.drop(r.GetCollectionName())
	return done(start, ok, err)
}

// List names all collections.
func (s *collectionsService) List(context.Context, *pb.ListCollectionsRequest) (*pb.ListCollectionsResponse, error) {
	out := &pb.ListCollectionsResponse{}
	for _, name := range s.store.names() {
		out.Collections = append(out.Collections, &pb.CollectionDescription{Name: name})
	}
	return out, nil
}

// CollectionExists looks for a collection or an alias.
func (s *collectionsService) CollectionExists(_ context.Context, r *pb.CollectionExistsRequest) (*pb.CollectionExistsResponse, error) {
	_, err := s.store.find(r.GetCollectionName())
	return &pb.CollectionExistsResponse{Result: &pb.CollectionExists{Exists: err == nil}}, nil
}

// Get describes a collection. It is always green: nothing runs behind it.
func (s *collectionsService) Get(_ context.Context, r *pb.GetCollectionInfoRequest) (*pb.GetCollectionInfoResponse, error) {
	start := time.Now()
	c, err := s.store.find(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	points := uint64(len(c.byID))
	var vectors uint64
	for _, t := range c.dense {
		vectors += uint64(t.n)
	}
	info := &pb.CollectionInfo{
		Status: pb.CollectionStatus_Green, OptimizerStatus: &pb.OptimizerStatus{Ok: true}, SegmentsCount: 1,
		Config: proto.CloneOf(c.config), PointsCount: &points, IndexedVectorsCount: &vectors,
		PayloadSchema: map[string]*pb.PayloadSchemaInfo{}, UpdateQueue: &pb.UpdateQueueInfo{},
	}
	for field, x := range c.indexes {
		info.PayloadSchema[field] = x.describe()
	}
	return &pb.GetCollectionInfoResponse{Result: info, Time: time.Since(start).Seconds()}, nil
}

// CollectionClusterInfo describes the one shard there is.
func (s *collectionsService) CollectionClusterInfo(_ context.Context, r *pb.CollectionClusterInfoRequest) (*pb.CollectionClusterInfoResponse, error) {
	c, err := s.store.find(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return &pb.CollectionClusterInfoResponse{
		PeerId: 1, ShardCount: 1,
		LocalShards: []*pb.LocalShardInfo{{PointsCount: uint64(len(c.byID))}},
	}, nil
}

// ListShardKeys has none to list.
func (s *collectionsService) ListShardKeys(_ context.Context, r *pb.ListShardKeysRequest) (*pb.ListShardKeysResponse, error) {
	_, err := s.store.find(r.GetCollectionName())
	return &pb.ListShardKeysResponse{}, err
}

// UpdateAliases makes, renames and deletes aliases: all of them or none.
func (s *collectionsService) UpdateAliases(_ context.Context, r *pb.ChangeAliases) (*pb.CollectionOperationResponse, error) {
	start := time.Now()
	return done(start, true, s.store.changeAliases(r.GetActions()))
}

// ListAliases lists all aliases.
func (s *collectionsService) ListAliases(context.Context, *pb.ListAliasesRequest) (*pb.ListAliasesResponse, error) {
	return s.store.listAliases(""), nil
}

// ListCollectionAliases lists those of one collection.
func (s *collectionsService) ListCollectionAliases(_ context.Context, r *pb.ListCollectionAliasesRequest) (*pb.ListAliasesResponse, error) {
	return s.store.listAliases(r.GetCollectionName()), nil
}

func (s *store) listAliases(of string) *pb.ListAliasesResponse {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := &pb.ListAliasesResponse{}
	for alias, target := range s.aliases {
		if of == "" || of == target {
			out.Aliases = append(out.Aliases, &pb.AliasDescription{AliasName: alias, CollectionName: target})
		}
	}
	return out
}

func (s *store) changeAliases(actions []*pb.AliasOperations) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	before := s.aliases
	s.aliases = maps.Clone(before)
	var err error
	for _, action := range actions {
		if err = s.changeAlias(action); err != nil {
			s.aliases = before
			break
		}
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := s.saveAliases(); err != nil {
		return internal(err)
	}
	return nil
}

// changeAlias carries out one action. The caller holds mu.
func (s *store) changeAlias(action *pb.AliasOperations) error {
	switch a := action.GetAction().(type) {
	case *pb.AliasOperations_CreateAlias:
		name, target := a.CreateAlias.GetAliasName(), a.CreateAlias.GetCollectionName()
		if s.collections[name] != nil {
			return alreadyExists(name)
		}
		if s.collections[target] == nil {
			return noCollection(target)
		}
		s.aliases[name] = target
	case *pb.AliasOperations_RenameAlias:
		old, name := a.RenameAlias.GetOldAliasName(), a.RenameAlias.GetNewAliasName()
		target, ok := s.aliases[old]
		if !ok {
			return status.Errorf(codes.NotFound, "Not found: Alias %s does not exists!", old)
		}
		if s.collections[name] != nil {
			return alreadyExists(name)
		}
		delete(s.aliases, old)
		s.aliases[name] = target
	case *pb.AliasOperations_DeleteAlias:
		delete(s.aliases, a.DeleteAlias.GetAliasName())
	default:
		return invalid("Malformed AliasOperation type")
	}
	return nil
}
