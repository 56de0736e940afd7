package cli

import (
	"context"
	"maps"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mneme-memory/mneme/internal/config"
)

const reachTimeout = time.Second

// reach asks every service with an address whether somebody answers there.
// The state file tells only what was so when the daemon started.
func reach(ctx context.Context, services map[string]config.Service) {
	var mu sync.Mutex // guards services
	var all sync.WaitGroup
	for name, s := range maps.Clone(services) { // the goroutines write to the map
		network, address := endpoint(s.Address)
		if address == "" {
			continue
		}
		all.Go(func() {
			err := knock(ctx, network, address)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.OK, s.Detail = false, "does not answer"
			}
			services[name] = s
		})
	}
	all.Wait()
}

func knock(ctx context.Context, network, address string) error {
	dialer := net.Dialer{Timeout: reachTimeout}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// endpoint returns what to dial for an address as services have it: host:port,
// a URL, or the folder or path of a socket. It is empty for what cannot be
// dialled.
func endpoint(address string) (network, target string) {
	if strings.HasPrefix(address, "/") {
		return "unix", socketIn(address, "5432")
	}
	if !strings.Contains(address, "://") {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return "", ""
		}
		return "tcp", address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	if host := u.Query().Get("host"); strings.HasPrefix(host, "/") {
		return "unix", socketIn(host, orText(u.Query().Get("port"), orText(u.Port(), "5432")))
	}
	if u.Hostname() == "" {
		return "", ""
	}
	return "tcp", net.JoinHostPort(u.Hostname(), orText(u.Port(), usualPort(u.Scheme)))
}

// socketIn is where PostgreSQL puts its socket in a folder.
func socketIn(path, port string) string {
	if strings.Contains(path, ".s.PGSQL.") {
		return path
	}
	return strings.TrimSuffix(path, "/") + "/.s.PGSQL." + port
}

func usualPort(scheme string) string {
	switch scheme {
	case "https":
		return "443"
	case "http":
		return "80"
	default:
		return "5432"
	}
}

// maskAddress masks what an address in the state file should not hold anyway.
func maskAddress(address string) string {
	if strings.Contains(address, "://") {
		return config.MaskURL(address)
	}
	return address
}

// shownAddress is an address for a person: a socket by its path alone.
func shownAddress(address string) string {
	if network, path := endpoint(address); network == "unix" {
		return path
	}
	return orText(maskAddress(address), "-")
}
