package redact

import (
	"net/netip"
	"slices"
	"strings"
)

const monthName = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|` + otherMonths + `)`

// The months in German, French, Spanish, Italian and Portuguese, where they differ.
const otherMonths = `januar|februar|m[äa]rz|mai|juni|juli|oktober|dezember|janvier|f[ée]vrier|mars|avril|juin|juillet|ao[ûu]t|septembre|octobre|novembre|d[ée]cembre|` +
	`enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|` +
	`janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro`

// personalDetectors find what identifies a person.
func personalDetectors() []*detector {
	return append(nationalIDs(),
		&detector{
			kind: KindEmail, rank: rankOwn, words: []string{"@"}, reach: 128, accept: personalEmail,
			compiled: lazily(`[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}\b`),
		},
		&detector{
			kind: KindPhone, rank: rankOwn, words: []string{"+"}, reach: 48, accept: internationalPhone,
			compiled: lazily(`(?:^|[^\w+./=-])(\+[1-9]\d{0,2}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,5}(?:[ ./-]?\d{2,5}){1,5})`),
		},
		&detector{
			kind: KindPhone, rank: rankOwn, accept: northAmerican, spots: digitRows(10),
			compiled: lazily(`(?:^|[^\w+./=-])((?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})`),
		},
		&detector{
			kind: KindPhone, rank: rankOwn, reach: 64, accept: phoneInContext,
			words:    []string{"phone", "mobile", "tel", "whatsapp", "fax", "call", "cell", "sms", "handy"},
			compiled: lazily(`(?i)\b(?:(?:tele)?phone|mobile|tel|whatsapp|fax|cell|handy|sms|call (?:me|him|her|them|us)|reach (?:me|him|her))\b\.?(?: (?:number|no\.?|nr\.?))?(?: (?:is|at|on|to))?[ :=]{1,3}(\(?\+?\d[\d ()./-]{6,18}\d)`),
		},
		&detector{
			kind: KindPassport, rank: rankOwn, words: []string{"passport", "reisepass"}, reach: 64,
			compiled: lazily(`(?i)\b(?:passport|reisepass)((?:[ _-]?(?:number|no\.?|nr\.?|num|#|id))?)["']?(?: is)?[ :=#"']{1,4}([A-Z0-9]{6,9})\b`),
			group:    2,
			accept:   passportNumber,
		},
		&detector{
			kind: KindDateOfBirth, rank: rankOwn, words: []string{
				"birth", "dob", "born", "geboren", "n\xc3\xa9 le", "n\xc3\xa9e le",
				"naci", "nasc", "nato il", "nata il", "naissance",
			}, reach: 64,
			compiled: lazily(`(?i)\b(?:date[ _]?of[ _]?birth|birth[ _]?da(?:te|y)|d\.?o\.?b\.?|born|geboren|née?|date de naissance|naci[óo]|nacid[oa]|fecha de nacimiento|nat[oa]|data di nascita|nasci(?:do|da|eu)?|data de nascimento)["']?(?: is| was| est| es| è| é)?(?: on| am| le| el| il| em)?[ :="']{1,4}((?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\b|\d{1,2}(?:st|nd|rd|th|er|\.|º)?(?: of| de| di)? ` + monthName + `,?(?: de)? (?:19|20)\d\d|` + monthName + ` \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d)`),
		},
		&detector{
			kind: KindIPAddress, rank: rankOwn,
			compiled: lazily(`(?:^|[^\w.:])((?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})`),
			accept: func(m match) bool {
				ip, err := netip.ParseAddr(m.secret)
				return err == nil && !ip.IsLoopback() && !ip.IsUnspecified()
			},
		},
		&detector{
			kind: KindMACAddress, rank: rankExact, spots: longWords(17),
			compiled: lazily(`\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b`),
		},
	)
}

func nationalIDs() []*detector {
	id := func(words []string, expr string, accept func(match) bool) *detector {
		return &detector{kind: KindNationalID, rank: rankExact, words: words, minDigits: 6, reach: 64, compiled: lazily(expr), accept: accept}
	}
	number := func(digits int, expr string, accept func(match) bool) *detector {
		return &detector{kind: KindNationalID, rank: rankExact, spots: digitRows(digits), compiled: lazily(expr), accept: accept}
	}
	return []*detector{
		// United States: the areas 000, 666 and 900 up are never given out.
		number(9, `(?:^|[^\w.-])(\d{3}-\d{2}-\d{4})(?:[^\w-]|$)`, validSSN),
		id([]string{"ssn", "social security"}, `(?i)\b(?:ssn|social security(?: number| no\.?)?)(?: is)?[ :=#]{1,3}(\d{3}[ -]?\d{2}[ -]?\d{4})\b`, nil),
		// United Kingdom.
		number(6, `\b([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D])\b`, func(m match) bool {
			return !slices.Contains([]string{"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}, m.secret[:2])
		}),
		// France, Italy: long enough and with a check that chance does not pass.
		number(14, `(?:^|[^\w.-])([12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2})(?:[^\w.-]|$)`, func(m match) bool { return validNIR(m.secret) }),
		number(7, `\b([A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])\b`, func(m match) bool { return validCodiceFiscale(m.secret) }),
		// Germany, Spain, the Netherlands, Poland, Canada: only behind their name.
		id([]string{"steuer", "tax id", "idnr"}, `(?i)\b(?:steuer-?id(?:entifikationsnummer)?|steuernummer|tax id|idnr)\.?(?: is| ist)?[ :=#]{1,3}(\d{2} ?\d{3} ?\d{3} ?\d{3})\b`, func(m match) bool { return validSteuerID(m.secret) }),
		id([]string{"dni", "nif", "nie"}, `(?i)\b(?:dni|nif|nie)(?: is| es)?[ :=#]{1,3}([XYZ]?-?\d{7,8}-?[A-Z])\b`, func(m match) bool { return validDNI(m.secret) }),
		id([]string{"bsn", "burgerservicenummer"}, `(?i)\b(?:bsn|burgerservicenummer)(?: is)?[ :=#]{1,3}(\d{8,9})\b`, func(m match) bool { return validBSN(m.secret) }),
		id([]string{"pesel"}, `(?i)\bpesel(?: is)?[ :=#]{1,3}(\d{11})\b`, func(m match) bool { return validPESEL(m.secret) }),
		id([]string{"sozialversicherung", "sv-nummer", "rentenversicherung"}, `(?i)\b(?:sozialversicherungs|rentenversicherungs|sv-)(?:nummer|nr\.?)(?: ist| lautet)?[ :=#]{1,3}(\d{2} ?\d{6} ?[A-Z] ?\d{3})\b`, nil),
		id([]string{"s\xc3\xa9cu", "secu"}, `(?i)\b(?:num[ée]ro de |n° )?s[ée]cu(?:rit[ée] sociale)?(?: est)?[ :=#]{1,3}([12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3}(?: ?\d{2})?)\b`, nil),
		id([]string{"cpf"}, `(?i)\bcpf(?: é| e)?[ :=#]{1,3}(\d{3}\.?\d{3}\.?\d{3}-?\d{2})\b`, nil),
		id([]string{"social insurance"}, `(?i)\bsocial insurance(?: number| no\.?)?(?: is)?[ :=#]{1,3}(\d{3}[ -]?\d{3}[ -]?\d{3})\b`, func(m match) bool { return luhn(m.secret) }),
	}
}

// passportNumber accepts letters and digits behind a word for them, else nearly only digits.
func passportNumber(m match) bool {
	named := m.before != "" && anyOf(strings.ToLower(m.before), "number", "no", "nr", "num", "#", " id")
	return digits(m.secret) >= 5 || named && digits(m.secret) >= 2 && m.secret == strings.ToUpper(m.secret)
}

func validSSN(m match) bool {
	area := m.secret[:3]
	return area != "000" && area != "666" && area[0] != '9' && m.secret[4:6] != "00" && m.secret[7:] != "0000"
}

var (
	serviceUser = lazily(`(?i)^(?:git|hg|svn|no-?reply|do-?not-?reply|notifications?|mailer-daemon|postmaster|dependabot\S*|github-actions\S*|x-access-token|oauth2)$`)
	loginUser   = lazily(`^(?:root|admin|ubuntu|debian|deploy|ec2-user|postgres|www-data|core|pi|user|ci)$`)
	noDomain    = lazily(`(?i)(?:^|[.@])(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|local|internal|users\.noreply\.github\.com|noreply\.\S+|iam\.gserviceaccount\.com)$`)
	fileEnding  = lazily(`(?i)\.(?:png|jpe?g|gif|svg|webp|ico|js|mjs|cjs|jsx|tsx?|css|scss|json|ya?ml|toml|go|py|rb|rs|java|sh|html?|xml|md|txt|service|socket|timer|target|mount|slice|scope|conf|log|so|lock)$`)
)

// personalEmail accepts addresses of people: not the user of a git remote or an ssh
// login, not a robot, not a domain kept for documentation, not a file name with an @.
func personalEmail(m match) bool {
	at := strings.LastIndexByte(m.secret, '@')
	user, domain := m.secret[:at], m.secret[at+1:]
	if serviceUser().MatchString(user) || noDomain().MatchString(domain) || fileEnding().MatchString(domain) {
		return false
	}
	if m.start > 0 && strings.ContainsRune("/:@", rune(m.text.raw[m.start-1])) && !mailto(m) {
		return false // user:password@host and paths; the URL detector looks at those
	}
	if rest := m.text.raw[m.end:]; strings.HasPrefix(rest, ":/") || strings.HasPrefix(rest, ":~") {
		return false // the target of scp or rsync
	}
	return !loginUser().MatchString(user)
}

func mailto(m match) bool {
	return strings.HasSuffix(m.text.lower[:m.start], "mailto:") || strings.HasSuffix(m.text.lower[:m.start], "mail:")
}

// internationalPhone accepts + and 9 to 15 digits. Without separators it must not stand
// alone at the beginning of a line, where a + belongs to a diff.
func internationalPhone(m match) bool {
	n := digits(m.secret)
	if n < 9 || n > 15 || dateLike().MatchString(m.secret) || m.secret[1] == '1' && n != 11 {
		return false // after +1 come ten digits, always
	}
	if strings.ContainsAny(m.secret, " .-()/") {
		return strings.Count(m.secret, ".") < 2 || n >= 10
	}
	lineStart := m.start == 0 || m.text.raw[m.start-1] == '\n'
	return n >= 10 && (!lineStart || m.end == len(m.text.raw) || m.text.raw[m.end] == '\n')
}

// northAmerican accepts 212-555-0123 and its like when no more digits are near.
func northAmerican(m match) bool {
	if m.end < len(m.text.raw) && strings.ContainsRune("0123456789-.", rune(m.text.raw[m.end])) {
		return m.text.raw[m.end] == '.' && (m.end+1 == len(m.text.raw) || isSpace(m.text.raw[m.end+1]))
	}
	return m.end == len(m.text.raw) || m.text.raw[m.end] != '_'
}

func phoneInContext(m match) bool {
	n := digits(m.secret)
	return n >= 7 && n <= 15 && !dateLike().MatchString(m.secret) && !strings.Contains(m.secret, "  ")
}

var dateLike = lazily(`(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.][0-3]?\d|^[0-3]?\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:19|20)\d\d|^\d{1,3}(?:\.\d{1,3}){3}$`)

func digits(s string) int {
	n := 0
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// onlyDigits returns the digits of s.
func onlyDigits(s string) string { return notDigit().ReplaceAllString(s, "") }

var notDigit = lazily(`\D`)
