package qdrantproc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	pb "github.com/qdrant/go-client/qdrant"
)

// testPEM writes a certificate and its private key into one file, in the order of a home's key.
func testPEM(t *testing.T) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(loopback)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	path := filepath.Join(t.TempDir(), "home.pem")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSpeaksTLS runs the program with a certificate: who trusts another one, or speaks in the clear,
// gets no answer, and the files of the certificate are the owner's alone.
func TestSpeaksTLS(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "qdrant")
	srv, err := Start(t.Context(), Options{Binary: os.Args[0], Dir: dir, APIKey: testKey, PEM: testPEM(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{certFile(dir), keyFile(dir)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	security, err := clientTLS(dir)
	if err != nil {
		t.Fatal(err)
	}
	other := security.Clone()
	other.RootCAs = x509.NewCertPool()
	_, port, err := net.SplitHostPort(srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config pb.Config
		ok     bool
	}{
		"its certificate": {pb.Config{UseTLS: true, TLSConfig: security}, true},
		"another one":     {pb.Config{UseTLS: true, TLSConfig: other}, false},
		"in the clear":    {pb.Config{}, false},
	} {
		c.config.Host, c.config.Port, c.config.APIKey = loopback, number, testKey
		c.config.SkipCompatibilityCheck, c.config.PoolSize = true, 1
		client, err := pb.NewClient(&c.config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.ListCollections(t.Context()); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRefusesAFileWithoutKey starts nothing with a file that is no certificate with its key.
func TestRefusesAFileWithoutKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "home.pem")
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-missing"} {
		if _, err := Start(t.Context(), Options{Binary: os.Args[0], Dir: t.TempDir(), APIKey: testKey, PEM: name}); err == nil {
			t.Errorf("%s: started", name)
		}
	}
}
