package redact

import "strings"

// phoneWords announce a telephone number, in six languages.
func phoneWords() []form {
	return []form{
		{`(?:tele)?phone`, "phone"},
		{`mobile`, "mobile"},
		{`tel(?:efon|éfono|efono|efone|éphone)?`, "teléfono"},
		{`m[óo]vil`, "móvil"},
		{`cel(?:ular|lulare)?`, "cellulare"},
		{`cell`, "cell"},
		{`handy(?:nummer)?`, "Handynummer"},
		{`portable`, "portable"},
		{`fax`, "fax"},
		{`sms`, "sms"},
		{`whatsapp`, "WhatsApp"},
		{`(?:my|mein|mon|mi|il mio|o? ?meu) (?:n[úu]m[ée]ro|number|nummer)`, "mi número"},
		{`(?:ring|ring up) (?:me|him|her)`, "ring me"},
		{`call(?: (?:me|him|her|them|us))?`, "call her"},
		{`reach (?:me|him|her|them|us)`, "reach him"},
		{`text \w+`, "text Tom"},
		{`dial`, "dial"},
		{`erreich\w*`, "erreichst"},
		{`ruf\w*`, "ruf"},
		{`anruf\w*`, "anrufen"},
		{`ll[áa]m\w*`, "llama"},
		{`liga\w*`, "liga"},
		{`appel\w*`, "appelle"},
		{`chiam\w*`, "chiama"},
	}
}

// Parts of addresses.
const (
	capital    = `[A-ZÄÖÜÉÈÀÁÍÓÚÑÇ]`
	properName = capital + `[\p{L}'’.-]+`
	usStreet   = `(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Grove|Close|Crescent|Row|Hill|Gardens|Mews|Parkway|Pkwy|Circle|Cir)\.?`
	usPlace    = `(?:[A-Z]{2},? \d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)`
	deStreet   = properName + `(?:[ -]` + properName + `){0,2}?(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|[ -]Stra(?:ß|ss)e|[ -]Weg|[ -]Platz|[ -]Allee)`
	frStreet   = `(?:rue|avenue|av\.|boulevard|bd\.?|place|chemin|all[ée]e|impasse|quai|cours)`
	southern   = `(?:Calle|C/|Avenida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua|Travessa|Praça)`
	livesAt    = `(?:(?:home|postal|street|mailing|private|billing|delivery) address(?: is| was|:)|(?:lives?|living|moved?) (?:at|to)|wohnt? (?:in|am)(?: der| dem)?|wohnhaft(?: in)?(?: der)?|habite(?: au)?|vive en|abita in|mora na)`
)

// contactDetectors find how a person is reached and where they live: telephone numbers as
// they are written at home, addresses, licences.
func contactDetectors() []*detector {
	out := append(nationalPhones(), addresses()...)
	return append(out, papers()...)
}

func nationalPhones() []*detector {
	free := func(n int, expr string) *detector {
		return &detector{kind: KindPhone, rank: rankOwn, spots: digitRows(n), compiled: lazily(expr), accept: notNumber}
	}
	return []*detector{
		free(10, `(?:^|[^\w+./=-])(01[567]\d[ /-]?\d{3,4} ?\d{3,5})(?:[^\w-]|$)`),                                      // Germany, mobile
		free(10, `(?:^|[^\w+./=-])(0[1-79](?:[ .]\d{2}){4})(?:\.?(?:[^\w.-]|$))`),                                      // France
		free(11, `(?:^|[^\w+./=-])(07\d{3} \d{3} ?\d{3}|0(?:20|1\d{2,3}) \d{3,4} \d{4})(?:[^\w-]|$)`),                  // United Kingdom
		free(10, `(?:^|[^\w+./=-])(\(\d{2}\) ?9?\d{4}-\d{4})(?:[^\w-]|$)`),                                             // Brazil
		free(11, `(?:^|[^\w+./=-])(00[1-9]\d{0,2}[ ./-]\(?0?\d{2,5}\)?[ ./-]?\d{3,5}(?:[ ./-]?\d{2,5})?)(?:[^\w-]|$)`), // abroad
		{
			kind: KindPhone, rank: rankOwn, spots: digitRowsBehind(7, 48), accept: phoneInContext,
			compiled: lazily(`(?i)\b` + oneOf(phoneWords()) + `\b[^\n\d(+]{0,24}(\(?\+?0?\d[\d ()./-]{6,18}\d)(?:[^\w]|$)`),
		},
	}
}

// notNumber refuses what has more digits than a telephone number, or is a date.
func notNumber(m match) bool {
	n := digits(m.secret)
	return n >= 9 && n <= 15 && !dateLike().MatchString(m.secret)
}

