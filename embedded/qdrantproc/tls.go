package qdrantproc

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func certFile(dir string) string { return filepath.Join(dir, "cert.pem") }
func keyFile(dir string) string  { return filepath.Join(dir, "key.pem") }

// splitPEM writes the certificate and the private key of a PEM file into files of their own below
// dir. Qdrant's REST server reads no further than the first block of the file with its key.
func splitPEM(path, dir string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the certificate to show: %w", err)
	}
	var certs, key []byte
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			certs = append(certs, pem.EncodeToMemory(block)...)
		} else if key == nil {
			key = pem.EncodeToMemory(block)
		}
	}
	if certs == nil || key == nil {
		return fmt.Errorf("%s holds no certificate with its private key", path)
	}
	for name, part := range map[string][]byte{certFile(dir): certs, keyFile(dir): key} {
		if err := renameio.WriteFile(name, part, 0o600, renameio.WithTempDir(dir)); err != nil {
			return fmt.Errorf("write the certificate to show: %w", err)
		}
	}
	return nil
}

// clientTLS is how to ask the server whether it answers: nobody else has its certificate.
func clientTLS(dir string) (*tls.Config, error) {
	text, err := os.ReadFile(certFile(dir))
	if err != nil {
		return nil, fmt.Errorf("read the server's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the server's certificate cannot be read")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: loopback}, nil
}
