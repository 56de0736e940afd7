package config

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"
)

const masked = "***"

func maskAll(v string) string {
	if v == "" {
		return ""
	}
	return masked
}

// MaskURL returns a URL with its password, and every query parameter that is
// called like one, replaced by ***. What is not a URL is masked altogether.
func MaskURL(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return masked
	}
	out := u.Scheme + "://"
	if u.User != nil {
		out += url.PathEscape(u.User.Username())
		if _, has := u.User.Password(); has {
			out += ":" + masked
		}
		out += "@"
	}
	out += u.Host + u.EscapedPath()
	return out + maskQuery(u.Query())
}

// MaskAddress masks what an address should not hold: of a URL as [MaskURL] does, and nothing
// of host:port.
func MaskAddress(address string) string {
	if strings.Contains(address, "://") {
		return MaskURL(address)
	}
	return address
}

// ShownAddress is an address for a person: masked as by [MaskAddress], and PostgreSQL's socket by
// its path alone.
func ShownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(u.Query().Get("host"), "/") {
		return MaskAddress(address)
	}
	const usualPort = "5432"
	return filepath.Join(u.Query().Get("host"), ".s.PGSQL."+cmp.Or(u.Query().Get("port"), u.Port(), usualPort))
}

// IsMasked reports whether something of an address was masked, so that it cannot be used.
func IsMasked(address string) bool { return strings.Contains(address, masked) }

func maskQuery(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	for key := range q {
		lower := strings.ToLower(key)
		for _, word := range []string{"pass", "key", "secret", "token"} {
			if strings.Contains(lower, word) {
				q.Set(key, masked)
			}
		}
	}
	return "?" + strings.ReplaceAll(q.Encode(), url.QueryEscape(masked), masked)
}
