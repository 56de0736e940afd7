// Package qdrant finds memories with Qdrant. It is the only place that knows
// Qdrant, speaks to it through the official client alone, and is the same for
// a server of the user's, a child process and the embedded one: only the
// address differs.
//
// Each of the seven collections has one unnamed dense vector (Cosine) and one
// sparse vector "keyword" whose inverse document frequency the server adds.
// The point's id is the memory's; the payload holds all that filters and
// ranking need, so that an answer needs no look into the ledger. The ledger is
// the truth: whatever is here can be written again from there.
//
// A collection's metadata name the ledger that it is made for, and every call
// goes to an alias that carries the same name: see [Ledger].
package qdrant

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/mneme-memory/mneme/memory"
)

// The deadlines of one call, unless the context's is earlier.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultLongTimeout = 2 * time.Minute // creating collections, reading them whole
)

// maxMessage bounds one gRPC message. The default of 4 MiB is too small for a
// batch of 500 memories with vectors of 768 numbers.
const maxMessage = 64 << 20

// Sparse makes a sparse vector of a text: term numbers and their weights.
type Sparse func(text string) (indices []uint32, values []float32)

// Options say where Qdrant is and how words become sparse vectors.
type Options struct {
	Address  string      // host:port of gRPC; required
	Document Sparse      // weights of a stored text's terms; required
	Query    Sparse      // weights of a query's terms; required
	Ledger   Ledger      // whose index it is; required
	APIKey   string      // sent with every call; none if empty
	TLS      *tls.Config // how to encrypt; nil means in the clear

	// Local answers the calls when the server is in this process. Nil means that they go to Address.
	Local grpc.UnaryClientInterceptor

	// Prefix begins the names of the collections, so that several ledgers can share
	// a server. Empty means none.
	Prefix string
	// Private says that nobody else uses the server. What an earlier mneme made
	// there, without saying for which ledger, is then this ledger's.
	Private bool

	Timeout     time.Duration // of one call; zero means DefaultTimeout
	LongTimeout time.Duration // of a long one; zero means DefaultLongTimeout
}

// Index is Qdrant as the activities see it. It may be shared.
type Index struct {
	client  *qdrant.Client
	options Options
	claims  map[string]*claim // by collection

	generation string // see [Index.Of]; "" for the first
}

// Open prepares the connection, which is made at the first call; an absent
// server is no error yet.
func Open(o Options) (*Index, error) {
	host, portText, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, "give host:port of Qdrant's gRPC, which is usually 6334",
			"address of Qdrant %q: %w", o.Address, err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, memory.Errorf(memory.Invalid, "give host:port of Qdrant's gRPC, which is usually 6334",
			"port of Qdrant %q is not a number", portText)
	}
	if o.Document == nil || o.Query == nil || o.Ledger == nil {
		return nil, memory.Errorf(memory.Internal, "", "open Qdrant: no function for sparse vectors, or no ledger")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.LongTimeout == 0 {
		o.LongTimeout = DefaultLongTimeout
	}
	config := &qdrant.Config{
		Host: host, Port: int(port), APIKey: o.APIKey, UseTLS: o.TLS != nil, TLSConfig: o.TLS,
		// The check would connect now, and only log what it finds.
		SkipCompatibilityCheck: true,
		// Calls share one connection well. Pings would make a server written
		// in Go hang up on an idle client that sends them this often.
		PoolSize: 1, KeepAliveTime: -1,
		GrpcOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage))},
	}
	if o.APIKey != "" && o.TLS == nil && loopback(host) {
		// The client warns of a key sent in the clear, wherever to. What does
		// not leave the machine is sent here instead; of all else it may warn.
		config.APIKey = ""
		config.GrpcOptions = append(config.GrpcOptions, grpc.WithChainUnaryInterceptor(sendKey(o.APIKey)))
	}
	if o.Local != nil { // behind all that adds to a call
		config.GrpcOptions = append(config.GrpcOptions, grpc.WithChainUnaryInterceptor(o.Local))
	}
	client, err := qdrant.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("open Qdrant at %s: %w", o.Address, err)
	}
	return &Index{client: client, options: o, claims: newClaims()}, nil
}

// loopback tells addresses on this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sendKey sends a key with every call, as the client does.
func sendKey(key string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return invoke(metadata.AppendToOutgoingContext(ctx, "api-key", key), method, req, reply, conn, opts...)
	}
}

// Close ends the connection.
func (x *Index) Close() error {
	if err := x.client.Close(); err != nil {
		return fmt.Errorf("close Qdrant: %w", err)
	}
	return nil
}

// Version returns the server's version, and so tells whether it answers.
func (x *Index) Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, x.options.Timeout)
	defer cancel()
	reply, err := x.client.HealthCheck(ctx)
	if err != nil {
		return "", x.explain("ask for the version", err)
	}
	return reply.GetVersion(), nil
}
