package redact

import "strings"

// amount is a sum of money: with a sign or the name of a currency, or in thousands as people
// say it. A bare number is none.
const amount = `(?:[$€£] ?\d[\d.,' ]{0,12}\d ?k?|[$€£] ?\d+ ?k?|\d{1,3}(?:[., ]\d{3})+ ?(?i:€|euros?|eur|usd|dollars?|chf|gbp|pounds?)|\d{2,7} ?(?:€|(?i:euros?|eur|usd|dollars?|chf|gbp))|\d{2,3}(?:\.\d)?k)`

// earningWords announce what somebody earns.
func earningWords() []form {
	return []form{
		{`salar(?:y|ies|io|ie)`, "salary"},
		{`wages?`, "wage"},
		{`earn(?:s|ed|ing)?`, "earns"},
		{`(?:annual|yearly|sign-?on|performance) bonus`, "annual bonus"},
		{`compensation`, "compensation"},
		{`(?:day|hourly|daily) rate`, "day rate"},
		{`(?:offer(?:ed|s)?|pays?|paid)\b[^\n.]{0,20}? base of`, "offered a base of"},
		{`(?:net|gross) income`, "net income"},
		{`\p{L}*gehalt`, "Jahresgehalt"},
		{`\p{L}*lohn`, "Monatslohn"},
		{`cobr[oa]`, "cobro"},
		{`verdien(?:t|e|st|en)`, "verdient"},
		{`stundensatz`, "Stundensatz"},
		{`salaire`, "salaire"},
		{`(?:i|we|he|she|they) makes?`, "she makes"},
		{`on gagne|gagne`, "gagne"},
		{`gan[oa]`, "gano"},
		{`sueldo`, "sueldo"},
		{`stipendio`, "stipendio"},
		{`guadagn[ao]`, "guadagna"},
		{`sal[áa]rio`, "salário"},
		{`ganh?a`, "gana"},
	}
}

// incomeDetectors find what people earn and owe, and the numbers they pay taxes under.
func incomeDetectors() []*detector {
	return []*detector{
		{
			kind: KindIncome, rank: rankOwn, reach: 96, minDigits: 2,
			words: []string{
				"salar", "salaire", "wage", " earn", "bonus", "compensation", "y rate", "base of", "income", "gehalt", "lohn", "verdien", "stundensatz",
				"gagne", "sueldo", "stipendio", "guadagn", "sal\xc3\xa1rio",
				"gana ", "ganha ", "gano ", "cobro", "cobra", " make",
			},
			compiled: lazily(`(?i:\b` + oneOf(earningWords()) + `\b)[^\n\d$€£]{0,32}(` + amount + `)`),
			accept:   earned,
		},
		{
			kind: KindIncome, rank: rankOwn, reach: 96, minDigits: 2, words: []string{" owe", "debt", "schuld", "mortgage"},
			compiled: lazily(`(?i:\b(?:owes?|owed|in debt|debts? of|schulde[tn]?|mortgage of)\b)[^\n\d$€£]{0,32}(` + amount + `)`),
		},
		{
			kind: KindNationalID, rank: rankOwn, reach: 48, words: []string{"ein"},
			compiled: lazily(`\bEIN(?: is| was)?[ :=#]{1,3}(\d{2}-\d{7})\b`),
		},
		{
			kind: KindNationalID, rank: rankOwn, reach: 64, words: []string{"steuernummer", "steuer-nr", "st.-nr"},
			compiled: lazily(`(?i)\b(?:steuernummer|steuer-nr\.?|st\.-nr\.?)(?: ist| lautet)?[ :=#]{1,3}(\d{2,3}[/ ]\d{3}[/ ]\d{4,5})\b`),
		},
	}
}

// earned refuses "I make 3k requests": a number without a currency after "make" needs a time
// for which it is paid.
func earned(m match) bool {
	if !strings.Contains(strings.ToLower(m.before), "make") || strings.ContainsAny(m.secret, "$€£") {
		return true
	}
	return perTime().MatchString(m.text.lower[m.end:])
}

var perTime = lazily(`^ ?(?:\w+ ){0,1}(?:a|per|an|each|every|/) ?(?:year|month|hour|day|week|annum)|^ ?(?:euros?|eur|usd|dollars?|pounds?|chf)\b`)
