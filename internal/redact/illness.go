package redact

import "strings"

// illnesses are conditions by name, in German, French, Spanish, Italian and Portuguese. The
// English ones stand in conditionNames.
func illnesses() []form {
	return []form{
		{`\p{L}*krebs`, "Brustkrebs"},
		{`diabetes(?: typ [12])?`, "Diabetes"},
		{`depression(?:en)?|d[ée]pression|depresi[óo]n|depressione|depress[ãa]o`, "Depressionen"},
		{`bluthochdruck`, "Bluthochdruck"},
		{`schlaganfall`, "Schlaganfall"},
		{`herzinfarkt`, "Herzinfarkt"},
		{`asthma|asthme|asma`, "asthme"},
		{`[ée]pilepsie|epilepsia|epilessia`, "Epilepsie"},
		{`\p{L}+(?:itis|ose|ämie)`, "Arthrose"},
		{`multiple sklerose|scl[ée]rose en plaques|esclerosis m[úu]ltiple`, "multiple Sklerose"},
		{`demenz|d[ée]mence|demencia|demenza`, "Demenz"},
		{`burn-?out`, "Burnout"},
		{`angstst(?:ö|oe)rung`, "Angststörung"},
		{`c[áa]ncer(?: de \p{L}+)?|cancro|tumore`, "cáncer de mama"},
		{`hipertensi[óo]n|hypertension|ipertensione`, "hipertensión"},
		{`(?:(?:morbo|mal|maladie|enfermedad|doença) d[ie] )?(?:parkinson|alzh?[eé]imer|crohn)`, "morbo di Parkinson"},
		{`autism[eo]|autismus`, "autismo"},
		{`schizophr[ée]nie|esquizofrenia|schizofrenia`, "esquizofrenia"},
		{`leuk[äa]mie|leuc[ée]mie|leucemia`, "Leukämie"},
		{`sclerosi multipla|esclerose m[úu]ltipla`, "sclerosi multipla"},
		{`adhs|tdah`, "ADHS"},
		{`vih|hiv|sida|aids`, "VIH"},
		{`migr[äa]ne|migra(?:ine|ña)|emicrania|enxaqueca`, "Migräne"},
	}
}

// illnessParts are parts of the names above, one of which a text must hold.
func illnessParts() []string {
	return strings.Fields("krebs diabet depress depresi d\xc3\xa9press hochdruck schlaganfall herzinfarkt asth asma epilep \xc3\xa9pilep epiless itis rose \xc3\xa4mie " +
		"sclerosi esclerose adhs tdah rheuma gicht parkinson alzheimer alzh\xc3\xa9imer crohn autism schizo esquizo leuk leuc esclerosis demenz d\xc3\xa9mence demencia demenza burnout burn-out angstst c\xc3\xa1ncer cancer cancro tumor hiperten hyperten iperten " +
		"vih sida aids migr\xc3\xa4ne migra emicrania enxaqueca")
}

// specialists are doctors whose name alone reveals an illness.
const specialists = `(?:psycho(?:therapist|logist|analyst)|psychiatrist|therapist|oncologist|cardiologist|neurologist|urologist|gyn(?:a)?ecologist|fertility (?:clinic|doctor)|rheumatologist|dermatologist|Psycho(?:therapeut|log)(?:in|en)?|Psychiater(?:in)?|Onkolog(?:e|in|en)|psychiatre|psychologue|psiquiatra|psic[óo]logo)`

// someone has a state of health; names of software are left out.
const someone = `(?:(?i:i|he|she|(?:my|his|her|our|their) (?:wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|brother|sister|boss|colleague|manager|girlfriend|boyfriend|cousin|aunt|uncle)|sie|er|ich|elle|ella|lei|ela|patient|colleague|él|(?:mi|su|mon|ma|son|sa|mio|mia|meu|minha|mein|meine) \p{L}+)|[A-Z][a-z]+)`

