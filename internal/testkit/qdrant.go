package testkit

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/mneme-memory/mneme/embedded/qdrant"
)

// IsQdrant reports whether this process was started as the qdrant program. A
// test binary that is named as one asks it in TestMain, because such a program
// gets Qdrant's own variables and nothing else.
func IsQdrant() bool { return os.Getenv("QDRANT__SERVICE__GRPC_PORT") != "" }

// Qdrant behaves as the qdrant program does towards whoever started it: it
// serves where its variables say, with the key they say, until SIGTERM, and
// returns the exit code.
func Qdrant() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM) // the top: this is a program
	defer stop()
	security, err := qdrantTLS()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server, err := qdrant.Start(ctx, qdrant.Options{
		TLS:    security,
		Dir:    filepath.Join(os.Getenv("QDRANT__STORAGE__STORAGE_PATH"), "collections"),
		Addr:   net.JoinHostPort(os.Getenv("QDRANT__SERVICE__HOST"), os.Getenv("QDRANT__SERVICE__GRPC_PORT")),
		APIKey: os.Getenv("QDRANT__SERVICE__API_KEY"), ReadOnlyAPIKey: os.Getenv("QDRANT__SERVICE__READ_ONLY_API_KEY"),
	})
	if err == nil {
		<-ctx.Done()
		err = server.Stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// qdrantTLS is what the variables say of TLS: like the program, it asks for no certificate.
func qdrantTLS() (*tls.Config, error) {
	if os.Getenv("QDRANT__SERVICE__ENABLE_TLS") != "true" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(os.Getenv("QDRANT__TLS__CERT"), os.Getenv("QDRANT__TLS__KEY"))
	if err != nil {
		return nil, fmt.Errorf("read the certificate to show: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil
}
