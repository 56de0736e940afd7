package redact

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockDetectors find secrets that span lines and that one expression can describe.
// PEM blocks, which it cannot, are privateKeys' work.
func blockDetectors() []*detector {
	return []*detector{
		{
			// The body of a key without its first line: PKCS#1, PKCS#8, SEC1 and OpenSSH
			// keys each begin with the same bytes.
			kind: KindPrivateKey, rank: rankExact, reach: 64,
			words: []string{"b3blbnnzac1rzxktdje", "ibadanbgkqhki", "ibaakc", "mhccaqe", "mhqcaqe", "mc4caqawbqydk2vwbciei"},
			compiled: lazily(`((?:b3BlbnNzaC1rZXktdjE|MII[A-Za-z0-9+/]{3}IBADANBgkqhki|MII[A-Za-z0-9+/]{3}IBAAKC|MHcCAQEE|MHQCAQEE|MC4CAQAwBQYDK2VwBCIEI)` +
				`(?:[A-Za-z0-9+/=]|\\n|\r?\n[ \t]*[A-Za-z0-9+/=]{16})+)`),
		},
		{
			kind: KindPrivateKey, rank: rankExact, words: []string{"private-lines:"}, reach: 2048,
			compiled: lazily(`Private-Lines: \d+((?:\r?\n[A-Za-z0-9+/=]{20,})+)`),
		},
		{
			// A Kubernetes Secret: every value under data or stringData.
			kind: kindKubernetesData, rank: rankOwn, words: []string{"kind: secret"}, reach: 2048,
			compiled: lazily(`(?i)\b(?:stringData|data):[ \t]*((?:\r?\n[ \t]+[\w.-]+:[^\n]*)+)`),
		},
	}
}

// maxKeyBlock bounds a private key block, in bytes. An RSA key of 16,384 bits has 12,600.
const maxKeyBlock = 32 << 10

// privateKeys finds PEM and PGP private key blocks. A block ends at its END line; one
// that was cut ends where the text stops looking like a key.
func privateKeys(t *scanText, out []span) []span {
	const begin = "-----begin"
	for from := 0; ; {
		i := strings.Index(t.lower[from:], begin)
		if i < 0 {
			return out
		}
		start := from + i
		from = start + len(begin)
		head := t.lower[from:min(len(t.lower), from+110)]
		dashes := strings.Index(head, "-----")
		if dashes < 0 || !strings.Contains(head[:dashes], "private key") {
			continue
		}
		body := from + dashes + len("-----")
		end := keyEnd(t, body)
		out = append(out, span{start: start, end: end, kind: KindPrivateKey, rank: rankExact})
		from = end
	}
}

func keyEnd(t *scanText, body int) int {
	limit := min(len(t.raw), body+maxKeyBlock)
	if i := strings.Index(t.lower[body:limit], "-----end"); i >= 0 {
		end := body + i + len("-----end")
		if j := strings.Index(t.lower[end:min(len(t.lower), end+110)], "-----"); j >= 0 {
			return end + j + len("-----")
		}
		return end
	}
	end := body
	for end < limit {
		next := fieldEnd(t.raw, end, limit)
		if !keyish(strings.TrimSpace(t.raw[end:next])) {
			break
		}
		end = next
	}
	return end
}

// fieldEnd returns the end of the next word of raw, white space before it included.
func fieldEnd(raw string, from, limit int) int {
	for from < limit && isSpace(raw[from]) {
		from++
	}
	for from < limit && !isSpace(raw[from]) {
		from++
	}
	return from
}

// keyish reports whether a word can belong to the body of a key. Short last lines and
// the words of PEM headers count, sentences do not.
func keyish(word string) bool {
	if word == "" || strings.HasSuffix(word, ":") && len(word) < 20 {
		return true
	}
	word = strings.TrimRight(strings.ReplaceAll(word, `\n`, ""), `",'`)
	for _, c := range word {
		if !isBase64(c) && c != ',' && c != '-' {
			return false
		}
	}
	return len(word) >= 16 || strings.HasSuffix(word, "=") || strings.ContainsAny(word, "0123456789+/")
}

func isBase64(c rune) bool {
	return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '+' || c == '/' || c == '=')
}

// minEncoded is the shortest base64 that is decoded, in bytes: a token of 18 characters.
const minEncoded = 24

// encoded finds base64 that decodes to text with a secret in it. Only secrets are looked
// for: nobody hides a telephone number that way, and images would be decoded for nothing.
func (rs *ruleset) encoded(t *scanText) []span {
	var out []span
	for i := 0; i < len(t.raw); {
		end := i
		for end < len(t.raw) && t.raw[end] != '=' && (isBase64(rune(t.raw[end])) || t.raw[end] == '-' || t.raw[end] == '_') {
			end++
		}
		for pad := 0; pad < 2 && end < len(t.raw) && end > i && t.raw[end] == '='; pad++ {
			end++
		}
		if end-i < minEncoded {
			i = end + 1
			continue
		}
		end = wrappedEnd(t.raw, i, end)
		if plain, ok := decode(t.raw[i:end]); ok && rs.secret(plain) {
			out = append(out, span{start: i, end: end, kind: KindEncodedSecret, rank: rankGuess})
		}
		i = end + 1
	}
	return out
}

// wrappedEnd follows base64 over the ends of full lines.
func wrappedEnd(raw string, start, end int) int {
	for end-start >= 60 && end < len(raw) && raw[end] == '\n' {
		next := end + 1
		for next < len(raw) && isBase64(rune(raw[next])) {
			next++
		}
		if next == end+1 || next < len(raw) && !isSpace(raw[next]) {
			return end
		}
		end = next
	}
	return end
}

// decode returns the text behind base64, if it is printable text at all.
func decode(s string) (string, bool) {
	s = strings.TrimRight(strings.ReplaceAll(s, "\n", ""), "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	plain, err := enc.DecodeString(s)
	if err != nil || !utf8.Valid(plain) {
		return "", false
	}
	for _, c := range string(plain) {
		if !unicode.IsPrint(c) && !unicode.IsSpace(c) {
			return "", false
		}
	}
	return string(plain), true
}

func (rs *ruleset) secret(plain string) bool {
	t := newScanText(plain)
	for _, d := range rs.secrets {
		if len(d.scan(t, nil)) > 0 {
			return true
		}
	}
	return len(privateKeys(t, nil)) > 0
}
