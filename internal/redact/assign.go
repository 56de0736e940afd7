package redact

import (
	"slices"
	"strings"
)

// Parts of the expressions below. The short words count only where a word begins: a
// compass has no password.
const (
	longPassKey = `(?:pass(?:wor[dt]|wd|phrase|code)|kennwort|contraseña|senha|pwd|requirepass|masterauth|mot de passe|mdp|palavra-passe)`
	passKey     = `(?:` + longPassKey + `|pw|pass)`
	tokenKey    = `(?:secret(?:[_-]?key(?:[_-]?base)?)?|api[_-]?key|apikey|access[_-]?key|account[_-]?key|shared[_-]?access[_-]?key|auth[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|private[_-]?key|preshared[_-]?key|token|credentials?|client[_-]?secret)`
	someValue   = `(?:"((?:[^"\\\n]|\\.){1,200})"|'([^'\n]{1,200})'|\x60([^\x60\n]{1,200})\x60|([^\s"'\x60;]{1,300}))`
	// tokenValue ends at the next parameter of an address; a password may hold such a sign.
	tokenValue = `(?:"((?:[^"\\\n]|\\.){1,200})"|'([^'\n]{1,200})'|\x60([^\x60\n]{1,200})\x60|([^\s"'\x60;&]{1,300}))`
	assigns    = `["'\]]{0,2}[ \t]{0,4}(?::=|=>|==|=|:)\s{0,3}`
)

// assignmentDetectors find a value behind a word: password = x, "api_key": "x",
// --token x, PGPASSWORD=x, "the password is x". The words decide how much the value must
// look like a secret: after password= nearly anything is one, after "the token is" only
// something nobody would write otherwise.
func assignmentDetectors() []*detector {
	return slices.Concat(passwordAssignments(), passwordFlags(), codeDetectors(), tokenAssignments())
}

// passwordAssignments find passwords behind a word for one.
func passwordAssignments() []*detector {
	words := []string{"pass", "pwd", "pw", "kennwort", "geheimzahl", "zugangscode", "mdp", "contrase", "clave", "parola", "senha", "code d"}
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn, words: words, reach: 320, accept: assignedPassword,
			compiled: lazily(`(?i)(?:[\w.-]{0,40}(?:` + longPassKey + `|[_.-](?:pass|pw)|(?-i:[a-z]Pass))|\b(?:pass|pw))(?:_?\d)?` + assigns + someValue),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, reach: 320, accept: spokenPassword,
			compiled: lazily(`(?i)\b` + oneOf(passwordWords()) + `\b[^\n.:=]{0,40}? ` + oneOf(isWords()) + `:? ` + someValue),
		},
		{
			// With words between the label and the colon: what they say tells a password from
			// a page or a rule about passwords.
			kind: KindPassword, rank: rankOwn, words: words, reach: 320, accept: labelledPassword,
			compiled: lazily(`(?i)\b` + oneOf(passwordWords()) + `\b[^\n:=]{0,60}? ?[:=]\s{0,3}` + someValue),
		},
		{
			// "Passwort vom NAS: x": with a preposition behind the label a plain word counts too.
			kind: KindPassword, rank: rankOwn, words: words, reach: 160, accept: plainPassword,
			compiled: lazily(`(?i)\b(?:` + longPassKey + `|pwd?) (?:for|of|on|at|vom|von|für|fürs|zum|zur|am|im|du|de|des|del|della|do|da|per|para|pour) [^\n:=.,]{2,40}[:=] ?([^\s"'\x60;]{6,100})`),
		},
		{
			// "username jdoe, password x".
			kind: KindPassword, rank: rankOwn, words: words, reach: 160, accept: plainPassword,
			compiled: lazily(`(?i)\b(?:user(?:name)?|login|benutzer(?:name)?|utente|usu[aá]rio|utilisateur|identifiant)(?: is| ist| es)?[ :=]{1,3}["'\x60]?[\w.@+-]{2,60}["'\x60]?[,;/] ?(?:and |und |y |e |et )?(?:the |das |le |la |a )?` + oneOf(passwordWords()) + `(?: is| ist| est| es)?[ :=]{1,3}([^\s"'\x60;,]{4,100})`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, reach: 120, accept: spokenPassword,
			compiled: lazily(`(?i)\buse ["'\x60]?(\S{6,100}?)["'\x60]? as (?:the|a|my|your|our) (?:[a-z]+ )?` + oneOf(passwordWords()) + `\b`),
		},
		{
			kind: KindPassword, rank: rankOwn, reach: 160, accept: pairedPassword,
			words: []string{
				"credential", "creds", "login", "sign-in", "signin", "zugangsdaten", "anmeldedaten",
				"identifiant", "credenci", "credenziali", "acces", "aces", "acc\xc3\xa8s", "zugang", "user",
			},
			compiled: lazily(`(?i)\b(?:` + oneOf(loginWords()) + `|user(?:name)?\b(?: and |/| / )` + oneOf(passwordWords()) + `)\b[^\n:=>→]{0,50}(?:[:=]>?|->|→) ?["'\x60]?[\w.@+-]{2,40}["'\x60]? ?[/|:] ?["'\x60]?([^\s"'\x60|]{4,100})`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, reach: 320, accept: spokenPassword,
			compiled: lazily(`(?i)\b` + longPassKey + `[ \t]+([^\s"'\x60;:=]{6,100})`),
		},
	}
}

