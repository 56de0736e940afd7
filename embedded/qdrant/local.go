package qdrant

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A local answers calls that come from this process, without a connection.
type local struct {
	guard   *guard
	methods map[string]localMethod // by full name; complete before the first call

	mu     sync.RWMutex // held for reading by each call that runs
	closed bool
}

// A localMethod is a method with the service that has it.
type localMethod struct {
	service any
	handle  grpc.MethodHandler
}

// RegisterService implements [grpc.ServiceRegistrar].
func (l *local) RegisterService(desc *grpc.ServiceDesc, service any) {
	for _, m := range desc.Methods {
		l.methods["/"+desc.ServiceName+"/"+m.MethodName] = localMethod{service, m.Handler}
	}
}

// close lets no more calls in, and waits for those that run.
func (l *local) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Local has the calls of a client in this process answered right here: what a connection costs,
// with its encryption and the changes between goroutines, is more than many calls do. The same
// methods answer behind the same guard, and messages are copied as if they had travelled. Give
// it to the client's connection as its last interceptor.
func (s *Server) Local() grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, _ *grpc.ClientConn, _ grpc.UnaryInvoker, _ ...grpc.CallOption) error {
		return s.local.call(ctx, method, req, reply)
	}
}

// call answers one call. Like a connection, it leaves a method that takes longer than the
// caller waits to itself.
func (l *local) call(ctx context.Context, method string, req, reply any) error {
	type answer struct {
		data []byte
		err  error
	}
	if err := ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	sent, err := marshal(req)
	if err != nil {
		return err
	}
	answered := make(chan answer, 1)
	go func() {
		data, err := l.answer(ctx, method, sent)
		answered <- answer{data, err}
	}()
	select {
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	case a := <-answered:
		if a.err != nil {
			return status.Convert(a.err).Err() // as it would arrive: with a code
		}
		return unmarshal(a.data, reply)
	}
}

func (l *local) answer(ctx context.Context, method string, sent []byte) ([]byte, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil, status.Error(codes.Unavailable, "the server is stopped")
	}
	m, ok := l.methods[method]
	if !ok {
		return nil, status.Errorf(codes.Unimplemented, "unknown method %s", method)
	}
	said, _ := metadata.FromOutgoingContext(ctx)
	ctx = metadata.NewIncomingContext(ctx, said)
	reply, err := m.handle(m.service, ctx, func(into any) error { return unmarshal(sent, into) }, l.guard.unary)
	if err != nil {
		return nil, err
	}
	return marshal(reply)
}

func marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, internal(fmt.Errorf("%T is no message", message))
	}
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, internal(fmt.Errorf("encode a message: %w", err))
	}
	return data, nil
}

func unmarshal(data []byte, into any) error {
	m, ok := into.(proto.Message)
	if !ok {
		return internal(fmt.Errorf("%T is no message", into))
	}
	if err := proto.Unmarshal(data, m); err != nil {
		return internal(fmt.Errorf("decode a message: %w", err))
	}
	return nil
}
