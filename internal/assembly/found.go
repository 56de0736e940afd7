package assembly

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os/user"
	"strconv"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/portowner"
	"github.com/mneme-memory/mneme/memory"
)

// CheckFound reports why an Ollama that was found at a URL is not used: its port belongs to
// another person, or nobody knows to whom, and the user never agreed to it. It would read
// every memory, and choose what is found. Nil means that it may be used.
func CheckFound(home, base string) error {
	uid, err := stranger(base)
	if uid == nobodyElse || err != nil {
		return err
	}
	agreed, ok, err := config.ReadOllamaAgreement(home)
	if err != nil {
		return err
	}
	if ok && agreed == (config.OllamaAgreement{URL: base, User: uid}) {
		return nil
	}
	return memory.Refusal("Ollama",
		`if you trust it, "mneme up --use-ollama" agrees to it once; else start your own, or set MNEME_OLLAMA_URL`,
		fmt.Errorf("the Ollama at %s is not used: it belongs to %s", base, userName(uid)))
}

// AgreeFound makes an agreement hold for the Ollama that was found at a URL, if the user
// agreed to whatever the next start finds.
func AgreeFound(home, base string) error {
	agreed, ok, err := config.ReadOllamaAgreement(home)
	if err != nil || !ok || agreed.URL != "" {
		return err
	}
	uid, err := stranger(base)
	if err != nil || uid == nobodyElse {
		return err
	}
	return config.WriteOllamaAgreement(home, config.OllamaAgreement{URL: base, User: uid})
}

// nobodyElse is no user: all that listens is ours.
const nobodyElse = -2

// stranger returns who listens at a URL and is not the user, root or a service;
// [config.UnknownUser] if the system does not tell.
func stranger(base string) (uid int, err error) {
	addresses, err := resolve(base)
	if err != nil {
		return 0, err
	}
	for _, address := range addresses {
		owners, err := portowner.Of(address)
		if errors.Is(err, portowner.ErrUnknown) {
			continue
		}
		if err != nil {
			return 0, err
		}
		for _, owner := range owners {
			if !portowner.Ours(owner) {
				return owner, nil
			}
		}
		uid = nobodyElse
	}
	if uid != nobodyElse {
		return config.UnknownUser, nil
	}
	return nobodyElse, nil
}

// resolve returns the addresses of a URL of this machine; one elsewhere has none.
func resolve(base string) ([]netip.AddrPort, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("find the Ollama at %s: %w", base, err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return nil, fmt.Errorf("find the Ollama at %s: %w", base, err)
	}
	hosts := []string{u.Hostname()}
	if u.Hostname() == "localhost" { // whichever of the two it is tried at first
		hosts = []string{"127.0.0.1", "::1"}
	}
	var out []netip.AddrPort
	for _, host := range hosts {
		if ip, err := netip.ParseAddr(host); err == nil {
			out = append(out, netip.AddrPortFrom(ip, uint16(port)))
		}
	}
	return out, nil
}

func userName(uid int) string {
	if uid == config.UnknownUser {
		return "nobody knows whom"
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return fmt.Sprintf("the user %s (%d)", u.Username, uid)
	}
	return fmt.Sprintf("another user (%d)", uid)
}

// foundClient calls an Ollama that was found. It looks at every new connection whose port it
// is: an Ollama may end, and somebody else take its port. The look comes after connecting and
// before the first byte is sent, so the listener is the same process.
func foundClient(home, base string) *http.Client {
	var dialer net.Dialer
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			if err := CheckFound(home, base); err != nil {
				return nil, errors.Join(err, conn.Close())
			}
			return conn, nil
		},
	}}
}
