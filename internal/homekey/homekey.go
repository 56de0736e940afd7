// Package homekey makes and reads the key of a home: a private key and a certificate that
// it signs itself, in one file that only the home's owner can read. The servers that "mneme
// up" starts show the certificate and let in only who shows the same one; so whoever can
// read the home gets in, nobody else does, and a stranger on a server's port is noticed.
//
// One certificate for servers and callers is enough, because all of them read the same
// folder: with an authority and a certificate each, the same files would be readable by the
// same user.
package homekey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// loopback is the only address that a server of the home listens on.
const loopback = "127.0.0.1"

// Ensure makes the key of a home that has none. Call it as the home's daemon: two at once
// would make two keys.
func Ensure(home string) error {
	path := config.HomeKeyPath(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the home's keys: %w", err)
	}
	_, err := load(home)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := generate()
	if err != nil {
		return fmt.Errorf("make the home's key: %w", err)
	}
	if err := renameio.WriteFile(path, text, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("write the home's key: %w", err)
	}
	return nil
}

// Server returns how a server of the home speaks TLS: it shows the home's certificate, and
// lets in only who shows it too.
func Server(home string) (*tls.Config, error) {
	k, err := load(home)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{k.pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: k.pool,
	}, nil
}

// Client returns how to call a server of the home.
func Client(home string) (*tls.Config, error) {
	k, err := load(home)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{k.pair},
		RootCAs: k.pool, ServerName: loopback,
	}, nil
}

// key is what the file holds.
type key struct {
	pair tls.Certificate
	pool *x509.CertPool // of the one certificate
}

func load(home string) (key, error) {
	path := config.HomeKeyPath(home)
	text, err := os.ReadFile(path)
	if err != nil {
		return key{}, fmt.Errorf("read the home's key: %w", err)
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return key{}, memory.Errorf(memory.Invalid, fmt.Sprintf(`"mneme down", move %s away, "mneme up": a new key is made`, path),
			"read the home's key: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(pair.Leaf)
	return key{pair, pool}, nil
}

// generate makes a key and its certificate, in PEM form. The certificate is good at all
// times, because a laptop whose clock is wrong must still reach its own memory; to end it,
// delete the file.
func generate() ([]byte, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "mneme home"},
		NotBefore: time.Unix(0, 0).UTC(), NotAfter: time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.ParseIP(loopback)}, DNSNames: []string{"localhost"},
		BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, block := range []*pem.Block{{Type: "CERTIFICATE", Bytes: certificate}, {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := pem.Encode(&out, block); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
