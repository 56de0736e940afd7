package redact

import "strings"

// Words about illness are also words about software: a crash is diagnosed, a job suffers
// from starvation, a cache has a dose of luck. So a condition counts only when it is named
// and a person has it.
const (
	conditions = `(?:(?:type [12] |gestational |chronic |acute |severe |major |clinical |bipolar |generali[sz]ed |early |late |stage (?:[1-4]|[iv]{1,3}) |breast |lung |colon |prostate |skin |ovarian |pancreatic |rheumatoid |multiple |post-?traumatic |high |obsessive[- ]compulsive |attention[- ]deficit |irritable |coeliac |celiac |parkinson'?s? |alzheimer'?s? |crohn'?s? |lyme |heart |kidney |liver )*` +
		`(?:diabetes|cancer|asthma|depression|hiv|aids|epilepsy|adhd|autism|bipolar(?: disorder)?|schizophrenia|arthritis|hypertension|high blood pressure|migraines?|hepatitis(?: [abc])?|leuk(?:a)?emia|lymphoma|melanoma|(?:anxiety|panic|eating|personality|compulsive|hyperactivity|stress) disorder|ptsd|ocd|copd|dementia|sclerosis|lupus|crohn'?s|anorexia|bulimia|endometriosis|tumou?r|stroke|tuberculosis|fibromyalgia|psoriasis|sickle cell an(?:a)?emia|an(?:a)?emia|cirrhosis|parkinson'?s|alzheimer'?s|hypothyroidism|hyperthyroidism|pneumonia|sepsis|covid(?:-19)?|syphilis|gonorrhea|chlamydia|herpes|insomnia|burnout|heart (?:disease|failure|attack)|(?:kidney|liver) (?:disease|failure)|bowel syndrome|disease|[a-z]{4,}(?:itis|oma|aemia|osis|opathy|plegia)))`
	person = `(?:(?i:i|he|she|they|we|you|who|patient|client|customer|employee|colleague|user|wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|brother|sister|boss)|[A-Z][a-z]+)`
	drugs  = `(?:[a-z]{3,}(?:pril|sartan|statin|olol|prazole|conazole|cillin|mycin|floxacin|azepam|zolam|oxetine|triptyline|tidine|gliptin|glutide|dipine|afil|profen|barbital|codone|morphone|setron|vudine|mab)|metformin|insulin|warfarin|sertraline|citalopram|escitalopram|bupropion|venlafaxine|lithium|methotrexate|prednisone|prednisolone|levothyroxine|adderall|ritalin|methylphenidate|xanax|valium|prozac|zoloft|tramadol|morphine|oxycodone|fentanyl|paracetamol|acetaminophen|ibuprofen|aspirin|gabapentin|pregabalin|quetiapine|risperidone|olanzapine|lamotrigine|clonidine|amphetamine|naltrexone|methadone)`
	dose   = `\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|g|ml|iu|units?)`
)

// anIllness refuses what is no illness for certain, such as a stroke of luck.
func anIllness(m match) bool {
	ofLuck := strings.HasPrefix(m.text.lower[m.end:], " of ") && !strings.HasSuffix(strings.ToLower(m.secret), "cancer")
	return m.secret != "disease" && m.secret != "burnout" && !ofLuck
}

// healthDetectors find what is known of a person's health. They look for few things and
// are meant to be right about those.
func healthDetectors() []*detector {
	return []*detector{
		{
			kind: KindHealth, rank: rankOwn, words: []string{"diagnosed with", "diagnosed as"}, reach: 160,
			compiled: lazily(`(?i)\bdiagnosed (?:with|as having) (?:an? |the )?(` + conditions + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 160,
			words:    []string{"suffer", "treated for", "treatment for", "medication for", "history of", "tested positive for", "died of", "living with", "therapy for", "surgery for"},
			compiled: lazily(`(?i)\b(?:suffer(?:s|ing|ed)? from|treated for|treatment for|medication for|medical history of|family history of|history of|tested positive for|died of|living with|therapy for|surgery for) (?:an? |the )?(` + conditions + `)\b`),
			accept:   func(m match) bool { return m.secret != "disease" && m.secret != "burnout" },
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 160, words: []string{" has ", " have ", " had ", "diagnosis"},
			compiled: lazily(`\b(?:` + person + ` (?:has|have|had)|(?i:diagnosis)(?: is| was|:)) (?:an? |been having )?((?i:` + conditions + `))\b`),
			accept:   anIllness,
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 120, words: []string{"mg", "mcg", "µg", " ml", " iu", "unit", "insulin"},
			compiled: lazily(`(?i)\b(` + dose + `(?: of)? ` + drugs + `|` + drugs + `,? ` + dose + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 120, words: []string{"prescri", "medication", "takes ", "taking ", "is on ", "am on "},
			compiled: lazily(`(?i)\b(?:prescribed|prescription(?: for|:)|medications?:|takes|taking|(?:is|am|are) on) (?:(?:her|him|me|them|us) )?(?:` + dose + ` (?:of )?)?(` + drugs + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 80, words: []string{"takes ", "taking ", "prescribed ", "dose of "},
			compiled: lazily(`(?i)\b(?:takes|taking|prescribed|daily dose of) (\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|iu)(?: of)? [a-z]{4,})`),
		},
		{
			kind: KindMedicalRecord, rank: rankOwn, reach: 80, words: []string{"mrn", "medical record", "health record", "patient id", "patient no", "patient number", "health insurance"},
			compiled: lazily(`(?i)\b(?:mrn|(?:medical|health) record (?:number|no\.?|#|id)|patient (?:id|no\.?|number)|health insurance (?:number|no\.?|id))["']?(?: is)?[ :=#"']{1,4}([a-z]{0,4}-?\d[\d-]{4,}[a-z0-9]?)\b`),
		},
		{
			kind: KindMedicalRecord, rank: rankExact, reach: 48, words: []string{"nhs"},
			compiled: lazily(`(?i)\bnhs(?: (?:number|no\.?))?(?: is)?[ :=#]{1,3}(\d{3}[ -]?\d{3}[ -]?\d{4})\b`),
			accept:   func(m match) bool { return validNHS(m.secret) },
		},
		{
			kind: KindMedicalRecord, rank: rankOwn, reach: 64, words: []string{"icd", "diagnosis code", "diagnosis:"},
			compiled: lazily(`\b(?i:icd-?10(?:-cm)?(?: codes?)?|diagnosis codes?|diagnosis)(?i: is)?[ :=(]{1,3}([A-TV-Z]\d[0-9AB](?:\.[0-9A-Z]{1,4})?)\b`),
		},
	}
}
