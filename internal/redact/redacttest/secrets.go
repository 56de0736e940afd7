// Package redacttest makes secrets for tests: at run time, from random parts, so that
// none stands in this repository and every run can use others.
package redacttest

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// Secret is one thing that must never be found on a disk.
type Secret struct {
	Kind     string // what it is, for the test's messages; unique in one call of Secrets
	Value    string // the exact bytes to look for
	Sentence string // a memory someone could have stored, with Value in it once
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit   = "0123456789"
	alnum   = lower + upper + digit
	hexa    = "0123456789abcdef"
	base32  = upper + "234567"
	base64s = alnum + "+/"
	url64   = alnum + "-_"
)

type maker struct{ r *rand.Rand }

// Secrets returns one secret of each kind, more than two hundred. The same seed gives the same.
func Secrets(seed uint64) []Secret {
	m := maker{rand.New(rand.NewPCG(seed, 0x5ec2e7))} //nolint:gosec // test data must repeat
	var out []Secret
	for _, group := range []func() []Secret{
		m.vendors, m.clouds, m.passwords, m.keys, m.personal, m.financial, m.health,
		m.spoken, m.hidden, m.written, m.urls, m.prefixed, m.contacts, m.money, m.employers, m.conditions, m.opening,
	} {
		out = append(out, group()...)
	}
	return out
}

// str returns n characters, at least one digit, one lower and one upper case letter if the
// alphabet has them: real tokens are long enough to have all, short draws may not.
func (m maker) str(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.r.IntN(len(alphabet))]
	}
	for i, class := range []string{digit, lower, upper} {
		if n > 6 && strings.ContainsAny(alphabet, class) && !strings.ContainsAny(string(b), class) {
			if common := both(alphabet, class); common != "" {
				b[2*i+1] = common[m.r.IntN(len(common))]
			}
		}
	}
	return string(b)
}

func both(a, b string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(b, c) {
			return c
		}
		return -1
	}, a)
}

func in(kind, format, value string) Secret {
	return Secret{Kind: kind, Value: value, Sentence: fmt.Sprintf(format, value)}
}

