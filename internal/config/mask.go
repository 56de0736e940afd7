package config

import (
	"net/url"
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
