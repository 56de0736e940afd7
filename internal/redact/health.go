package redact

import "strings"

// Words about illness are also words about software: a crash is diagnosed, a job suffers
// from starvation, a cache has a dose of luck. So a condition counts only when it is named
// and a person has it.
func conditions() string { return "(?:" + oneOf(qualifiers()) + "*" + oneOf(conditionNames()) + ")" }

func drugs() string { return oneOf(drugNames()) }

const (
	person = `(?:(?i:i|he|she|they|we|you|who|patient|client|customer|employee|colleague|user|wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|brother|sister|boss)|[A-Z][a-z]+)`
	dose   = `\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|g|ml|iu|units?)`
)

// qualifiers stand before the name of a condition.
func qualifiers() []form {
	return []form{
		{`type [12] `, "type 2 "},
		{`gestational `, "gestational "},
		{`chronic `, "chronic "},
		{`acute `, "acute "},
		{`severe `, "severe "},
		{`major `, "major "},
		{`clinical `, "clinical "},
		{`bipolar `, "bipolar "},
		{`generali[sz]ed `, "generalised "},
		{`early `, "early "},
		{`late `, "late "},
		{`stage (?:[1-4]|[iv]{1,3}) `, "stage 2 "},
		{`breast `, "breast "},
		{`lung `, "lung "},
		{`colon `, "colon "},
		{`prostate `, "prostate "},
		{`skin `, "skin "},
		{`ovarian `, "ovarian "},
		{`pancreatic `, "pancreatic "},
		{`rheumatoid `, "rheumatoid "},
		{`multiple `, "multiple "},
		{`post-?traumatic `, "posttraumatic "},
		{`high `, "high "},
		{`obsessive[- ]compulsive `, "obsessive compulsive "},
		{`attention[- ]deficit `, "attention deficit "},
		{`irritable `, "irritable "},
		{`coeliac `, "coeliac "},
		{`celiac `, "celiac "},
		{`parkinson'?s? `, "parkinson "},
		{`alzheimer'?s? `, "alzheimer "},
		{`crohn'?s? `, "crohn "},
		{`lyme `, "lyme "},
		{`heart `, "heart "},
		{`kidney `, "kidney "},
		{`liver `, "liver "},
	}
}

// conditionNames are the names of conditions, and the endings of others.
func conditionNames() []form {
	return []form{
		{`diabetes`, "diabetes"},
		{`cancer`, "cancer"},
		{`asthma`, "asthma"},
		{`depression`, "depression"},
		{`hiv`, "hiv"},
		{`aids`, "aids"},
		{`epilepsy`, "epilepsy"},
		{`adhd`, "adhd"},
		{`autism`, "autism"},
		{`bipolar(?: disorder)?`, "bipolar"},
		{`schizophrenia`, "schizophrenia"},
		{`arthritis`, "arthritis"},
		{`hypertension`, "hypertension"},
		{`high blood pressure`, "high blood pressure"},
		{`migraines?`, "migraine"},
		{`hepatitis(?: [abc])?`, "hepatitis"},
		{`leuk(?:a)?emia`, "leukaemia"},
		{`lymphoma`, "lymphoma"},
		{`melanoma`, "melanoma"},
		{`(?:anxiety|panic|eating|personality|compulsive|hyperactivity|stress) disorder`, "anxiety disorder"},
		{`ptsd`, "ptsd"},
		{`ocd`, "ocd"},
		{`copd`, "copd"},
		{`dementia`, "dementia"},
		{`sclerosis`, "sclerosis"},
		{`lupus`, "lupus"},
		{`crohn'?s`, "crohns"},
		{`anorexia`, "anorexia"},
		{`bulimia`, "bulimia"},
		{`endometriosis`, "endometriosis"},
		{`tumou?r`, "tumour"},
		{`stroke`, "stroke"},
		{`tuberculosis`, "tuberculosis"},
		{`fibromyalgia`, "fibromyalgia"},
		{`psoriasis`, "psoriasis"},
		{`sickle cell an(?:a)?emia`, "sickle cell anemia"},
		{`an(?:a)?emia`, "anemia"},
		{`cirrhosis`, "cirrhosis"},
		{`parkinson'?s`, "parkinsons"},
		{`alzheimer'?s`, "alzheimers"},
		{`hypothyroidism`, "hypothyroidism"},
		{`hyperthyroidism`, "hyperthyroidism"},
		{`pneumonia`, "pneumonia"},
		{`sepsis`, "sepsis"},
		{`covid(?:-19)?`, "covid"},
		{`syphilis`, "syphilis"},
		{`gonorrhea`, "gonorrhea"},
		{`chlamydia`, "chlamydia"},
		{`herpes`, "herpes"},
		{`insomnia`, "insomnia"},
		{`burnout`, "burnout"},
		{`heart (?:disease|failure|attack)`, "heart disease"},
		{`(?:kidney|liver) (?:disease|failure)`, "kidney disease"},
		{`bowel syndrome`, "bowel syndrome"},
		{`disease`, "disease"},
		{`[a-z]{4,}(?:itis|oma|aemia|osis|opathy|plegia)`, "gastritis"},
	}
}

