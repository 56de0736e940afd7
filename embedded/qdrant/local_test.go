package qdrant_test

import (
	"context"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

// nearby returns a client that calls a server of the same process through [qdrant.Server.Local].
// No server listens on the client's address, so no answer can have come over a connection.
func nearby(t *testing.T, s *qdrant.Server, key string) *pb.Client {
	t.Helper()
	client, err := pb.NewClient(&pb.Config{
		Host: "127.0.0.1", Port: 1, APIKey: key, SkipCompatibilityCheck: true,
		GrpcOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(s.Local())},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestLocalAsksForTheKey(t *testing.T) {
	t.Parallel()
	s := start(t, qdrant.Options{Dir: t.TempDir(), APIKey: "right", ReadOnlyAPIKey: "read"})
	for key, want := range map[string]codes.Code{"right": codes.OK, "wrong": codes.Unauthenticated, "": codes.Unauthenticated} {
		if _, err := nearby(t, s, key).ListCollections(t.Context()); status.Code(err) != want {
			t.Errorf("with key %q: %v, want %v", key, err, want)
		}
	}
	if err := nearby(t, s, "read").DeleteCollection(t.Context(), "x"); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a key for reading deletes: %v", err)
	}
}

func TestLocalEndsWithTheServer(t *testing.T) {
	t.Parallel()
	s := start(t, qdrant.Options{Dir: t.TempDir()})
	client := nearby(t, s, "")
	if _, err := client.HealthCheck(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.HealthCheck(t.Context()); status.Code(err) != codes.Unavailable {
		t.Errorf("a stopped server answers %v", err)
	}
}

func TestLocalLeavesWhoWaitsNoLonger(t *testing.T) {
	t.Parallel()
	s := start(t, qdrant.Options{Dir: t.TempDir()})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := nearby(t, s, "").ListCollections(over); status.Code(err) != codes.Canceled {
		t.Errorf("answered %v", err)
	}
}

func TestLocalRefusesWhatItHasNot(t *testing.T) {
	t.Parallel()
	s := start(t, qdrant.Options{Dir: t.TempDir()})
	call := s.Local()
	err := call(t.Context(), "/qdrant.Points/Fly", &pb.HealthCheckRequest{}, &pb.HealthCheckReply{}, nil, nil)
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("an unknown method: %v", err)
	}
	if err := call(t.Context(), "/qdrant.Qdrant/HealthCheck", "text", &pb.HealthCheckReply{}, nil, nil); status.Code(err) != codes.Internal {
		t.Errorf("no message: %v", err)
	}
}
