package redact

import "slices"

// Kind names what was found, in lower case with hyphens. It is what stands in the marker
// [redacted:kind]. Beside the constants here, a kind can be the id of a gitleaks rule
// (github-pat, slack-bot-token, …) or the name of a rule from CLAUDE.md.
type Kind string

// Secrets. They cannot be switched off.
const (
	KindSecret         Kind = "secret"          // a value after a word such as api_key or token
	KindPassword       Kind = "password"        // a value after a word or flag such as password
	KindAuthorization  Kind = "authorization"   // the credential of an Authorization header
	KindURLPassword    Kind = "url-password"    // the password in scheme://user:password@host
	KindCookie         Kind = "cookie"          // the value of a cookie or of a session in one
	KindPrivateKey     Kind = "private-key"     // a PEM, OpenSSH, PGP or PuTTY private key, whole or cut
	KindTOTP           Kind = "totp"            // the seed or a recovery code of a second factor
	KindEncodedSecret  Kind = "encoded-secret"  // base64 that hides one of the others
	KindUnscanned      Kind = "unscanned"       // everything, because the rules could not be read
	KindWalletKey      Kind = "wallet-key"      // a private key of a crypto wallet
	KindSeedPhrase     Kind = "seed-phrase"     // the words a wallet is restored from
	kindAPIKey         Kind = "api-key"         // a token known by its prefix
	kindAWSSecret      Kind = "aws-secret-key"  // the second half of an AWS pair
	KindPasswordHash   Kind = "password-hash"   // what a password is stored as: it can be guessed from it
	KindURLToken       Kind = "url-token"       // a token, a code or a signature in an address
	kindKubernetesData Kind = "kubernetes-data" // values of a Secret manifest
)

// Personal data.
const (
	KindEmail       Kind = "email"
	KindPhone       Kind = "phone"
	KindNationalID  Kind = "national-id" // US, UK, Canadian and several EU numbers
	KindPassport    Kind = "passport"
	KindDateOfBirth Kind = "date-of-birth"
	KindAddress     Kind = "address"     // where somebody lives: a street with a number and a place
	KindLicence     Kind = "licence"     // of a driver, and the plate of a car
	KindIPAddress   Kind = "ip-address"  // off unless a rule asks for it
	KindMACAddress  Kind = "mac-address" // off unless a rule asks for it
)

// Financial data.
const (
	KindCard        Kind = "card"
	KindIBAN        Kind = "iban"
	KindBankAccount Kind = "bank-account"
	KindIncome      Kind = "income" // what somebody earns or owes
)

// What ties a text to somebody's work.
const (
	KindEmployer Kind = "employer" // employers, clients and colleagues by name, staff numbers
)

// Health data.
const (
	KindHealth        Kind = "health"         // conditions and prescriptions
	KindMedicalRecord Kind = "medical-record" // record numbers and diagnosis codes
)

// Categories group the kinds that may be switched off, by the word a person would use.
func categories() map[string][]Kind {
	return map[string][]Kind{
		"personal":  {KindEmail, KindPhone, KindNationalID, KindPassport, KindDateOfBirth, KindAddress, KindLicence},
		"financial": {KindCard, KindIBAN, KindBankAccount, KindIncome},
		"employer":  {KindEmployer},
		"health":    {KindHealth, KindMedicalRecord},
	}
}

// optional reports whether a kind may be switched off. Secrets may not: no memory is
// worth a leaked key.
func optional(k Kind) bool {
	if offByDefault(k) {
		return true
	}
	for _, kinds := range categories() {
		if slices.Contains(kinds, k) {
			return true
		}
	}
	return false
}

// offByDefault reports the kinds developers need more often than they need them hidden.
func offByDefault(k Kind) bool { return k == KindIPAddress || k == KindMACAddress }
