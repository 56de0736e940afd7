package endtoend

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mneme-memory/mneme/internal/homekey"
)

// strangerEnv makes the test binary a stranger: it tries the doors that the variable lists,
// separated by spaces, prints those that open, and ends.
const strangerEnv = "MNEME_TEST_STRANGER"

// strangerMain is the stranger's main function. A TCP port is host:port, everything else the
// path of a Unix socket.
func strangerMain(doors string) int {
	dir, err := os.MkdirTemp("", "stranger-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	// What a foreign "mneme up" would show: a key of the same kind.
	if err := homekey.Ensure(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	own, err := homekey.Client(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	own.InsecureSkipVerify = true //nolint:gosec // a stranger does not mind whom it talks to
	for _, door := range strings.Fields(doors) {
		for _, opened := range intrude(door, nil, own, &tls.Config{InsecureSkipVerify: true}) { //nolint:gosec // as above
			fmt.Println(opened)
		}
	}
	return 0
}

// intrude tries to get an answer at a door, in every way that the home's servers speak and
// with each security (nil is none), and returns the ways that led in.
func intrude(door string, security ...*tls.Config) []string {
	if strings.HasPrefix(door, "/") {
		conn, err := net.DialTimeout("unix", door, knock)
		if err != nil {
			return nil
		}
		return []string{errors.Join(fmt.Errorf("%s: connected", door), conn.Close()).Error()}
	}
	var in []string
	for _, s := range security {
		in = append(in, intrudeGRPC(door, s)...)
		in = append(in, intrudeHTTP(door, s)...)
	}
	return in
}

// knock is how long a server may take to let somebody in.
const knock = 3 * time.Second

// methods belong to every service that some port may serve. Each takes an empty message.
func methods() []string {
	return []string{
		"/temporal.api.workflowservice.v1.WorkflowService/ListNamespaces",
		"/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes",
		"/temporal.server.api.adminservice.v1.AdminService/DescribeCluster",
		"/temporal.server.api.historyservice.v1.HistoryService/GetShard",
		"/temporal.server.api.matchingservice.v1.MatchingService/ListTaskQueuePartitions",
		"/qdrant.Qdrant/HealthCheck",
		"/qdrant.Collections/List",
		"/grpc.health.v1.Health/Check",
	}
}

func intrudeGRPC(addr string, security *tls.Config) (in []string) {
	creds := insecure.NewCredentials()
	if security != nil {
		creds = credentials.NewTLS(security.Clone())
	}
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		return []string{err.Error()}
	}
	defer conn.Close()
	for _, method := range methods() {
		ctx, cancel := context.WithTimeout(context.Background(), knock)
		err := conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{})
		cancel()
		switch code := status.Code(err); code {
		case codes.Unavailable, codes.DeadlineExceeded, codes.Unauthenticated, codes.PermissionDenied:
		default: // also "unimplemented": somebody listened
			in = append(in, fmt.Sprintf("%s: gRPC%s %s: %s", addr, with(security), method, code))
		}
	}
	return in
}

func intrudeHTTP(addr string, security *tls.Config) (in []string) {
	client := &http.Client{Timeout: knock, Transport: &http.Transport{TLSClientConfig: security, DisableKeepAlives: true}}
	scheme := "http"
	if security != nil {
		scheme = "https"
	}
	for _, ask := range []string{
		"GET /", "GET /api/v1/namespaces", "GET /api/v1/settings", "POST /api/v1/namespaces/default/workflows/x", "GET /mneme/open?token=",
		"POST /codec/decode", "POST /mcp", "GET /mcp", "GET /api/tags", "GET /api/version", "POST /api/embed", "GET /collections", "GET /metrics",
	} {
		method, path, _ := strings.Cut(ask, " ")
		req, err := http.NewRequestWithContext(context.Background(), method, scheme+"://"+addr+path, strings.NewReader("{}"))
		if err != nil {
			return []string{err.Error()}
		}
		resp, err := client.Do(req)
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(resp.Body) // what came is judged
		resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		case resp.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "HTTP request to an HTTPS server"):
		default:
			in = append(in, fmt.Sprintf("%s: HTTP%s %s: %s %.60q", addr, with(security), ask, resp.Status, body))
		}
	}
	return in
}

// with names a security.
func with(security *tls.Config) string {
	switch {
	case security == nil:
		return " in the clear"
	case len(security.Certificates) == 0:
		return " over TLS"
	default:
		return " over TLS with a certificate"
	}
}
