package durability

import (
	"context"
	"fmt"
	"net"
	"path"
	"strings"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// raw is a message that nobody looks into on its way.
type raw struct{ bytes []byte }

type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) ([]byte, error) {
	m, ok := v.(*raw)
	if !ok {
		return nil, fmt.Errorf("marshal %T", v)
	}
	return m.bytes, nil
}

func (rawCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(*raw)
	if !ok {
		return fmt.Errorf("unmarshal %T", v)
	}
	m.bytes = append([]byte(nil), data...)
	return nil
}

const maxMessage = 64 << 20

// proxyGRPC passes unary calls on to target. Those that counts has an opinion
// of go through the gate; those for which refuse has an error end with it.
func proxyGRPC(t testing.TB, g *gate, target string, counts func(method string, answer []byte) bool, refuse func(method string) error) string {
	t.Helper()
	backend, err := grpc.NewClient("passthrough:///"+target,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		t.Fatal(err)
	}
	handler := func(_ any, stream grpc.ServerStream) error {
		var in, out raw
		if err := stream.RecvMsg(&in); err != nil {
			return err
		}
		full, _ := grpc.MethodFromServerStream(stream)
		method := path.Base(full)
		if counts(method, nil) && !g.pass("> %s", method) {
			return status.Error(codes.Unavailable, "killed")
		}
		if err := refuse(method); err != nil {
			return err
		}
		ctx := stream.Context()
		if md, ok := metadata.FromIncomingContext(ctx); ok {
			ctx = metadata.NewOutgoingContext(ctx, withoutReserved(md))
		}
		err := backend.Invoke(ctx, full, &in, &out)
		if (counts(method, nil) || err == nil && counts(method, out.bytes)) && !g.pass("< %s", method) {
			return status.Error(codes.Unavailable, "killed")
		}
		if err != nil {
			return err
		}
		return stream.SendMsg(&out)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(rawCodec{}), grpc.UnknownServiceHandler(handler),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage))
	listener := listen(t, g)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); _ = backend.Close() })
	return listener.Addr().String()
}

func withoutReserved(md metadata.MD) metadata.MD {
	out := metadata.MD{}
	for key, values := range md {
		if !strings.HasPrefix(key, ":") && !strings.HasPrefix(key, "grpc-") && key != "content-type" && key != "user-agent" {
			out[key] = values
		}
	}
	return out
}

// refuseQdrant is for Qdrant.
func (g *gate) refuseQdrant(method string) error {
	if refuse := g.refusing().qdrant; refuse != nil {
		return refuse(method)
	}
	return nil
}

// refuseNothing is for Temporal.
func refuseNothing(string) error { return nil }

// everyCall is for Qdrant.
func everyCall(_ string, answer []byte) bool { return answer == nil }

// taskCalls is for Temporal: tasks that are handed out and results that are
// handed in, not the polls that come back empty.
func taskCalls(method string, answer []byte) bool {
	switch {
	case strings.HasPrefix(method, "Respond"):
		return answer == nil
	case answer == nil:
		return false
	case method == "PollWorkflowTaskQueue":
		var reply workflowservice.PollWorkflowTaskQueueResponse
		return proto.Unmarshal(answer, &reply) == nil && len(reply.GetTaskToken()) > 0
	case method == "PollActivityTaskQueue":
		var reply workflowservice.PollActivityTaskQueueResponse
		return proto.Unmarshal(answer, &reply) == nil && len(reply.GetTaskToken()) > 0
	default:
		return false
	}
}

func listen(t testing.TB, g *gate) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return watched{listener, g}
}
