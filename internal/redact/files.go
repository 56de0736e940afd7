package redact

import "strings"

// Names of fields that hold secrets, in configuration files and markup.
const (
	passwordField = `[\w:.-]{0,40}(?:password|passwd|passphrase|passwort|kennwort|pwd|become_pass)[\w.-]{0,20}`
	secretField   = `[\w:.-]{0,40}(?:secret|token|api[_-]?key|apikey|private[_-]?key|credential)[\w.-]{0,20}`
)

// fileDetectors find secrets by the shape of the file or the command line they stand in.
func fileDetectors() []*detector {
	out := markupDetectors()
	out = append(out, yamlDetectors()...)
	out = append(out, commandDetectors()...)
	return append(out, hashDetectors()...)
}

func markupDetectors() []*detector {
	words := []string{"pass", "pwd", "kennwort", "secret", "token", "key", "credential"}
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn, words: words, needs: "</", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)<` + passwordField + `(?: [^<>\n]{0,100})?>\s*([^<\s][^<\n]{2,200}?)\s*</`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"<pass>", "<pw>"},
			needs: "</", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)<(?:pass|pw)>\s*([^<\s][^<\n]{2,200}?)\s*</`),
		},
		{
			// <property name="connection.password">x</property>
			kind: KindPassword, rank: rankOwn, words: words, needs: "</", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)\b(?:key|name|id)=["']` + passwordField + `["'][^<>\n]{0,60}?>\s*([^<\s][^<\n]{2,200}?)\s*</`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, needs: "</", reach: 400, accept: assignedToken,
			compiled: lazily(`(?i)<` + secretField + `(?: [^<>\n]{0,100})?>\s*([^<\s][^<\n]{7,300}?)\s*</`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, needs: "value=", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)\b(?:key|name|id)=["']` + passwordField + `["'][^<>\n]{0,60}? value=["']([^"'\n]{3,200})["']`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, needs: "value=", reach: 300, accept: assignedToken,
			compiled: lazily(`(?i)\b(?:key|name|id)=["']` + secretField + `["'][^<>\n]{0,60}? value=["']([^"'\n]{8,300})["']`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, needs: "<string>", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)<key>` + passwordField + `</key>\s*<string>([^<]{3,200})</string>`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, needs: "<string>", reach: 300, accept: assignedToken,
			compiled: lazily(`(?i)<key>` + secretField + `</key>\s*<string>([^<]{8,300})</string>`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"variable"}, needs: "default", reach: 400, accept: notPlaceholder,
			compiled: lazily(`(?i)\bvariable\s+"(?:` + passwordField + `|` + secretField + `)"\s*\{[^{}]{0,300}?\bdefault\s*=\s*"([^"\n]{3,200})"`),
		},
	}
}

// yamlDetectors find values that stand on another line than their name.
func yamlDetectors() []*detector {
	words := []string{"pass", "pwd", "secret", "token", "key", "credential"}
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn, words: words, needs: "value:", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)\bname:[ \t]*["']?` + passwordField + `["']?[ \t]*\r?\n[ \t]*value:[ \t]*["']?([^\s"']{3,200})`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: words, needs: "value:", reach: 300, accept: assignedToken,
			compiled: lazily(`(?i)\bname:[ \t]*["']?` + secretField + `["']?[ \t]*\r?\n[ \t]*value:[ \t]*["']?([^\s"']{8,300})`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: words, needs: "\n", reach: 300, accept: notPlaceholder,
			compiled: lazily(`(?i)(?:password|passwd|passphrase|passwort|kennwort|pwd)["']?:[ \t]*(?:[|>][+-]?\d?[ \t]*\r?\n[ \t]+|\r?\n[ \t]+(?:value|default|plain(?:text)?):[ \t]*)["']?([^\s"']{3,200})`),
		},
		{
			kind: KindPrivateKey, rank: rankOwn, words: []string{"client-key-data"}, reach: 8192,
			compiled: lazily(`\bclient-key-data:\s*["']?([A-Za-z0-9+/=]{40,})`),
		},
		{
			kind: KindSecret, rank: rankOwn, words: []string{"token:"}, reach: 400, accept: random,
			compiled: lazily(`(?i)\b[\w-]{0,20}token:[ \t]*["']?([A-Za-z0-9._~+/=-]{20,400})`),
		},
	}
}