func (m maker) vendors() []Secret {
	return []Secret{
		in("github personal token", "the CI uses %s, rotate it in March", "gh"+"p_"+m.str(alnum, 36)),
		in("github fine-grained token", "deploys run with %s.", "github_"+"pat_"+m.str(alnum, 22)+"_"+m.str(alnum, 59)),
		in("github oauth token", "export GH=%s", "gh"+"o_"+m.str(alnum, 36)),
		in("gitlab token", "clone with %s, please", "gl"+"pat-"+m.str(url64[:62], 20)),
		in("slack bot token", "the bot posts with %s", "xox"+"b-"+m.str(digit, 12)+"-"+m.str(digit, 13)+"-"+m.str(alnum, 24)),
		in("slack webhook", "alerts go to https://hooks.slack.com/services/%s every night", "T"+m.str(upper+digit, 8)+"/B"+m.str(upper+digit, 8)+"/"+m.str(alnum, 24)),
		in("stripe live key", "payments: (%s)", "sk"+"_live_"+m.str(alnum, 24)),
		in("stripe webhook secret", "verify events with %s", "wh"+"sec_"+m.str(alnum, 32)),
		in("openai project key", "embedding calls use %s, from the team account", "sk-"+"proj-"+m.str(url64[:62], 48)),
		in("anthropic key", "Claude runs with %s.", "sk-"+"ant-api03-"+m.str(url64[:62], 93)+"AA"),
		in("google api key", "maps key %s is restricted by referrer", "AI"+"za"+m.str(alnum, 35)),
		in("google oauth client secret", "the login uses %s", "GOC"+"SPX-"+m.str(alnum, 28)),
		in("npm token", "//npm.example.org/:_authToken=%s", "np"+"m_"+m.str(lower+digit, 36)),
		in("pypi token", "twine uploads with %s", "py"+"pi-AgEIcHlwaS5vcmc"+m.str(alnum, 70)),
		in("sendgrid key", "mail goes out with %s", "S"+"G."+m.str(alnum, 22)+"."+m.str(alnum, 43)),
		in("twilio key", "sms service %s works again", "S"+"K"+m.str(hexa, 32)),
		in("telegram bot token", "the bot answers with %s now", m.str("123456789", 9)+":A"+"A"+m.str(alnum, 33)),
		in("discord bot token", "discord login: %s", "M"+m.str(alnum, 23)+"."+m.str(alnum, 6)+"."+m.str(alnum, 27)),
		in("discord webhook", "post to https://discord.com/api/webhooks/123456789012345678/%s", m.str(alnum, 68)),
		in("hugging face token", "download models with %s", "h"+"f_"+m.str(lower+upper, 30)+"x7Q2"),
		in("digitalocean token", "doctl uses %s", "do"+"p_v1_"+m.str(hexa, 64)),
		in("docker hub token", "docker pulls with %s", "dckr"+"_pat_"+m.str(alnum, 27)),
		in("shopify token", "shop sync with %s", "shp"+"at_"+m.str(hexa, 32)),
		in("groq key", "fast inference: %s", "gs"+"k_"+m.str(alnum, 52)),
		in("age key", "sops decrypts with %s", "AGE-SECRET-"+"KEY-1"+m.str("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
	}
}

func (m maker) clouds() []Secret {
	jwt := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	hidden := base64.StdEncoding.EncodeToString([]byte("password=" + m.str(alnum, 14)))
	return []Secret{
		in("aws access key id", "the role has %s", "AK"+"IA"+m.str(base32, 16)),
		in("aws secret key", "AWS_SECRET_ACCESS_KEY=%s", m.str(alnum, 40)),
		in("azure storage key", "DefaultEndpointsProtocol=https;AccountName=mem;AccountKey=%s;EndpointSuffix=core.windows.net", m.str(alnum, 86)+"=="),
		in("jwt", "login returned %s, valid for a day", jwt(`{"alg":"HS256","typ":"JWT"}`)+"."+jwt(`{"sub":"`+m.str(digit, 10)+`"}`)+"."+m.str(alnum, 43)),
		in("bearer header", "curl -H 'Authorization: Bearer %s' https://api.internal/v1", m.str(alnum, 40)),
		in("basic header", "send Authorization: Basic %s with it", base64.StdEncoding.EncodeToString([]byte("svc:"+m.str(alnum, 12)))),
		in("api key header", "call it with X-Api-Key: %s", m.str(alnum, 32)),
		in("json api key", `the config was {"api_key": "%s", "region": "eu"}`, m.str(hexa, 32)),
		in("client secret", "client_secret=%s goes to the token endpoint", m.str(alnum, 32)),
		in("spoken token", "the token is %s for staging", m.str(alnum, 24)),
		in("session cookie", "Cookie: theme=dark; sid=%s", m.str(alnum, 32)),
		in("php session", "replayed with PHPSESSID=%s", m.str(lower+digit, 26)),
		in("base64 of a password", "the secret holds %s", hidden),
		in("kubernetes secret", "kind: Secret\nmetadata:\n  name: db\nstringData:\n  pass: %s\n", m.str(alnum, 14)),
	}
}

func (m maker) passwords() []Secret {
	pw := func() string { return m.str(alnum, 12) + "!" + m.str(digit, 2) }
	return []Secret{
		in("password assignment", "password = %s", pw()),
		in("password in yaml", "db:\n  password: %s\n  port: 5432", pw()),
		in("quoted password", `const dbPassword = "%s"`, pw()),
		in("password of letters", "login as admin, password: %s", m.str(lower, 11)),
		in("spoken password", "The password is %s, ask Ana when it expires", pw()),
		in("new password", "changed the password to `%s` today", m.str(lower, 12)),
		in("password flag", "run mneme login --password %s --user bob", pw()),
		in("pgpassword", "PGPASSWORD=%s psql -h db", m.str(lower, 12)),
		in("mysql flag", "mysql -u root -p%s app", m.str(alnum, 12)),
		in("curl user", "curl -u bob:%s https://ci.internal/", m.str(alnum, 14)),
		in("postgres url", "DATABASE_URL=postgres://app:%s@db.internal:5432/app", m.str(alnum, 16)),
		in("redis url", "redis://:%s@cache:6379/0", m.str(alnum, 16)),
		in("amqp url with @", "amqp://svc:%s@mq:5672", m.str(alnum, 6)+"@"+m.str(alnum, 6)),
		in("ado connection string", "Server=db;Database=app;User Id=sa;Password=%s;Encrypt=true", pw()),
		in("netrc", "machine git.internal login bob password %s", m.str(lower, 12)),
		in("wifi passphrase", "office wifi passphrase: %s", pw()),
		in("totp seed", "2FA secret: %s", m.str(base32, 24)+"AB234567"),
		in("otpauth url", "scan otpauth://totp/Mem:bob?secret=%s&issuer=Mem", m.str(base32, 32)),
		in("card pin", "card PIN: %s", m.str("123456789", 4)),
	}
}

func (m maker) keys() []Secret {
	lines := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(m.str(base64s, 64) + "\n")
		}
		return b.String()
	}
	pem := func(label, body string) string {
		return "-----BEGIN " + label + " PRIVATE" + " KEY-----\n" + body + "-----END " + label + " PRIVATE" + " KEY-----"
	}
	rsa, ssh, cut := lines(12), lines(5), lines(3)
	pgp := "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\n\n%s-----END PGP PRIVATE" + " KEY BLOCK-----"
	bare := m.str(base64s, 60)
	return []Secret{
		{"rsa key", strings.Split(rsa, "\n")[7], "deploy with\n" + pem("RSA", rsa) + "\nfrom the vault"},
		{"openssh key", strings.Split(ssh, "\n")[2], "the key:\n" + pem("OPENSSH", ssh)},
		{"truncated key", strings.Split(cut, "\n")[1], "-----BEGIN EC PRIVATE" + " KEY-----\n" + cut + "and then the terminal closed"},
		in("pgp key", pgp, m.str(base64s, 64)+"\n"),
		{"key in json", bare, `{"private_key": "-----BEGIN PRIVATE` + ` KEY-----\n` + bare + `\n-----END PRIVATE` + ` KEY-----\n"}`},
		in("key without head", "it printed b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n%s\nand stopped", m.str(base64s, 70)),
		in("wireguard key", "[Interface]\nPrivateKey = %s\nAddress = 10.0.0.2/24", m.str(alnum, 43)+"="),
		in("ethereum key", "deployer private key 0x%s holds the test funds", m.str(hexa, 64)),
		in("seed phrase", "seed phrase: %s", m.words(12)),
	}
}