// havingWords say that a person has the condition after them.
func havingWords() []form {
	return []form{
		{`suffer(?:s|ing|ed)? from`, "suffers from"},
		{`treated for`, "treated for"},
		{`treatment for`, "treatment for"},
		{`medication for`, "medication for"},
		{`medical history of`, "medical history of"},
		{`family history of`, "family history of"},
		{`history of`, "history of"},
		{`tested positive for`, "tested positive for"},
		{`died of`, "died of"},
		{`living with`, "living with"},
		{`therapy for`, "therapy for"},
		{`surgery for`, "surgery for"},
	}
}

// drugNames are the endings that the names of medicines share, and those without one.
func drugNames() []form {
	return []form{
		{`[a-z]{3,}(?:pril|sartan|statin|olol|prazole|conazole|cillin|mycin|floxacin|azepam|zolam|oxetine|triptyline|tidine|gliptin|glutide|dipine|afil|profen|barbital|codone|morphone|setron|vudine|mab)`, "lisinopril"},
		{`metformin`, "metformin"},
		{`insulin`, "insulin"},
		{`warfarin`, "warfarin"},
		{`sertraline`, "sertraline"},
		{`citalopram`, "citalopram"},
		{`escitalopram`, "escitalopram"},
		{`bupropion`, "bupropion"},
		{`venlafaxine`, "venlafaxine"},
		{`lithium`, "lithium"},
		{`methotrexate`, "methotrexate"},
		{`prednisone`, "prednisone"},
		{`prednisolone`, "prednisolone"},
		{`levothyroxine`, "levothyroxine"},
		{`adderall`, "adderall"},
		{`ritalin`, "ritalin"},
		{`methylphenidate`, "methylphenidate"},
		{`xanax`, "xanax"},
		{`valium`, "valium"},
		{`prozac`, "prozac"},
		{`zoloft`, "zoloft"},
		{`tramadol`, "tramadol"},
		{`morphine`, "morphine"},
		{`oxycodone`, "oxycodone"},
		{`fentanyl`, "fentanyl"},
		{`paracetamol`, "paracetamol"},
		{`acetaminophen`, "acetaminophen"},
		{`ibuprofen`, "ibuprofen"},
		{`aspirin`, "aspirin"},
		{`gabapentin`, "gabapentin"},
		{`pregabalin`, "pregabalin"},
		{`quetiapine`, "quetiapine"},
		{`risperidone`, "risperidone"},
		{`olanzapine`, "olanzapine"},
		{`lamotrigine`, "lamotrigine"},
		{`clonidine`, "clonidine"},
		{`amphetamine`, "amphetamine"},
		{`naltrexone`, "naltrexone"},
		{`methadone`, "methadone"},
	}
}

// anIllness refuses what is no illness for certain, such as a stroke of luck.
func anIllness(m match) bool {
	ofLuck := strings.HasPrefix(m.text.lower[m.end:], " of ") && !strings.HasSuffix(strings.ToLower(m.secret), "cancer")
	compound := m.end+1 < len(m.text.raw) && m.text.raw[m.end] == '-' && isLetter(m.text.raw[m.end+1]) // epilepsy-safe
	return m.secret != "disease" && m.secret != "burnout" && !ofLuck && !compound
}

// aMedicine refuses doses of what is none.
func aMedicine(m match) bool {
	return !anyOf(strings.ToLower(m.secret), "patience", "luck", "jitter", "coffee")
}

// healthDetectors find what is known of a person's health. They look for few things and
// are meant to be right about those.
func healthDetectors() []*detector {
	return []*detector{
		{
			kind: KindHealth, rank: rankOwn, words: []string{"diagnosed with", "diagnosed as"}, reach: 160,
			compiled: lazily(`(?i)\bdiagnosed (?:with|as having) (?:an? |the )?(` + conditions() + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 160,
			words:    []string{"suffer", "treated for", "treatment for", "medication for", "history of", "tested positive for", "died of", "living with", "therapy for", "surgery for"},
			compiled: lazily(`(?i)\b` + oneOf(havingWords()) + ` (?:an? |the )?(` + conditions() + `)\b`),
			accept:   func(m match) bool { return m.secret != "disease" && m.secret != "burnout" },
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 160, words: []string{" has ", " have ", " had ", "diagnosis"},
			compiled: lazily(`\b(?:` + person + ` (?:has|have|had)|(?i:diagnosis)(?: is| was|:)) (?:an? |been having )?((?i:` + conditions() + `))\b`),
			accept:   anIllness,
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 120, words: []string{"mg", "mcg", "µg", " ml", " iu", "unit", "insulin"},
			compiled: lazily(`(?i)\b(` + dose + `(?: of)? ` + drugs() + `|` + drugs() + `,? ` + dose + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 120, words: []string{"prescri", "medication", "takes ", "taking ", "is on ", "am on "},
			compiled: lazily(`(?i)\b(?:prescribed|prescription(?: for|:)|medications?:|takes|taking|(?:is|am|are) on) (?:(?:her|him|me|them|us) )?(?:` + dose + ` (?:of )?)?(` + drugs() + `)\b`),
		},
		{
			kind: KindHealth, rank: rankOwn, reach: 80, words: []string{"takes ", "taking ", "prescribed ", "dose of "},
			compiled: lazily(`(?i)\b(?:takes|taking|prescribed|daily dose of) (\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|iu)(?: of)? [a-z]{4,})`),
			accept:   aMedicine,
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
