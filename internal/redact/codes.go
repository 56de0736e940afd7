package redact

// codeDetectors find the numbers that open something: the PIN of a card, the code of a door,
// the one that is sent for a single login, and what restores a second factor.
func codeDetectors() []*detector {
	return []*detector{
		{
			kind: KindPassword, rank: rankOwn, words: []string{"pin"}, reach: 64,
			compiled: lazily(`\b(?:PIN|(?i:card pin|pin code|pin number))(?: is|:| =|=)? ?(\d{4,8})\b`),
		},
		{
			kind: KindPassword, rank: rankOwn, words: []string{"pin "}, reach: 96, minDigits: 4,
			compiled: lazily(`\b(?:PIN|(?:[Tt]he|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Dd]ie|[Ll]e|[Ee]l|[Ii]l|[Oo]) [Pp]in) (?:of|for|to|von|vom|für|der|de|del|du|do|da|della|dello)\b[^\n:=.]{1,40}?(?:[:=]| is| ist| est| es| è| é) ?(\d{4,8})\b`),
		},
		{
			kind: KindPassword, rank: rankOwn, reach: 96, minDigits: 1, accept: wifiKey,
			words:    []string{"wifi", "wi-fi", "wlan", "wpa", "wireless"},
			compiled: lazily(`(?i)\b(?:wi-?fi|wlan|wpa[23]?(?:-psk)?|wireless)[- _]?(?:key|psk|schl(?:ü|ue)ssel|code|netzwerkschl(?:ü|ue)ssel)\b[^\n:=.]{0,40}?(?:[:=]| is| ist| lautet) ?["'\x60]?([^\s"'\x60]{8,63})`),
		},
		{
			kind: KindPassword, rank: rankOwn, reach: 96, minDigits: 3, accept: manyDigits,
			words: []string{
				"door", "gate", "alarm", "entry code", "lock", "safe code", "garage", "code d",
				"digicode", "puerta", "porta", "portone", "cancel", "t\xc3\xbcrcode", "tuercode",
			},
			compiled: lazily(`(?i)\b` + oneOf(doorCodes()) + `\b[^\n\d:=.]{0,24}?(?: ?[:=] ?| is | ist | est | es | è | é | )([\dA-Z*#]{4,10})(?:[^\w.:/-]|$|[.:](?:\s|$))`),
		},
		{
			kind: KindTOTP, rank: rankOwn, reach: 96, minDigits: 4,
			words: []string{
				"one-time", "one time", "verification", "sms", "login code", "security code",
				"einmal", "best\xc3\xa4tigungscode", "v\xc3\xa9rification", "verificaci", "verifica",
			},
			compiled: lazily(`(?i)\b` + oneOf(oneTimeCodes()) + `\b[^\n\d:=.]{0,32}?(?: ?[:=] ?| is | was | ist | war | lautet | est | es | è | é )(\d{3}[ -]?\d{3}|\d{4,8})(?:[^\w.-]|$|\.(?:\s|$))`),
		},
		{
			kind: KindTOTP, rank: rankOwn, reach: 400,
			words: []string{
				"wiederherstellungscode", "ersatzcode", "backup-code",
				"de secours", "de r\xc3\xa9cup\xc3\xa9ration",
				"de recuperaci", "de respaldo", "di recupero", "de recupera",
			},
			compiled: lazily(`(?i)\b(?:wiederherstellungscodes?|ersatzcodes?|backup-codes?|codes? de (?:secours|r[ée]cup[ée]ration)|c[óo]digos? de (?:recuperaci[óo]n|respaldo|recupera[çc][ãa]o)|codic[ei] di recupero)(?: (?:ist|sind|est|sont|es|son|è|sono|é|são))?[\s:=]{1,4}([a-z0-9-]{0,30}\d[a-z0-9-]{0,30}(?:[\s,;]{1,4}[a-z0-9-]{0,30}\d[a-z0-9-]{0,30})*)`),
			accept:   func(m match) bool { return len(m.secret) >= 6 },
		},
	}
}

// wifiKey accepts what a person would not write of such a key.
func wifiKey(m match) bool {
	v := clean(m.secret)
	return notPlaceholder(m) && hasDigit(v) && !technical(v) && !expression(m, v)
}

func manyDigits(m match) bool { return digits(m.secret) >= 3 }

// doorCodes announce what opens a door.
func doorCodes() []form {
	return []form{
		{`(?:front |back )?door[- ]?code`, "front door code"},
		{`gate[- ]?code`, "gate code"},
		{`alarm[- ]?code`, "alarm code"},
		{`(?:entry|lock|safe|garage) code`, "entry code"},
		{`t(?:ü|ue)r-?code`, "Türcode"},
		{`code d['’]entr[ée]e`, "code d'entrée"},
		{`digicode`, "digicode"},
		{`c[óo]digo de la (?:puerta|alarma)`, "código de la puerta"},
		{`codice (?:del cancello|della porta|del portone)`, "codice del cancello"},
		{`c[óo]digo da (?:porta|portaria)`, "código da porta"},
	}
}

// oneTimeCodes returns the phrases that announce a code sent for a single login, such as "sms code".
func oneTimeCodes() []form {
	return []form{
		{`one[- ]time (?:code|password|passcode)`, "one-time code"},
		{`(?:verification|login|security|sms) code`, "verification code"},
		{`einmal(?:code|kennwort|passwort)`, "Einmalcode"},
		{`(?:bestätigungs|sicherheits)code`, "Bestätigungscode"},
		{`code de v[ée]rification`, "code de vérification"},
		{`c[óo]digo de verifica(?:ci[óo]n|[çc][ãa]o)`, "código de verificación"},
		{`codice di verifica`, "codice di verifica"},
	}
}
