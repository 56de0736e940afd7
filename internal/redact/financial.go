package redact

import "strings"

// financialDetectors find cards and accounts. Numbers that have a checksum must pass it.
func financialDetectors() []*detector {
	return []*detector{
		{
			kind: KindCard, rank: rankExact, accept: card, spots: digitRows(13),
			compiled: lazily(`(?:^|[^\w.+/-])((?:\d{4}[ -]){3}\d{1,7}|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{13,16})(?:[^\w]|$)`),
		},
		{
			kind: KindIBAN, rank: rankExact, minDigits: 5, spots: countryCodes, accept: func(m match) bool { return validIBAN(m.secret) },
			compiled: lazily(`\b([A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)\b`),
		},
		{
			kind: KindIBAN, rank: rankExact, words: []string{"iban"}, reach: 96,
			compiled: lazily(`(?i)\biban(?: number| no\.?)?(?: is)?[ :="']{1,4}([A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30})\b`),
		},
		{
			kind: KindBankAccount, rank: rankOwn, words: []string{"account", "acct", "kontonummer"}, reach: 96,
			compiled: lazily(`(?i)((?:\baws |\bazure |\bgcp )?)\b(?:bank account|checking account|savings account|account (?:number|no\.?|#)|acct\.? (?:number|no\.?|#)|kontonummer)(?: (?:number|no\.?|#))?(?: is)?[ :=#]{1,3}(\d[\d -]{5,18}\d)\b`),
			group:    2,
			accept:   func(m match) bool { return !strings.HasPrefix(strings.ToLower(m.before), "a") || bankWords(m) },
		},
		{
			kind: KindBankAccount, rank: rankExact, words: []string{"routing", "aba"}, reach: 64,
			compiled: lazily(`(?i)\b(?:routing|aba)(?: (?:number|no\.?|#|transit number))?(?: is)?[ :=#]{1,3}(\d{9})\b`),
			accept:   func(m match) bool { return validABA(m.secret) },
		},
		{
			kind: KindBankAccount, rank: rankOwn, words: []string{"sort code"}, reach: 64,
			compiled: lazily(`(?i)\bsort code(?: is)?[ :=#]{1,3}(\d{2}-?\d{2}-?\d{2})\b`),
		},
		{
			kind: KindCard, rank: rankOwn, words: []string{"cvv", "cvc", "security code"}, reach: 48,
			compiled: lazily(`(?i)\b(?:cvv2?|cvc2?|card security code)(?: is)?[ :=]{1,3}(\d{3,4})\b`),
		},
	}
}

// bankWords tells a bank's account number from a cloud's.
func bankWords(m match) bool {
	lower := strings.ToLower(m.before)
	return !strings.HasPrefix(lower, "aws ") && !strings.HasPrefix(lower, "azure ")
}

// card accepts numbers a card network gives out: right first digits, right length, right
// checksum.
func card(m match) bool {
	n := onlyDigits(m.secret)
	return knownIssuer(n) && luhn(n) && strings.Trim(n, n[:1]) != ""
}

func knownIssuer(n string) bool {
	size := len(n)
	two, four := atoi(n[:2]), atoi(n[:4])
	switch {
	case n[0] == '4':
		return size == 13 || size == 16 || size == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720:
		return size == 16
	case two == 34, two == 37:
		return size == 15
	case four == 6011, two == 65, two == 62, four >= 6440 && four <= 6499:
		return size >= 16 && size <= 19
	case two == 35:
		return size == 16
	case two == 36, two == 38, four >= 3000 && four <= 3059:
		return size == 14
	case two == 50, two >= 56 && two <= 58, two == 63, two == 67:
		return size == 16
	}
	return false
}

// atoi reads digits that are known to be few.
func atoi(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
