// Package pki makes certificates for tests, and puts TLS in front of servers
// that speak in the clear. Its certificates are trusted by the tests alone.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Authority signs certificates. CA is its own, in a PEM file; Cert and Key are
// those of a client.
type Authority struct {
	CA, Cert, Key string

	pool   *x509.CertPool
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial int64
}

// New makes an authority and a client's certificate.
func New(t testing.TB) *Authority {
	t.Helper()
	dir := t.TempDir()
	a := &Authority{
		CA: filepath.Join(dir, "ca.pem"), Cert: filepath.Join(dir, "client.pem"), Key: filepath.Join(dir, "client.key"),
		pool: x509.NewCertPool(),
	}
	der, key := a.sign(t, "authority", true)
	cert, err := x509.ParseCertificate(der)
	check(t, err)
	a.cert, a.key = cert, key
	a.pool.AddCert(cert)
	writePEM(t, a.CA, "CERTIFICATE", der)
	der, key = a.sign(t, "client", false)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	writePEM(t, a.Cert, "CERTIFICATE", der)
	writePEM(t, a.Key, "PRIVATE KEY", private)
	return a
}

// sign makes a key and a certificate for it, good for this machine for an hour.
func (a *Authority) sign(t testing.TB, name string, isCA bool) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: isCA, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := a.cert, a.key
	if isCA {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	check(t, err)
	return der, key
}

// Server is the configuration of a server on loopback that lets only the
// authority's clients in.
func (a *Authority) Server(t testing.TB) *tls.Config {
	t.Helper()
	der, key := a.sign(t, "server", false)
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"},
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: a.pool,
	}
}

// Front listens on loopback with TLS until the test ends, passes what comes to
// a server that speaks in the clear, and returns its own address.
func (a *Authority) Front(t testing.TB, server string) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", a.Server(t))
	check(t, err)
	var mu sync.Mutex
	var open []net.Conn
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return // closed
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			mu.Lock()
			open = append(open, in, out)
			mu.Unlock()
			all.Go(func() { _, _ = io.Copy(out, in); _ = out.Close() })
			all.Go(func() { _, _ = io.Copy(in, out); _ = in.Close() })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return l.Addr().String()
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