// words returns n words of four to eight letters that mean nothing.
func (m maker) words(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = m.str(lower, 4+m.r.IntN(3))
	}
	return strings.Join(out, " ")
}

func (m maker) personal() []Secret {
	user := m.str(lower, 7) + "." + m.str(lower, 9)
	return []Secret{
		in("e-mail", "ask %s about the invoice", user+"@mail-"+m.str(lower, 5)+".com"),
		in("international phone", "call Jana at +49 %s tomorrow", "170 "+m.str("23456789", 4)+m.str(digit, 3)),
		in("american phone", "support line (212) %s is Tom's", "5"+m.str("23456789", 2)+"-"+m.str(digit, 4)),
		in("social security number", "her ssn is %s", fmt.Sprintf("%03d-%02d-%04d", 100+m.r.IntN(500), 1+m.r.IntN(98), 1+m.r.IntN(9998))),
		in("national insurance number", "payroll has %s on file", "AB"+m.str(digit, 6)+"C"),
		in("passport", "passport number: %s", "C"+m.str(digit, 8)),
		in("date of birth", "date of birth: %s", fmt.Sprintf("19%02d-0%d-1%d", 40+m.r.IntN(59), 1+m.r.IntN(9), m.r.IntN(10))),
	}
}

func (m maker) financial() []Secret {
	bban := m.str(digit, 18)
	n, _ := new(big.Int).SetString(bban+"131400", 10) // DE00
	iban := fmt.Sprintf("DE%02d%s", 98-n.Mod(n, big.NewInt(97)).Int64(), bban)
	return []Secret{
		in("card number", "paid with %s at the counter", m.card()),
		in("iban", "refund to %s please", iban),
		in("bank account", "bank account number: %s", m.str("123456789", 10)),
		in("cvv", "the cvv is %s", m.str("123456789", 3)),
	}
}

// card returns a number of sixteen digits with a valid checksum.
func (m maker) card() string {
	n := []byte("4" + m.str(digit, 15))
	for c := byte('0'); c <= '9'; c++ {
		n[15] = c
		sum := 0
		for i, d := range n {
			v := int(d - '0')
			if i%2 == 0 {
				if v *= 2; v > 9 {
					v -= 9
				}
			}
			sum += v
		}
		if sum%10 == 0 {
			break
		}
	}
	return string(n)
}

func (m maker) health() []Secret {
	drugs := []string{"sertraline", "metformin", "lisinopril", "quetiapine"}
	ills := []string{"type 2 diabetes", "bipolar disorder", "breast cancer", "epilepsy"}
	return []Secret{
		in("diagnosis", "Maria was diagnosed with %s last week", ills[m.r.IntN(len(ills))]),
		in("prescription", "he takes %s every morning", fmt.Sprintf("%d mg of %s", 10+m.r.IntN(90), drugs[m.r.IntN(len(drugs))])),
		in("medical record number", "the fixture had MRN: %s", m.str("123456789", 8)),
		in("diagnosis code", "claim denied, ICD-10 code: %s", fmt.Sprintf("F%d.%d", 20+m.r.IntN(50), m.r.IntN(10))),
	}
}
