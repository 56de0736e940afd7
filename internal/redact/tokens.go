package redact

import (
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"
)

// tokenDetectors find credentials that give themselves away by their shape or by the
// header, URL or command they stand in.
func tokenDetectors() []*detector {
	return slices.Concat(headerDetectors(), prefixDetectors(), secondFactors(), walletDetectors())
}

// prefixDetectors find tokens that begin or are built as no other text is.
func prefixDetectors() []*detector {
	return []*detector{
		{
			kind: kindAPIKey, rank: rankExact, accept: random, spots: longWords(22),
			compiled: lazily(`(?:^|[^A-Za-z0-9_-])(` + oneOf(tokenPrefixes()) + `[A-Za-z0-9_=-]{20,})`),
		},
		{
			// A vendor that is not known: a short word, then a string that nobody
			// would type.
			kind: kindAPIKey, rank: rankGuess, accept: unknownToken, spots: longWords(26),
			compiled: lazily(`(?:^|[^A-Za-z0-9_./+-])([A-Za-z][A-Za-z0-9]{0,9}(?:[_-][A-Za-z0-9]{1,10}){0,2}[_-][A-Za-z0-9]{24,})`),
		},
		{
			kind: kindAPIKey, rank: rankExact, reach: 64, words: []string{"-us"},
			compiled: lazily(`\b([0-9a-f]{32}-us\d{1,2})\b`), // Mailchimp
		},
		{
			kind: kindAPIKey, rank: rankExact, reach: 64, words: []string{"1/1"},
			compiled: lazily(`(?:^|[^\w/])([12]/\d{13,18}(?:/\d{13,18})?:[0-9a-f]{32})\b`), // Asana
		},
		{
			kind: kindAPIKey, rank: rankExact, reach: 64, words: []string{"cio"}, accept: random,
			compiled: lazily(`\b(cio[A-Za-z0-9]{32})\b`), // crates.io
		},
		{
			kind: "telegram-bot-token", rank: rankExact, words: []string{":aa"}, reach: 64,
			compiled: lazily(`\b(\d{8,10}:AA[A-Za-z0-9_-]{32,34})`),
		},
		{
			kind: "discord-bot-token", rank: rankExact, accept: random, spots: longWords(59),
			compiled: lazily(`\b([MNO][A-Za-z\d_-]{23,25}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38})`),
		},
		{
			kind: "webhook", rank: rankExact, reach: 256, words: []string{"/webhooks/", "hooks.slack.com"},
			compiled: lazily(`(?:discord(?:app)?\.com/api/webhooks/\d+/|hooks\.slack\.com/(?:services|workflows|triggers)/)([A-Za-z0-9_/-]{20,})`),
		},
		{
			kind: "jwt", rank: rankExact, words: []string{"eyj"}, reach: 64,
			compiled: lazily(`\b(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){0,3})`),
		},
		{
			kind: kindAWSSecret, rank: rankExact, words: []string{"aws", "akia", "asia", "secret_access_key", "secretaccesskey"}, reach: 400,
			compiled: lazily(`(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`),
			accept: func(m match) bool {
				return random(m) && strings.ContainsAny(m.secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && entropy(m.secret) > 4 && strings.Count(m.secret, "/") < 5
			},
		},
	}
}

// secondFactors find seeds and recovery codes.
func secondFactors() []*detector {
	return []*detector{
		{
			kind: KindTOTP, rank: rankExact, words: []string{"otpauth://"}, reach: 32,
			compiled: lazily(`(?i)otpauth://[^\s"'<>]+`),
		},
		{
			kind: KindTOTP, rank: rankOwn, words: []string{"otp", "2fa", "mfa", "authenticator", "two-factor"}, reach: 200,
			compiled: lazily(`(?i:\b(?:totp|otp|2fa|mfa|authenticator|two-factor)[ _-]*(?:secret|seed|key|setup key)["']?(?: is)?[\s:="'\x60]{1,5})((?:[A-Z2-7]{4} ?){4,}[A-Z2-7]*|(?:[a-z2-7]{4} ?){4,}[a-z2-7]*)`),
			accept:   func(m match) bool { return strings.ContainsAny(m.secret, "234567") },
		},
		{
			kind: KindTOTP, rank: rankOwn, words: []string{"backup", "recovery code", "scratch code"}, reach: 400,
			compiled: lazily(`(?i)\b(?:(?:backup|recovery|scratch) codes?|(?:2fa|mfa) backups?)(?: (?:is|are))?[\s:=]{1,4}((?:[\s,;-]{0,4}[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){0,3})+)`),
			accept:   func(m match) bool { return hasDigit(strings.Fields(m.secret)[0]) },
		},
	}
}

// walletDetectors find what gives away a wallet: its private key, or the words it is
// restored from.
func walletDetectors() []*detector {
	return []*detector{
		{
			kind: KindWalletKey, rank: rankExact, accept: base58Checked, spots: longWords(51),
			compiled: lazily(`\b([5KL][1-9A-HJ-NP-Za-km-z]{50,51}|[xyz]prv[1-9A-HJ-NP-Za-km-z]{107,108})\b`),
		},
		{
			kind: KindWalletKey, rank: rankExact, words: []string{"private", "privkey", "wallet", "secret", "mnemonic", "signing", "deployer"}, reach: 200,
			compiled: lazily(`(?i)(?:private[ _-]?key|privkey|wallet(?:[ _-]?key)?|secret(?:[ _-]?key)?|(?:signing|deployer)[ _-]?key)[^\n]{0,40}?\b((?:0x)?[0-9a-f]{64})\b`),
		},
		{
			// In a row of phrases only the first keeps its label: then the marker is the label.
			kind: KindSeedPhrase, rank: rankExact, words: []string{
				"seed", "mnemonic", "recovery phrase", "secret phrase", "backup phrase",
				"recovery words", "words are", "wiederherstellungs", "phrase de r", "frase ",
			}, reach: 600,
			compiled: lazily(`(?i)(?:\b(?:seed (?:phrase|words)|seed_?phrase|mnemonic(?: phrase)?|(?:secret |wallet )?recovery (?:phrase|words)|(?:secret|backup) phrase|(?:twelve|12|twenty-four|24) words are|wiederherstellungs(?:phrase|w[öo]rter)|phrase de r[ée]cup[ée]ration|frase (?:semilla|de recuperaci[óo]n|secreta|mnemonica|di recupero|de recupera[çc][ãa]o))\b[^\n:=]{0,40}[:=]?|\bseed:|\[redacted:seed-phrase(?::[0-9a-f]{4})?\][:=])[\s"'\x60]{1,4}((?:(?:\d{1,2}[.)] ?)?\p{Ll}{3,8}[\s,]{1,3}){11,23}(?:\d{1,2}[.)] ?)?\p{Ll}{3,8})`),
			accept:   seedPhrase,
		},
	}
}

// headerDetectors find what follows the name of a header, or stands in a URL or a cookie.
func headerDetectors() []*detector {
	return []*detector{
		{
			kind: KindAuthorization, rank: rankOwn, words: []string{"authorization"}, reach: 512, accept: notPlaceholder,
			compiled: lazily(`(?i)\bauthorization["']?\s*[:=]\s*["'\x60]?(?:bearer|basic|token|digest|api-?key|negotiate|aws4-hmac-sha256)\s+([^\s"'\x60,;]{6,})`),
		},
		{
			kind: KindAuthorization, rank: rankOwn, words: []string{"authorization"}, reach: 512,
			compiled: lazily(`(?i)\bauthorization["']?\s*[:=]\s*["'\x60]?([^\s"'\x60,;]{8,})`),
			accept:   func(m match) bool { return notPlaceholder(m) && hasDigit(m.secret) && hasLetter(m.secret) },
		},
		{
			kind: KindAuthorization, rank: rankOwn, words: []string{"bearer"}, reach: 512,
			compiled: lazily(`(?i)\bbearer(?: token)?[\s:=]{1,3}["'\x60]?([a-z0-9._~+/=-]{16,})`),
			accept:   func(m match) bool { return hasDigit(m.secret) && hasLetter(m.secret) },
		},
		{
			kind: KindURLPassword, rank: rankOwn, words: []string{"://"}, reach: 300, accept: urlPassword,
			compiled: lazily(`[A-Za-z][A-Za-z0-9+.-]*://[^\s:@/"'<>]*:([^\s/"'<>]+)@`),
		},
		{
			// A password with slashes in it, which should have been escaped and was not.
			kind: KindURLPassword, rank: rankOwn, words: []string{"://"}, reach: 300, accept: urlPassword,
			compiled: lazily(`[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9_.-]*:([^\s:@"'<>]{3,200})@[A-Za-z0-9]`),
		},
		{
			kind: KindCookie, rank: rankOwn, words: []string{"cookie:"}, reach: 512,
			compiled: lazily(`(?i)\b(?:set-)?cookie: *([^\s=;]+=[^\n"']+)`),
		},
		{
			kind: KindCookie, rank: rankOwn, words: []string{"sess", "connect.sid", "sid="}, reach: 256,
			compiled: lazily(`(?i)\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sessionid|_session|session_token|[\w-]*_session|sid)=["']?([A-Za-z0-9%._~+/-]{16,})`),
			accept:   func(m match) bool { return hasDigit(m.secret) && hasLetter(m.secret) && !isUUID(m.secret) },
		},
	}
}

// urlPassword accepts the password of a URL: not a port, not a variable, not a word that
// documentation uses.
func urlPassword(m match) bool {
	return notPlaceholder(m) && !strings.HasPrefix(m.secret, "//")
}

// unknownToken accepts a tail of small and capital letters and digits, as random as they come.
func unknownToken(m match) bool {
	tail := m.secret[strings.LastIndexAny(m.secret, "_-")+1:]
	return tail != strings.ToLower(tail) && tail != strings.ToUpper(tail) && digits(tail) >= 3 && entropy(tail) > 4 &&
		!strings.HasPrefix(m.secret, "sha")
}

// random accepts what no one would type: digits and letters mixed, many different ones.
func random(m match) bool {
	return hasDigit(m.secret) && hasLetter(m.secret) && entropy(m.secret) > 3.2
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' })
}

var uuidShape = lazily(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

func isUUID(s string) bool { return uuidShape().MatchString(s) }

// base58Checked verifies the checksum of a wallet key.
func base58Checked(m match) bool {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n := new(big.Int)
	for _, c := range m.secret {
		i := strings.IndexRune(alphabet, c)
		if i < 0 {
			return false
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(i)))
	}
	raw := n.Bytes()
	if len(raw) < 37 {
		return false
	}
	body, sum := raw[:len(raw)-4], raw[len(raw)-4:]
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(sum)
}

var numbering = lazily(`\d{1,2}[.)]`)

// stopWord are words no wallet uses and no sentence goes without.
var stopWord = lazily(`(?i)\b(?:the|and|for|with|that|was|were|are|has|have|from|not|but|they|its|our|which|should|into|when)\b`)

// seedPhrase accepts twelve and more words that do not read like a sentence.
func seedPhrase(m match) bool {
	words := numbering().ReplaceAllString(m.secret, "")
	return len(stopWord().FindAllString(words, -1)) < 2
}
