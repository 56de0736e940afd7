package temporal

import (
	"crypto/tls"
	"time"

	"go.temporal.io/server/common/rpc/encryption"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// secured gives every service of the server the same TLS: frontend, history, matching and
// worker each listen, and who can call history needs no frontend. A nil TLS means none.
type secured struct{ *TLS }

var _ encryption.TLSConfigProvider = secured{}

func (s secured) server() (*tls.Config, error) {
	if s.TLS == nil {
		return nil, nil
	}
	return s.Server.Clone(), nil
}

func (s secured) client() (*tls.Config, error) {
	if s.TLS == nil {
		return nil, nil
	}
	return s.Client.Clone(), nil
}

func (s secured) GetInternodeServerConfig() (*tls.Config, error) { return s.server() }

func (s secured) GetInternodeClientConfig() (*tls.Config, error) { return s.client() }

func (s secured) GetFrontendServerConfig() (*tls.Config, error) { return s.server() }

func (s secured) GetFrontendClientConfig() (*tls.Config, error) { return s.client() }

func (s secured) GetRemoteClusterClientConfig(string) (*tls.Config, error) { return s.client() }

// GetExpiringCerts names none: how long they last is for who made them to watch.
func (s secured) GetExpiringCerts(time.Duration) (expiring, expired encryption.CertExpirationMap, err error) {
	return nil, nil, nil
}

// caller is how this package itself calls the frontend.
func (s secured) caller() grpc.DialOption {
	if s.TLS == nil {
		return grpc.WithTransportCredentials(insecure.NewCredentials())
	}
	return grpc.WithTransportCredentials(credentials.NewTLS(s.Client))
}