// passwordFlags find passwords at their place in a command or a file of logins.
func passwordFlags() []*detector {
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn,
			words: []string{"--pass", "-pass", "--pwd", "-p", "-a ", "rabbitmqctl", "set"},
			reach: 320, accept: flagPassword,
			compiled: lazily(`(?:--?(?i:` + passKey + `)(?:[ =])|\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]{0,200}? -p|\bsshpass -p ?|\bdocker login\b[^\n|;]{0,200}? -p |\bredis-cli\b[^\n|;]{0,200}? -a |\baz login\b[^\n|;]{0,200}? -p |\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,200}? -p ?|\brabbitmqctl (?:add_user|change_password) \S+ |\bset(?:x| -[a-z]+) \w*(?i:` + longPassKey + `)\w* )` + someValue),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"net use"}, reach: 200, accept: flagPassword,
			compiled: lazily(`(?i)\bnet use\b[^\n|;]{0,120}? /user:\S+ ([^\s/]{3,100})|\bnet use (?:\w: )?\\\\\S+ ([^\s/*]{3,100}) /user:`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"http -", "https -", "xh -"},
			reach: 200, accept: flagPassword,
			compiled: lazily(`\b(?:https?|xh) (?:-\S+ )*(?:-a|--auth)[ =]?[^\s:]{1,60}:([^\s]{3,100})`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"| sudo"}, reach: 160, accept: flagPassword,
			compiled: lazily(`\b(?:echo|printf)(?: -[a-zA-Z]+)* (?:"([^"\n]{3,100})"|'([^'\n]{3,100})'|([^\s|"']{3,100})) *\| *sudo (?:-\w+ )*-\w*S`),
		},
		{
			// Oracle's user/password@service.
			kind: KindPassword, rank: rankOwn,
			words: []string{"oracle:", "sqlplus", "sqlldr", "impdp", "expdp", "rman"},
			reach: 160, accept: notPlaceholder,
			compiled: lazily(`(?i)(?:jdbc:oracle:\w+:|\b(?:sqlplus|sqlldr|impdp|expdp|rman)\b[^\n|;/]{0,60}? )[\w$#]{2,40}/("[^"\n]{3,60}"|[^\s@"'/]{3,60})@`),
		},
		{
			kind: KindPassword, rank: rankOwn, reach: 320, accept: flagPassword,
			words:    []string{"curl", "wget", "http"},
			compiled: lazily(`\bcurl\b[^\n|;]{0,400}? (?:-u|--user)[ =]?["']?[^\s:"']+:([^\s"']+)`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"machine", "login"}, reach: 320, accept: notPlaceholder,
			compiled: lazily(`(?i)\blogin\s+\S+\s+password\s+(\S+)`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"username", "user name", "benutzername"},
			reach: 160, accept: plainPassword,
			compiled: lazily(`(?i)\b(?:username|user name|benutzername)\s+\S+\s+(?:password|passwd|passwort|kennwort)\s+(\S{4,100})`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{":5432:", ":*:", "pgpass"}, reach: 320, accept: notPlaceholder,
			compiled: lazily(`(?:^|[\s"'\x60(=])[\w.*-]+:(?:\d{4,5}|\*):[^:\s/]+:[^:\s/]+:([^\s:]{4,})`),
		},
	}
}

