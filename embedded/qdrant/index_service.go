package qdrant

import (
	"context"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

// schemaTypes are the kinds of index by the name a request gives them.
var schemaTypes = [...]struct {
	field  pb.FieldType
	schema pb.PayloadSchemaType
}{
	{pb.FieldType_FieldTypeKeyword, pb.PayloadSchemaType_Keyword},
	{pb.FieldType_FieldTypeInteger, pb.PayloadSchemaType_Integer},
	{pb.FieldType_FieldTypeFloat, pb.PayloadSchemaType_Float},
	{pb.FieldType_FieldTypeGeo, pb.PayloadSchemaType_Geo},
	{pb.FieldType_FieldTypeText, pb.PayloadSchemaType_Text},
	{pb.FieldType_FieldTypeBool, pb.PayloadSchemaType_Bool},
	{pb.FieldType_FieldTypeDatetime, pb.PayloadSchemaType_Datetime},
	{pb.FieldType_FieldTypeUuid, pb.PayloadSchemaType_Uuid},
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
		if kind := kindOf(params); kind != pb.PayloadSchemaType_UnknownType && kind != t.schema {
			return nil, invalid("field_type (%s) and field_index_params do not match", t.schema)
		}
		return &pb.PayloadSchemaInfo{DataType: t.schema, Params: params}, nil
	}
	return nil, invalid("cannot convert field_type")
}

func kindOf(p *pb.PayloadIndexParams) pb.PayloadSchemaType {
	switch p.GetIndexParams().(type) {
	case *pb.PayloadIndexParams_KeywordIndexParams:
		return pb.PayloadSchemaType_Keyword
	case *pb.PayloadIndexParams_IntegerIndexParams:
		return pb.PayloadSchemaType_Integer
	case *pb.PayloadIndexParams_FloatIndexParams:
		return pb.PayloadSchemaType_Float
	case *pb.PayloadIndexParams_GeoIndexParams:
		return pb.PayloadSchemaType_Geo
	case *pb.PayloadIndexParams_TextIndexParams:
		return pb.PayloadSchemaType_Text
	case *pb.PayloadIndexParams_BoolIndexParams:
		return pb.PayloadSchemaType_Bool
	case *pb.PayloadIndexParams_DatetimeIndexParams:
		return pb.PayloadSchemaType_Datetime
	case *pb.PayloadIndexParams_UuidIndexParams:
		return pb.PayloadSchemaType_Uuid
	}
	return pb.PayloadSchemaType_UnknownType
}
