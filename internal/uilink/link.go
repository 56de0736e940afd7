// Package uilink lets the owner of a home, and nobody else, into the web interfaces that its
// daemon serves on loopback, which every user of the machine can reach: Temporal's and the
// console.
//
// The daemon makes a [Key] for each at every start and leaves it in the home. "mneme ui" and
// "mneme open" sign a link with it: good once, for two minutes. Who opens the link gets a cookie, and every request
// wants the cookie: see [Gate].
package uilink

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"time"
)

// openPath is where links lead.
const openPath = "/mneme/open"

// lasts is how long a link may be opened.
const lasts = 2 * time.Minute

// Key signs links. It is a secret.
type Key string

// NewKey makes a key.
func NewKey() Key { return Key(rand.Text()) }

// Link returns a new link to the interface at base, such as "http://127.0.0.1:8233".
//
// Its host is a name below ".localhost" that only the home knows, because a browser sends a
// cookie of 127.0.0.1 to every port of it, also to a server of another user. Browsers look
// such names up by themselves; for one that does not (Safari), byAddress keeps the address.
func Link(base string, key Key, now time.Time, byAddress bool) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the interface's address %q is no URL", base)
	}
	if !byAddress {
		u.Host = net.JoinHostPort(key.host(), u.Port())
	}
	u.Path, u.RawQuery = openPath, url.Values{"token": {key.sign(now.Add(lasts))}}.Encode()
	return u.String(), nil
}

// host is the name that the cookie belongs to.
func (k Key) host() string {
	return "mneme-" + hex.EncodeToString(k.mac([]byte("host"))[:8]) + ".localhost"
}

// cookie is the name of the cookie: two interfaces at one address have one each.
func (k Key) cookie() string { return "mneme_" + hex.EncodeToString(k.mac([]byte("cookie"))[:4]) }

// The parts of a token: until when it is good, what makes it unlike any other, the signature.
const (
	untilBytes = 8
	nonceBytes = 16
	tokenBytes = untilBytes + nonceBytes + sha256.Size
)

// token is one as it was signed.
type token [tokenBytes]byte

func (k Key) sign(until time.Time) string {
	var t token
	binary.BigEndian.PutUint64(t[:], uint64(until.Unix())) //nolint:gosec // G115: the clock is after 1970
	rand.Read(t[untilBytes:][:nonceBytes])                 // never fails: see crypto/rand
	copy(t[untilBytes+nonceBytes:], k.mac(t[:untilBytes+nonceBytes]))
	return base64.RawURLEncoding.EncodeToString(t[:])
}

// verify returns the token that a text is, and until when it is good.
func (k Key) verify(text string) (t token, until time.Time, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != tokenBytes {
		return t, until, false
	}
	copy(t[:], raw)
	if !hmac.Equal(t[untilBytes+nonceBytes:], k.mac(t[:untilBytes+nonceBytes])) {
		return t, until, false
	}
	return t, time.Unix(int64(binary.BigEndian.Uint64(t[:])), 0), true //nolint:gosec // G115: we signed it
}

func (k Key) mac(text []byte) []byte {
	h := hmac.New(sha256.New, []byte(k))
	h.Write(text)
	return h.Sum(nil)
}
