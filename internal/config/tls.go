package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"

	"github.com/mneme-memory/mneme/memory"
)

// TLS says how the connection to a server of the user's own is secured.
type TLS struct {
	On   bool   // encrypt, and check the server's certificate; default false
	CA   string // PEM file of the authorities to trust; empty means the machine's
	Cert string // PEM file of the certificate to show; empty means none
	Key  string // PEM file of its private key
}

// HomeKeyPath returns where a home's key is: one PEM file with the private key and the
// certificate that the servers of the home show, and want to see.
func HomeKeyPath(home string) string { return filepath.Join(home, "keys", "home.pem") }

// PayloadKeysPath returns where the keys are that encrypt what Temporal keeps.
func PayloadKeysPath(home string) string { return filepath.Join(home, "keys", "payload.keys") }

// MCPTokenPath returns where the token is that MCP over HTTP asks for.
func MCPTokenPath(home string) string { return filepath.Join(home, "keys", "mcp-token") }

// APITokenPath returns where the token is that the REST API asks programs for.
func APITokenPath(home string) string { return filepath.Join(home, "keys", "api-token") }

// HomeTLS says how to call a server that a home's daemon started. Its daemon made the key.
func HomeTLS(home string) TLS {
	path := HomeKeyPath(home)
	return TLS{On: true, CA: path, Cert: path, Key: path}
}

// Config returns what [crypto/tls] needs; nil if the connection is in the clear.
func (t TLS) Config() (*tls.Config, error) {
	if !t.On {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, badTLS("read the authorities to trust", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, badTLS("read the authorities to trust", errors.New(t.CA+" holds no certificate"))
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, badTLS("read the certificate to show", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func badTLS(what string, err error) error {
	return memory.Errorf(memory.Invalid, `give files in PEM form; "mneme config" shows where each setting comes from`, "%s: %w", what, err)
}

// tlsSpecs are the settings of one server's TLS. Name is that of the server in
// the file, env begins its variables.
func tlsSpecs(name, env string, of func(*Config) *TLS) []spec {
	return []spec{
		{
			name: name + ".tls", env: env + "_TLS", bare: true, def: "false",
			usage: "encrypt, and check the certificate", check: checkBool,
			at: func(c *Config) field { return (*yesNo)(&of(c).On) },
		},
		{
			name: name + ".tls_ca", env: env + "_TLS_CA",
			usage: "PEM file of whom to trust", check: checkFile,
			at: func(c *Config) field { return (*text)(&of(c).CA) },
		},
		{
			name: name + ".tls_cert", env: env + "_TLS_CERT",
			usage: "PEM file of a certificate to show", check: checkFile,
			at: func(c *Config) field { return (*text)(&of(c).Cert) },
		},
		{
			name: name + ".tls_key", env: env + "_TLS_KEY",
			usage: "PEM file of its private key", check: checkFile,
			at: func(c *Config) field { return (*text)(&of(c).Key) },
		},
	}
}

// contradictions are the settings that make no sense beside the others.
func (c Config) contradictions() Problems {
	var bad Problems
	refuse := func(name, reason, hint string) {
		bad = append(bad, Problem{Source: c.Source(name), Reason: reason, Hint: hint})
	}
	for _, s := range []struct {
		name, address string
		TLS
	}{
		{"temporal", c.Temporal.Address, c.Temporal.TLS},
		{"qdrant", c.Qdrant.Address, c.Qdrant.TLS},
	} {
		if s.On && s.address == "" {
			refuse(s.name+".tls", "is for a server of your own, and none is given", "set "+s.name+".address")
		}
		for _, file := range []struct{ name, path string }{{".tls_ca", s.CA}, {".tls_cert", s.Cert}, {".tls_key", s.Key}} {
			if file.path != "" && !s.On {
				refuse(s.name+file.name, "has no effect without TLS", "set "+s.name+".tls to true")
			}
		}
		if s.Cert != "" && s.Key == "" {
			refuse(s.name+".tls_cert", "needs a private key", "set "+s.name+".tls_key")
		}
		if s.Key != "" && s.Cert == "" {
			refuse(s.name+".tls_key", "needs a certificate", "set "+s.name+".tls_cert")
		}
	}
	if c.Temporal.APIKey != "" && !c.Temporal.TLS.On {
		refuse("temporal.api_key", "would be sent in the clear", "set temporal.tls to true")
	}
	return bad
}