// illnessDetectors find states of health beyond diagnoses: a pregnancy, a loss, an allergy, an
// operation, and what other languages say of them.
func illnessDetectors() []*detector {
	ill := func(accept func(match) bool, expr string, words ...string) *detector {
		return &detector{kind: KindHealth, rank: rankOwn, words: words, reach: 160, compiled: lazily(expr), accept: accept}
	}
	return []*detector{
		ill(nil, `\b`+someone+`(?: (?i:is|was|am|is now|ist|war|est|está|è)|'s|'m) ((?i:(?:\w+ (?:weeks?|months?) )?pregnant|expecting (?:twins|a baby|a child)|schwanger|enceinte|embarazada|incinta|gr[áa]vida))\b`,
			"pregnant", "expecting", "schwanger", "enceinte", "embarazada", "incinta", "gr\xc3\xa1vida", "gravida"),
		ill(nil, `(?i)\b(?:pregnancy|schwangerschaft)(?: test| is| was|:| since| in)?[^\n.]{0,20}?(\d{1,2}\.? ?(?:weeks?|months?|woche|monat))`, "pregnancy", "schwangerschaft"),
		ill(nil, `\b`+someone+` (?:has |had |have )(?:an? )?((?i:miscarriage|abortion|stillbirth|ivf(?: treatment)?|vasectomy|hysterectomy|mastectomy|heart attack|nervous breakdown|mental breakdown|organ transplant|kidney transplant))\b`,
			"miscarriage", "abortion", "stillbirth", "ivf", "ctomy", "heart attack", "breakdown", "transplant"),
		ill(nil, `(?i)\b(?:on sick leave|off sick|signed off|called in sick|krankgeschrieben|krank|en arr[êe]t maladie|de baja)(?: \w+){0,3}? (?:because of|due to|with|for|wegen|pour|por) (?:an? )?(`+conditions()+`|`+oneOf(illnesses())+`|surgery|an operation|depression)\b`,
			"sick", "signed off", "krank", "maladie", "baja"),
		ill(nil, `\b`+someone+`(?: is| am| was|'m|'s) ((?:severely )?allergic to [a-z]{3,20})\b`, "allergic"),
		ill(notSoftware, `\b`+someone+`(?: is| was| am| will be|'s|'m)?(?: still| now)? (?:recovering from|scheduled for|had|has|having|needs|undergo(?:ing|es)) (?:an? |his |her |my )?((?i:[a-z]+ )?(?i:(?:surgery|chemo(?:therapy)?|dialysis|radiotherapy|radiation therapy|bypass operation|hip replacement|knee replacement)))\b`,
			"surgery", "chemo", "dialysis", "therapy", "operation", "replacement"),
		ill(nil, `\b(?i:sees?|seeing|saw|visits?|geht zu(?:r|m)?|bei (?:einer|einem|der|dem)|voit (?:un|une)|ve a un(?:a)?) (?:(?i:an?|my|his|her) )?(`+specialists+`)\b`,
			"psych", "therapist", "ologist", "onkolog", "fertility", "psiquiatra", "psic"),
		ill(nil, `\b`+someone+`(?: (?i:is|was|am|ist|war|est|es|está|è|é)|'s|'m) ((?i:autistic|diabetic|epileptic|schizophrenic|asthmatic|an alcoholic|a recovering alcoholic|hiv[- ]positive|bipolar|suicidal|autistisch|alkoholkrank|hiv-positiv|s[ée]ropositi(?:f|ve)|seropositiv[oa]|diab[ée]ti(?:que|c[oa])|[ée]pilepti(?:que|c[oa])|autist[ea]))(?:[\s.,;!?]|$)`,
			"istic", "betic", "b\xc3\xa9ti", "lepti", "phrenic", "asthmatic",
			"alcoholic", "alkohol", "positi", "bipolar", "suicidal", "autis"),
		ill(nil, `(?i)\b(?:tengo|tuve|ho|ho avuto|tenho|tive|j['’]ai) (?:un |une |una |le |la |il |o )?(`+oneOf(illnesses())+`)`, illnessParts()...),
		ill(nil, `\b`+someone+`(?:'ve| has| have| had|'s|'m| is| am| was)(?: been)? in ((?i:rehab|detox|psychiatric care|a psychiatric (?:ward|clinic|hospital)|palliative care|hospice))\b`,
			"rehab", "detox", "psychiatric", "palliative", "hospice"),
		ill(nil, `(?i)\b(?:for|because of|against|gegen|wegen|contre|contra|contro) (?:my|his|her|meine?|seine?|ihre?|mon|ma|son|sa|mi|su|mio|mia|meu|minha) (`+conditions()+`|`+oneOf(illnesses())+`)\b`,
			"for my", "for his", "for her", "of my", "of his", "of her",
			"against ", "gegen ", "wegen ", "contre ", "contra ", "contro "),
		ill(nil, `(?i)\b(?:ich nehme|er nimmt|sie nimmt|je prends|il prend|elle prend|tomo|toma|prendo|prende|nehme|nimmt)(?: \p{L}+){0,3} ((?:[A-Za-z]{4,}(?: \d+(?:[.,]\d+)? ?(?:mg|mcg|µg))|`+drugs()+`)(?: (?:gegen|contre|contra|contro) `+oneOf(illnesses())+`)?)`,
			"nehme", "nimmt", "prend", "tomo", "toma "),
		ill(nil, `(?i)\b(?:blood (?:type|group)|blutgruppe|groupe sanguin|grupo sangu[íi]neo|gruppo sanguigno)(?: is| ist| est| es)?[ :=]{1,3}((?:a|b|ab|0|o)(?: ?(?:positive?|negative?|positiv|negativ)|[+-]| rh[+-]))`,
			"blood", "blutgruppe", "sanguin", "sangu\xc3\xadneo"),
		ill(nil, `(?i)\b(?:degree of disability|grad der behinderung|gdb|disability rating|taux d['’]invalidit[ée])(?: is| of| ist|:)? ?(\d{1,3} ?%?)`, "disability", "behinderung", "gdb", "invalidit"),
		ill(nil, `(?i)\btest(?:ed|s)? ((?:positive|negative) for (?:hiv|hepatitis(?: [abc])?|covid(?:-19)?|syphilis|chlamydia|gonorrh(?:o)?ea|tuberculosis|cancer|drugs|cocaine|cannabis))\b`, "positive for", "negative for"),
		ill(nil, `(?i)(`+oneOf(illnesses())+`) (?:diagnostiziert|diagnosticad[oa]|diagnostiqu[ée]e?|festgestellt)\b`, "diagnosti", "festgestellt"),
		ill(nil, `(?i)\b(?:leide[tn]? (?:an|unter)|erkrankt an|diagnose:?|souffr(?:e|ait) (?:d['’]une? |d['’]|de |du )|atteinte? d(?:['’]une? |['’]|e |u )|padece(?: de)?|sufre de|enferm[oa] de|soffre di|sofre de|malat[oa] di) ?(?:einer |einem )?(`+oneOf(illnesses())+`)`,
			"leide", "erkrankt", "diagnose", "souffr", "atteint", "padece", "sufre", "enferm", "soffre", "sofre", "malat"),
		ill(nil, `(?i)\b(?:(?:mein|seine?|ihre?|unsere?)(?:e|r|en)? \p{L}+|er|sie|ich|\p{L}+) (?:hat|habe|hatte) (?:einen |eine )?(\p{L}*krebs|diabetes|schlaganfall|herzinfarkt|multiple sklerose|epilepsie|asthma|hiv|depressionen|demenz|bluthochdruck|migr[äa]ne|adhs|autismus|parkinson|alzheimer|leukämie|arthrose|rheuma|gicht)\b`,
			illnessParts()...),
		ill(nil, `(?i)\b(?:(?:mi|su|tu|mon|ma|son|sa|mio|mia|meu|minha) \p{L}+|[ée]l|ella|il|elle|lui|lei) (?:tiene|tuvo|a|ha|tem|teve) (?:un |une |una |le |du |la |il |el |o )?(`+oneOf(illnesses())+`)`,
			illnessParts()...),
	}
}

// notSoftware refuses surgery on code.
func notSoftware(m match) bool {
	return !strings.HasPrefix(strings.ToLower(m.secret), "code ") && !strings.HasPrefix(strings.ToLower(m.secret), "git ") &&
		!strings.HasPrefix(strings.ToLower(m.secret), "history ")
}