func addresses() []*detector {
	near := func(expr string, words ...string) *detector {
		return &detector{kind: KindAddress, rank: rankOwn, words: words, minDigits: 1, reach: maxAddress, compiled: lazily(expr)}
	}
	lives := []string{
		"address is", "address was", "address:", "lives at", "live at", "living at", "moved to", "moved at", "move to",
		"wohnt", "wohn ", "wohnhaft", "habite", "vive en", "abita in", "mora na",
	}
	const us = `(\d{1,5}[A-Za-z]? (?:` + properName + ` ){1,4}` + usStreet + `(?:,? (?:Apt|Apartment|Suite|Unit|Flat|#) ?[\w-]{1,6})?`
	return []*detector{
		{
			kind: KindAddress, rank: rankOwn, spots: houseNumbers, minDigits: 3,
			compiled: lazily(`\b` + us + `,? (?:` + properName + ` ?){1,4},? ` + usPlace + `)`),
		},
		near(`(?i:`+livesAt+`) `+us+`(?:, (?:`+properName+` ?){1,4})?)`, lives...),
		near(`(`+deStreet+` \d{1,4} ?[a-z]?,? (?:D-)?\d{4,5} `+properName+`(?: `+properName+`)?)`,
			"stra\xc3\x9fe ", "strasse ", "str. ", "weg ", "platz ", "allee ", "gasse ", "ring ", "damm ", "ufer "),
		// Streets with a preposition: Am Mühlenbach, An der Alster, Im Grund, Unter den Linden.
		near(`(?i:adresse|anschrift|wohn\p{L}*|liefer\p{L}*|sitz|büro|treffpunkt|zuhause|zieh\p{L}*)[^\n\d]{0,30}?\b((?:Am|An der|An den|Im|In der|Auf der|Auf dem|Zum|Zur|Unter den|Hinter der) `+properName+` \d{1,4} ?[a-z]?, (?:D-)?\d{5} `+properName+`)`,
			"am ", "an de", "im ", "in der ", "auf de", "zum ", "zur ", "unter den ", "hinter der "),
		near(`(?i:`+livesAt+`) (`+properName+`(?: `+properName+`){0,2} \d{1,4} ?[a-z]?, (?:D-)?\d{4,5} `+properName+`)`, lives...),
		near(`(?i:`+livesAt+`) (`+deStreet+` \d{1,4}[a-z]?)`, lives...),
		near(`(?i)\b(\d{1,4}(?: bis| ter)?,? `+frStreet+` [^\n,\d]{2,40},? \d{5} [\p{L}-]+)`,
			" rue ", " avenue ", " av. ", " boulevard ", " bd ", " place d", " chemin ", " all\xc3\xa9e ", " impasse ", " quai ", " cours "),
		near(`(`+southern+` [^\n,\d]{2,40},? (?:n\.?º? ?)?\d{1,4},? (?:\d{1,2} ?[ºª°]? ?[A-Za-z]{0,4},? )?\d{4,5}(?:-\d{3})? `+properName+`)`,
			"calle ", "c/ ", "avenida ", "avda", "plaza ", "paseo ", "via ", "viale ", "corso ", "piazza ", "rua ", "travessa ", "pra\xc3\xa7a "),
	}
}

// papers find the numbers of licences and plates, behind their names.
func papers() []*detector {
	return []*detector{
		{
			kind: KindLicence, rank: rankOwn, reach: 80,
			words:    []string{"driv", "f\xc3\xbchrerschein", "fuehrerschein", "permis de conduire", "carnet de conducir", "patente", "carta de condu"},
			compiled: lazily(`(?i)\b(?:driv(?:er['’]?s?|ing)[ -]?licen[cs]e|f(?:ü|ue)hrerschein|permis de conduire|carnet de conducir|patente(?: di guida)?|carta de condu[çc][ãa]o)(?:[ -]?(?:number|nummer|no\.?|nr\.?|n°|#))?(?: is| ist| es| est)?[ :=]{1,3}([A-Z0-9][A-Z0-9 -]{3,18}[A-Z0-9])\b`),
			accept:   func(m match) bool { return digits(m.secret) >= 4 },
		},
		{
			kind: KindLicence, rank: rankOwn, reach: 64,
			words:    []string{"plate", "kennzeichen", "plaque", "matr\xc3\xadcula", "targa"},
			compiled: lazily(`\b(?i:(?:licen[cs]e|number|registration) plate|kfz-kennzeichen|kennzeichen|plaque d['’]immatriculation|matr[íi]cula del coche|targa)(?i: is| ist| es| est)?[ :=]{1,3}([A-ZÄÖÜ0-9]{1,4}[ -]?[A-Z0-9]{1,4}[ -]?[A-Z0-9]{1,5})\b`),
			accept:   func(m match) bool { return hasDigit(m.secret) && hasLetter(m.secret) },
		},
		{
			kind: KindPassword, rank: rankOwn, reach: 64, words: []string{"maiden name", "m\xc3\xa4dchenname", "geburtsname"},
			compiled: lazily(`(?i:maiden name|m(?:ä|ae)dchenname|geburtsname)(?i: is| was| ist| of my mother is|:)? ?:? ?(` + properName + `)`),
			accept:   func(m match) bool { return !strings.Contains(m.before, "\n") },
		},
	}
}