// commandDetectors find passwords at their place in a command line.
func commandDetectors() []*detector {
	flag := func(program, before string) *detector {
		return &detector{
			kind: KindPassword, rank: rankOwn, words: []string{program}, reach: 320, accept: flagPassword,
			compiled: lazily(`\b` + program + `\b[^\n|;]{0,200}?` + before + `["']?([^\s"']{3,200})`),
		}
	}
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn, words: []string{"pass:"}, reach: 160, accept: notPlaceholder,
			compiled: lazily(`-pass(?:in|out)?[ =]["']?pass:([^\s"']{3,200})`),
		},
		flag("openssl", ` -(?:k|passphrase) `),
		flag("unzip", ` -P ?`), flag("zip", ` -P ?`), flag("7z", ` -p`), flag("rar", ` -h?p`),
		flag("ldapsearch", ` -w ?`), flag("ldapmodify", ` -w ?`), flag("ldapadd", ` -w ?`),
		flag("smbclient", ` -U ?[^\s%]+%`), flag("rpcclient", ` -U ?[^\s%]+%`), flag("mount", `\bpassword=`),
		flag("htpasswd", ` -[a-zA-Z]*b[a-zA-Z]* \S+ \S+ `),
		flag("mongosh?", ` -p ?`), flag("mongodump", ` -p ?`), flag("sqlcmd", ` -P ?`), flag("sqlplus", ` [\w.-]+/`),
		flag("svn", ` --password `), flag("rsync", ` --password-file=`),
	}
}

// hashDetectors find passwords as they are stored. A weak one is guessed from its hash in
// minutes. Other hashes are left alone: a memory is full of commits.
func hashDetectors() []*detector {
	return []*detector{
		{
			kind: KindPasswordHash, rank: rankExact, words: []string{"$"}, reach: 300,
			compiled: lazily(`(\$(?:2[abxy]?|1|5|6|7|y|gy|apr1|sha1|md5|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]*)\$[^\s:"'<>]{20,300})`),
		},
		{
			kind: KindPasswordHash, rank: rankExact, words: []string{"pbkdf2", "bcrypt", "scrypt", "argon2"}, reach: 300,
			compiled: lazily(`\b((?:pbkdf2(?:_sha\d+|:sha\d+:\d+)?|bcrypt(?:_sha256)?|scrypt(?::\d+)*|argon2)\$[^\s"'<>]{20,300})`),
		},
		{
			kind: KindPasswordHash, rank: rankExact, words: []string{"sha}", "sha256}", "sha512}", "md5}", "crypt}"}, reach: 200,
			compiled: lazily(`(\{(?i:S?SHA\d{0,3}|S?MD5|CRYPT)\}[A-Za-z0-9+/=$.]{13,200})`),
		},
		{
			kind: KindPasswordHash, rank: rankOwn, words: []string{"ntlm", "nt hash", "pass", "pwd", "kennwort"}, reach: 200,
			compiled: lazily(`(?i)\b(?:ntlm|nt|lm|(?:password|passwd|pwd|passwort|kennwort)[ _-]?(?:md5|sha\d*|hash|digest)?)(?:[ _-]?hash)?["']?(?: is| was)?\s?[:= ]\s?["']?([0-9a-f]{32,128})\b`),
			accept: func(m match) bool {
				return hasDigit(m.secret) && hasLetter(m.secret) && !strings.HasPrefix(m.secret, "0x")
			},
		},
	}
}
