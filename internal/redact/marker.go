package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// A marker stands where something was taken out: [redacted:email:7f3a2c]. Its last part, the
// mark, is the beginning of a keyed hash of what stood there. So two addresses stay two, and
// names that differ only in a redacted part stay different names. Without the key nobody can
// try guesses against it. Marks are short on purpose: with the key too, a mark tells of a
// guess only that it is one of many that fit. Markers without a mark were written by releases
// that knew none, or without a key.

// opening is how every marker begins.
const opening = "[redacted:"

// The lengths of marks, in hexadecimal digits. A secret's is shorter: it may be one of the
// passwords that everybody tries first, and 16 bits fit one in 65,536 of those.
const (
	secretMark = 4
	otherMark  = 6
)

// marker writes the marker of a finding, and value is what stood there.
type marker func(found span, value string) string

// marker returns what writes the markers of one text. The key is asked for at the first
// finding: most texts have none, and the key may have to be asked from a command.
func (r *Redactor) marker() marker {
	asked := false
	var key []byte
	return func(found span, value string) string {
		if !asked && r.key != nil {
			asked = true
			if k, err := r.key(); err == nil {
				key = k
			}
		}
		if len(key) == 0 {
			return opening + string(found.kind) + "]"
		}
		return opening + string(found.kind) + ":" + markOf(key, found, value) + "]"
	}
}

// markOf returns the mark of a value. The kind is part of what is hashed, so that marks of
// two kinds cannot be compared.
func markOf(key []byte, found span, value string) string {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(found.kind))
	hash.Write([]byte{0})
	hash.Write([]byte(canonical(found.kind, value)))
	sum := hex.EncodeToString(hash.Sum(nil))
	if optional(found.kind) || found.rank == rankCustom {
		return sum[:otherMark]
	}
	return sum[:secretMark]
}

// canonical brings an address or a number into one form, however it was written: an address in
// capitals, a number with spaces, dashes or brackets in it. It returns secrets unchanged, because a
// secret that differs in one byte is another secret.
func canonical(kind Kind, value string) string {
	if !optional(kind) {
		return value
	}
	value = strings.ToLower(value)
	if kind == KindEmail {
		return value // a.b@corp.net and ab@corp.net are two
	}
	plain := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, value)
	if plain == "" {
		return value
	}
	return plain
}

// markers finds what an earlier pass has written. These bytes are never replaced again,
// which is what makes redacting twice the same as redacting once.
func markers(text string) []span {
	var out []span
	for from := 0; ; {
		i := strings.Index(text[from:], opening)
		if i < 0 {
			return out
		}
		start := from + i
		from = start + len(opening)
		n := strings.IndexByte(text[from:min(len(text), from+maxKind+1+otherMark+1)], ']')
		if n > 0 && validMarker(text[from:from+n]) {
			from += n + 1
			out = append(out, span{start: start, end: from})
		}
	}
}

// validMarker reports whether a marker can hold this between its opening and its bracket.
func validMarker(inside string) bool {
	kind, mark, marked := strings.Cut(inside, ":")
	return validKind(Kind(kind)) && (!marked || validMark(mark))
}

// validMark reports whether s is a mark. Anything longer could hide a secret in a marker
// that somebody wrote by hand.
func validMark(s string) bool {
	if len(s) != secretMark && len(s) != otherMark {
		return false
	}
	return strings.IndexFunc(s, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') }) < 0
}

const maxKind = 64

// validKind reports whether k can stand in a marker.
func validKind(k Kind) bool {
	if k == "" || len(k) > maxKind || k[0] == '-' || k[len(k)-1] == '-' || strings.Contains(string(k), "--") {
		return false
	}
	return strings.IndexFunc(string(k), func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}) < 0
}
