package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Each check says what is wrong with a value and what to write instead, twice
// nothing if it is right.

func checkAddress(example string) func(string) (string, string) {
	hint := "write host:port, such as " + example
	return func(v string) (string, string) {
		if strings.Contains(v, "://") {
			return "is a URL, not an address", hint + ", without a scheme"
		}
		host, port, err := net.SplitHostPort(v)
		if err != nil {
			return "is not an address", hint
		}
		if host == "" || strings.ContainsAny(host, " /@") {
			return "names no host", hint
		}
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Sprintf("has the port %q, which is not 1 to 65535", port), hint
		}
		return "", ""
	}
}

func checkWord(v string) (string, string) {
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == 0x7f }) || len(v) > memory.MaxNameBytes {
		return "is not a name", fmt.Sprintf("write one word of at most %d bytes", memory.MaxNameBytes)
	}
	return "", ""
}

func checkLedger(v string) (string, string) {
	if !memory.ValidID(v) {
		return "is no identity of a ledger", "copy it from \"mneme status\" where the ledger's daemon runs, or from a worker's log"
	}
	return "", ""
}

// checkPrefix wants what is good in a file's name and in a URL, as Qdrant's
// collections are.
func checkPrefix(v string) (string, string) {
	const most = 64
	bad := strings.ContainsFunc(v, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
	if bad || len(v) > most {
		return "is no beginning of a name", fmt.Sprintf("write at most %d letters, digits, - and _, such as work-", most)
	}
	return "", ""
}

func checkProject(v string) (string, string) {
	if err := memory.CheckName("project", v); err != nil {
		return "is not a project: " + err.Error(), memory.HintOf(err)
	}
	return "", ""
}

func checkPostgresURL(v string) (string, string) {
	const hint = "write postgres://user:password@host:5432/database (special characters in the password %-encoded)"
	// The parser's own words would repeat the password.
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return "is not a PostgreSQL URL", hint
	}
	if u.Host == "" && u.Query().Get("host") == "" {
		return "names no host", hint
	}
	return "", ""
}

func checkHTTPURL(v string) (string, string) {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return "is not an HTTP URL", "write http://host:port, such as http://127.0.0.1:11434"
	}
	return "", ""
}

func checkPort(v string) (string, string) {
	if n, err := strconv.Atoi(v); err != nil || n < 0 || n > 65535 {
		return "is not a port", "write a number from 0 (any free port) to 65535"
	}
	return "", ""
}

// checkPath wants an absolute path, because commands run in many folders, or a word.
func checkPath(word string) func(string) (string, string) {
	return func(v string) (string, string) {
		if v == word || filepath.IsAbs(v) && !strings.ContainsRune(v, 0) {
			return "", ""
		}
		return "is not an absolute path", "write a path from / on, or " + word
	}
}

func checkFile(v string) (string, string) {
	if !filepath.IsAbs(v) || strings.ContainsRune(v, 0) {
		return "is not an absolute path", "write a path from / on"
	}
	return "", ""
}

func checkWhole(least, most int) func(string) (string, string) {
	return func(v string) (string, string) {
		if n, err := strconv.Atoi(v); err != nil || n < least || n > most {
			return "is out of bounds", fmt.Sprintf("write a whole number from %d to %d", least, most)
		}
		return "", ""
	}
}

func checkShare(v string) (string, string) {
	if f, err := strconv.ParseFloat(v, 64); err != nil || !(f >= 0 && f <= 1) { // NaN is out, too
		return "is out of bounds", "write a number from 0 to 1, such as 0.7"
	}
	return "", ""
}

// checkSpan wants a time from a second up to most.
func checkSpan(most time.Duration) func(string) (string, string) {
	return func(v string) (string, string) {
		if d, err := time.ParseDuration(v); err != nil || d < time.Second || d > most {
			return "is out of bounds", fmt.Sprintf("write a time from 1s to %s, such as 5s", most)
		}
		return "", ""
	}
}

func checkBool(v string) (string, string) {
	if _, err := strconv.ParseBool(v); err != nil {
		return "is neither true nor false", "write true or false"
	}
	return "", ""
}
