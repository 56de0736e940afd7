package qdrant

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The texts are Qdrant's own, so that a search for one leads to Qdrant's
// documentation.

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

func wrongInput(format string, args ...any) error { return invalid("Wrong input: "+format, args...) }

func noCollection(name string) error {
	return status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
}

func noPoint(id pointID) error {
	return status.Errorf(codes.NotFound, "Not found: No point with id %s found", id)
}

func noVector(name string) error { return wrongInput("Not existing vector name error: %s", name) }

func wrongSize(want, got int) error {
	return wrongInput("Vector dimension error: expected dim: %d, got %d", want, got)
}

// unsupported says that a real Qdrant would be needed.
func unsupported(what string) error {
	return status.Errorf(codes.Unimplemented, "%s: not offered by the embedded server; use a real Qdrant", what)
}

// internal is a failure of the store, as opposed to one of the request.
func internal(err error) error {
	return status.Errorf(codes.Internal, "Service internal error: %v", err)
}

func alreadyExists(name string) error {
	return status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", name)
}