// tokenAssignments find what only counts when it looks like a secret.
func tokenAssignments() []*detector {
	words := []string{"secret", "key", "token", "credential"}
	return []*detector{
		{
			kind: KindSecret, rank: rankGuess, words: words, reach: 320, accept: barelyToken,
			compiled: lazily(`(?i)(?:token|\bapi[ _-]?key|\bsecret)[ \t]+([A-Za-z0-9_.~+/-]{16,300})`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, reach: 400, accept: assignedToken,
			compiled: lazily(`(?i)[\w.-]{0,40}` + tokenKey + assigns + tokenValue),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, reach: 400, accept: assignedToken,
			compiled: lazily(`(?i)--?[\w-]{0,40}` + tokenKey + `[ =]` + tokenValue),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, reach: 400, accept: assignedToken,
			compiled: lazily(`(?i)\b(?:secret|api[ _-]?key|access[ _-]?key|token|signing key|encryption key|private key|webhook secret|license key)\b[^\n.:=]{0,30}? (?:is|was|to|be):? ` + tokenValue),
		},
		{
			kind: KindSecret, rank: rankOwn, reach: 400, accept: assignedToken,
			words:    []string{"schl", "zugriffstoken", "cl\xc3\xa9", "cle d", "jeton", "clave", "llave", "token d", "chiave", "chave"},
			compiled: lazily(`(?i)` + oneOf(keyWords()) + `[^\n.:=]{0,40}?(?: ?[:=] ?| ` + oneOf(isWords()) + `:? )` + tokenValue),
		},
	}
}

// assignedPassword accepts the value of password=x and password: x.
func assignedPassword(m match) bool {
	v := clean(m.secret)
	if len(v) < 4 || !notPlaceholder(m) || expression(m, v) {
		return false
	}
	if technical(v) {
		return false
	}
	key := strings.TrimRight(m.before, "\"'`")
	if step(m, key) {
		return strong(v)
	}
	if quoted(m) || environment(key) {
		return !plainWords(v)
	}
	if strings.HasSuffix(strings.TrimRight(key, " \t\n"), "=") {
		return strong(v) || !codeWord(v)
	}
	return strong(v) || !codeWord(v) && (endsClause(m) || len(v) >= 6 && !descriptive(v) && reasonFollows(m))
}

// step reports "first pass: parse" and "pass: compile": a pass over something, and no
// password, unless a user stands before it.
func step(m match, key string) bool {
	name := strings.TrimRight(key, ": \t\n")
	if !strings.HasSuffix(strings.ToLower(key), "pass: ") || len(name) > len("pass") && isLetter(name[len(name)-len("pass")-1]) {
		return false
	}
	before := m.text.lower[max(0, m.start-loginReach):m.start]
	return !anyOf(before, "user", "login", "smtp", "host", "account", "benutzer", "utente", "usu", "utilisateur")
}

// loginReach is how far before a password its user stands.
const loginReach = 80

func anyOf(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// plainPassword accepts a password that may be a word, where the words around it leave little
// doubt: it ends the clause, and is none of those that tell of passwords.
func plainPassword(m match) bool {
	v := clean(m.secret)
	if len(v) < 4 || !notPlaceholder(m) || expression(m, v) || technical(v) {
		return false
	}
	if strong(v) {
		return true
	}
	return !codeWord(v) && !descriptive(v) && !about().MatchString(m.before) && endsClause(m)
}

// reasonFollows reports a word that begins another clause: "password: x because it is old".
func reasonFollows(m match) bool { return reason().MatchString(m.text.raw[m.end:]) }

var reason = lazily(`(?i)^[,.]? (?:because|since|as|until|till|but|although|and (?:it|we|i|the)|which|it(?:'s| is)|weil|da|denn|bis|seit|aber|car|parce|puisque|depuis|mais|jusqu|porque|ya que|hasta|desde|pero|perch[eé]|poich[eé]|fino|dal|ma|pois|at[eé]|mas)\b`)

// descriptive reports a word that tells what a password is like: required, obligatoire,
// erforderlich, in the case that no list of words has it.
func descriptive(v string) bool { return description().MatchString(v) }

var description = lazily(`(?i)(?:ed|ing|able|ible|ory|ional|lich|bar|haft|pflicht\p{L}*|[oô]ire|at[oó]ri[oa]|ionnel|[ai]d[oa]|[ai]t[oa]|less|n['’]t|ée?)$`)

// flagPassword accepts the value of --password x and of mysql -px.
func flagPassword(m match) bool {
	v := clean(m.secret)
	if v == "rint" || v == "rint0" || v == "rune" {
		return false // find … -name mysql -print
	}
	return len(v) >= 3 && notPlaceholder(m) && !expression(m, v) && !strings.HasPrefix(v, "-") && !codeWord(v)
}

// spokenPassword accepts "the password is x": x must be quoted or look like one.
func spokenPassword(m match) bool {
	v := clean(m.secret)
	return len(v) >= 4 && notPlaceholder(m) && !expression(m, v) && !technical(v) && (strong(v) || quoted(m) && !plainWords(v))
}

// labelledPassword accepts "password for the build server: x" unless the words between are
// about a feature, such as in "password reset page: x".
func labelledPassword(m match) bool {
	between := m.before
	if i := strings.IndexByte(between, ' '); i >= 0 && about().MatchString(between[i:]) {
		return false
	}
	return spokenPassword(m)
}

var about = lazily(aboutPasswords)

// pairedPassword accepts the second half of "login: user / password".
func pairedPassword(m match) bool {
	v := clean(m.secret)
	if len(v) < 4 || !notPlaceholder(m) || expression(m, v) || technical(v) {
		return false
	}
	return strong(v) || usualUser().MatchString(m.before) && !strings.HasSuffix(m.before, ":") && !readable(v) && !codeWord(v)
}

// usualUser ends in a name that many accounts have, and the sign behind it.
var usualUser = lazily(`(?i)\b(?:root|admin(?:istrator)?|user|test(?:er)?|demo|guest|postgres|mysql|sa|ubuntu|pi|ops|deploy|backup|service|svc[\w-]*|gast)["'\x60]? ?[/|] ?["'\x60]?$`)

// assignedToken accepts the value of token=x when it is long and mixed enough.
func assignedToken(m match) bool {
	v := clean(m.secret)
	if len(v) < 8 || !notPlaceholder(m) || expression(m, v) || technical(v) {
		return false
	}
	if strings.Contains(v, " ") || !hasLetter(v) {
		return false
	}
	return hasDigit(v) && entropy(v) > 2.8 && !readable(v)
}

// barelyToken accepts what follows "token" with nothing but a space between: only what
// cannot be a word, a hash, a UUID or a path.
func barelyToken(m match) bool {
	v := clean(m.secret)
	return random(m) && !readable(v) && !isUUID(v) && !strings.HasPrefix(v, "/") && !expression(m, v) && !technical(v) &&
		strings.Trim(v, "0123456789abcdefABCDEF") != "" && digits(v) >= 3
}

// clean takes the punctuation of the sentence off a value.
func clean(v string) string { return strings.TrimRight(v, ".,;:!?)]}>\"'") }

func quoted(m match) bool {
	return strings.HasSuffix(m.before, `"`) || strings.HasSuffix(m.before, `'`) || strings.HasSuffix(m.before, "`")
}

// environment reports an assignment to a variable in capitals, such as PGPASSWORD=.
func environment(key string) bool {
	return strings.HasSuffix(key, "=") && len(key) > 3 && key == strings.ToUpper(key)
}

// strong reports a value no one writes as a word: a digit or a symbol among letters.
func strong(v string) bool {
	if len(v) < 6 || technical(v) || readable(v) {
		return false
	}
	mixed := hasLetter(v) && (hasDigit(v) || strings.ContainsAny(v, "!@#$%^&*+?~|"))
	return mixed || len(v) >= 6 && strings.Trim(v, "0123456789") == "" && len(v) <= 12
}

// endsClause reports that nothing but the end of a line or a clause follows.
func endsClause(m match) bool {
	rest := m.text.raw[m.end:]
	last := m.secret[len(m.secret)-1:]
	if last == "." && len(clean(m.secret)) >= 8 && (rest == "" || strings.HasPrefix(rest, " ")) {
		return true // the end of a sentence; a shorter word there is often one of English
	}
	return rest == "" || strings.ContainsAny(last, ",;") || strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n") || strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, " /")
}

var (
	identifier  = lazily(`^[A-Za-z_][A-Za-z0-9_]*$`)
	readableSet = lazily(`^(?:[A-Za-z]+\d{0,3}|\d{1,4})(?:[_./:-](?:[A-Za-z]+\d{0,3}|v?\d{1,4}))*$`)
	codeShape   = lazily(`^[A-Za-z_][\w]*(?:(?:\.|->|::)[A-Za-z_]\w*)+[([\])}\w.,]*$|^[A-Za-z_][\w.:]*[(\[<{]|^[&*]?(?:self|this|args|opts|cfg|config|os|process|env)\b[.\[]|^\(|^\[|^[{]|^(?:lambda|function|func|new|await|len|str|not)$`)
	techShape   = lazily(`(?i)^(?:base64|sha-?\d+|md5|bcrypt|argon2\w*|scrypt|pbkdf2|utf-?8|oauth2?|http\d?|ipv[46]|v\d+(?:\.\d+)*|[a-z0-9+]+-?(?:encoded|hashed|encrypted|based|bit|byte|char|chars|characters|signed|long)|(?:rs|hs|es)\d{3}|x\.?509|ed25519|rsa\d*|aes-?\d+.*)$|^https?://|^\.{0,2}/[\w./-]+$|^~/`)
	placeholder = lazily(`(?i)^(?:<.*|\$.*|%.*%|\{\{.*|\{.*\}|\[.*\]|\(.*\)|\*+|x{3,}|\.{2,}|…+|-+|_+|your?[-_ ].*|my[-_]?(?:password|secret|token|key)|(?:my|the|some|new|old|user|db|test|root|admin|default|example|dummy|fake)?[-_ ]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|api[-_]?key)[123]?|change[-_ ]?(?:it|me)|example|dummy|redacted|secret|hidden|masked|none|nil|null|undefined|true|false|yes|no|todo|tbd|foo|bar|baz)$|^\[redacted:`)
)

// notPlaceholder accepts what is not a stand-in for a secret, such as <password> or $PW.
func notPlaceholder(m match) bool {
	v := strings.Trim(clean(m.secret), "\\\"'`")
	return v != "" && !placeholder().MatchString(v) && !placeholder().MatchString(m.secret)
}

// technical reports words that stand after "is" in sentences about passwords.
func technical(v string) bool { return techShape().MatchString(v) }

// expression reports code where a value would be: a call, a field, an index.
func expression(m match, v string) bool {
	return !quoted(m) && (codeShape().MatchString(v) || codeShape().MatchString(m.secret))
}

// readable reports names made of words and small numbers: read-only-token, v2.10, user_1.
func readable(v string) bool {
	if !readableSet().MatchString(v) || !strings.ContainsAny(v, "_./:-") {
		return false
	}
	for _, part := range strings.FieldsFunc(v, func(c rune) bool { return strings.ContainsRune("_./:-", c) }) {
		if len(part) > 14 {
			return false
		}
	}
	return true
}

// plainWords reports a quoted sentence, as in an error message or a label.
func plainWords(v string) bool {
	if strings.HasSuffix(v, ":") || strings.HasSuffix(v, "?") || strings.Contains(v, "%s") || strings.Contains(v, "$(") {
		return true
	}
	return strings.Contains(v, " ") && !strings.ContainsAny(v, "0123456789!@#$%^&*")
}

// codeWord reports identifiers and the words that stand where a password could.
func codeWord(v string) bool {
	if !identifier().MatchString(v) {
		return strings.Trim(v, "-_.,()[]{}<>/\\|=:;'\"`*&!?+#") == "" || readable(v) && !hasDigit(v)
	}
	if strings.Contains(v, "_") && !hasDigit(v) {
		return true
	}
	return commonWords()[strings.ToLower(v)]
}

// commonWords are words that follow "password:" or "password=" without being one.
func commonWords() map[string]bool {
	const words = `password passwd pass pwd passphrase secret string str text value values none null nil true
		false required optional missing invalid wrong empty blank unset default input output args self user
		username login bytes byte int bool char varchar object any field fields hash hashed encrypted plain
		plaintext masked hidden hash params param prompt reset change changed update updated expired auth
		authentication protected protect disabled enabled please enter must should cannot can could the a an
		and or but for from with without when where which this that there then than not no yes see use uses
		used using stored store saved save read write file files env environment key keys token tokens
		credentials manager policy policies rules number numbers unknown undefined incorrect correct failed
		failure success error errors account accounts name names data type label form email generated random
		same new old test testing body json request response header config settings vault keychain example
		allow allowed denied set get add delete remove show hide toggle strength length minimum maximum
		ignored inherited stored needed nothing same kept rotated pflichtfeld pflicht erforderlich notwendig leer
		obligatoire requis facultatif obligatoria obligatorio requerida opcional vacía vacia obbligatoria obbligatorio
		richiesta facoltativa vuota obrigatória obrigatorio necessária vazia callback redirect argument parameter
		externally internally separately automatically manually securely only
		getpass raw_input ask check verify confirm repeat match matches mismatch only also again still just`
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
