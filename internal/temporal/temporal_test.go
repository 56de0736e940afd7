package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/internal/testkit/pki"
	"github.com/mneme-memory/mneme/memory"
)

// gate answers the first question of every client, and notes the key it shows.
type gate struct {
	workflowservice.UnimplementedWorkflowServiceServer
	shown atomic.Value
}

func (g *gate) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	g.shown.Store(strings.Join(md.Get("authorization"), " "))
	return &workflowservice.GetSystemInfoResponse{Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{}}, nil
}

// serve starts a server that wants TLS and a certificate.
func serve(t *testing.T, a *pki.Authority) (address string, g *gate) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g = &gate{}
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(a.Server(t))))
	workflowservice.RegisterWorkflowServiceServer(s, g)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Error(err)
		}
	})
	return l.Addr().String(), g
}

func TestDialOverTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := pki.New(t), pki.New(t)
	address, g := serve(t, ours)
	full := config.TLS{On: true, CA: ours.CA, Cert: ours.Cert, Key: ours.Key}
	for name, c := range map[string]struct {
		tls  config.TLS
		code memory.Code
		says string
	}{
		"all is right":          {tls: full},
		"in the clear":          {config.TLS{}, memory.Unavailable, address},
		"nobody vouches":        {config.TLS{On: true, CA: theirs.CA, Cert: ours.Cert, Key: ours.Key}, memory.Unavailable, "unknown authority"},
		"no certificate":        {config.TLS{On: true, CA: ours.CA}, memory.Unavailable, address},
		"another's certificate": {config.TLS{On: true, CA: ours.CA, Cert: theirs.Cert, Key: theirs.Key}, memory.Unavailable, address},
		"key of another":        {config.TLS{On: true, CA: ours.CA, Cert: ours.Cert, Key: theirs.Key}, memory.Invalid, "private key does not match"},
		"no such file":          {config.TLS{On: true, CA: "/none"}, memory.Invalid, "/none"},
		"no certificate in it":  {config.TLS{On: true, CA: ours.Key}, memory.Invalid, "holds no certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if c.code != "" {
				ctx, cancel = context.WithTimeout(ctx, 3*time.Second)
				defer cancel()
			}
			client, err := temporal.Dial(ctx, config.Temporal{Address: address, Namespace: "n", APIKey: "hunter2", TLS: c.tls, KeyFile: filepath.Join(t.TempDir(), "keys")}, nil)
			if err == nil {
				client.Close()
			}
			if memory.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.says) && c.says != "" {
				t.Errorf("got %v (%s), want %q that says %q", err, memory.CodeOf(err), c.code, c.says)
			}
			if err != nil && (memory.HintOf(err) == "" || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%v (%s) has no hint, or tells the key", err, memory.HintOf(err))
			}
			if err == nil && g.shown.Load() != "Bearer hunter2" {
				t.Errorf("the server was shown %q", g.shown.Load())
			}
		})
	}
}
