package qdrant

import (
	"context"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// schemaTypes are the kinds of index: the name a request gives them, the name
// they are shown by, and which parameters are theirs.
var schemaTypes = [...]struct {
	field  pb.FieldType
	schema pb.PayloadSchemaType
	owns   func(params any) bool
}{
	{pb.FieldType_FieldTypeKeyword, pb.PayloadSchemaType_Keyword, is[*pb.PayloadIndexParams_KeywordIndexParams]},
	{pb.FieldType_FieldTypeInteger, pb.PayloadSchemaType_Integer, is[*pb.PayloadIndexParams_IntegerIndexParams]},
	{pb.FieldType_FieldTypeFloat, pb.PayloadSchemaType_Float, is[*pb.PayloadIndexParams_FloatIndexParams]},
	{pb.FieldType_FieldTypeGeo, pb.PayloadSchemaType_Geo, is[*pb.PayloadIndexParams_GeoIndexParams]},
	{pb.FieldType_FieldTypeText, pb.PayloadSchemaType_Text, is[*pb.PayloadIndexParams_TextIndexParams]},
	{pb.FieldType_FieldTypeBool, pb.PayloadSchemaType_Bool, is[*pb.PayloadIndexParams_BoolIndexParams]},
	{pb.FieldType_FieldTypeDatetime, pb.PayloadSchemaType_Datetime, is[*pb.PayloadIndexParams_DatetimeIndexParams]},
	{pb.FieldType_FieldTypeUuid, pb.PayloadSchemaType_Uuid, is[*pb.PayloadIndexParams_UuidIndexParams]},
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// CreateFieldIndex makes a payload index.
func (s *pointsService) CreateFieldIndex(_ context.Context, r *pb.CreateFieldIndexCollection) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		schema, err := newSchema(r)
		if err != nil {
			return nil, err
		}
		if _, err := newFieldIndex(r.GetFieldName(), schema); err != nil {
			return nil, err
		}
		message, err := proto.Marshal(schema)
		if err != nil {
			return nil, invalid("index: %v", err)
		}
		return func(*collection) (*record, error) {
			return &record{kind: recordIndex, name: r.GetFieldName(), message: message}, nil
		}, nil
	})
}

// DeleteFieldIndex drops a payload index; a missing one is no error.
func (s *pointsService) DeleteFieldIndex(_ context.Context, r *pb.DeleteFieldIndexCollection) (*pb.PointsOperationResponse, error) {
	return s.write(r.GetCollectionName(), r.GetWait(), func() (change, error) {
		return func(*collection) (*record, error) {
			return &record{kind: recordNoIndex, name: r.GetFieldName()}, nil
		}, nil
	})
}

func newSchema(r *pb.CreateFieldIndexCollection) (*pb.PayloadSchemaInfo, error) {
	if r.GetFieldName() == "" {
		return nil, invalid("Validation error in body: [field_name: value %q invalid, must be at least 1 characters]", "")
	}
	params := r.GetFieldIndexParams()
	if p := params.GetIntegerIndexParams(); p != nil && p.Lookup != nil && !p.GetLookup() && p.Range != nil && !p.GetRange() {
		return nil, invalid("Validation error in body: [field_index_params.index_params.lookup: Validation error: the 'lookup' and 'range' capabilities can't be both disabled [{}]]")
	}
	if r.FieldType == nil {
		return nil, invalid("cannot convert field_type")
	}
	for _, t := range schemaTypes {
		if t.field != r.GetFieldType() {
			continue
		}
		if given := params.GetIndexParams(); given != nil && !t.owns(given) {
			return nil, invalid("field_type (%s) and field_index_params do not match", t.schema)
		}
		return &pb.PayloadSchemaInfo{DataType: t.schema, Params: params}, nil
	}
	return nil, invalid("cannot convert field_type")
}
