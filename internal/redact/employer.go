package redact

import "strings"

// A company or a person by name: words with a capital, and the small ones between them.
const companyName = `((?:[A-ZÄÖÜ][\p{L}\d&.'’-]*)(?: (?:(?:and|und|et|y|e|of|de|du|des|der|&) )?[A-ZÄÖÜ&][\p{L}\d&.'’-]*){0,4})`

// legalForm ends the name of a company, or says what line it is in.
var legalForm = lazily(`\b(?:GmbH|AG|KG|SE|UG|e\.V\.|Ltd|Limited|LLC|LLP|Inc|Corp|Corporation|PLC|plc|S\.?A|S\.?L|SAS|SARL|S\.?r\.?l|S\.?p\.?A|B\.?V|N\.?V|Oy|A/S|AB|Bank|Insurance|Group|Holdings?|Logistics|Systems|Solutions|Partners|Consulting|Industries|Pharma|Airlines|Hospital|University)\b\.?`)

// employerDetectors find for whom somebody works. Clients and customers are also words of
// software, so these count only with the name of a company.
func employerDetectors() []*detector {
	work := func(accept func(match) bool, expr string, words ...string) *detector {
		return &detector{kind: KindEmployer, rank: rankOwn, words: words, reach: 120, compiled: lazily(expr), accept: accept}
	}
	return []*detector{
		work(nil, `\b(?i:(?:my|our|his|her|their|the) (?:current |former |previous |new )?employer(?:'s name)?(?: is| was|:)) `+companyName, "employer"),
		work(aCompany, `\b(?i:(?:i am|i'm|he is|he's|she is|she's|we are|we're) (?:an? |the )?(?:\w+ ){0,2}(?:contractor|consultant|developer|engineer|employee|intern|freelancer|manager|analyst|designer|architect|admin(?:istrator)?) (?:at|for)) `+companyName, " at ", " for "),
		work(named, `\b(?i:(?:i am|i'm|he is|he's|she is|she's) an? \w+ (?:at|for)) `+companyName, " at ", " for "),
		work(named, `\b(?i:dienstleister für (?:die|den|das)|(?:mi|nuestra|minha|la mia) (?:empresa|azienda) (?:se llama|se chama|si chiama)|(?:la|notre) soci[ée]t[ée]) `+companyName, "dienstleister", "empresa", "azienda", "soci\xc3\xa9t\xc3\xa9", "societe"),
		work(nil, `\b(?i:bei der firma|für die firma|in der firma) `+companyName, "firma"),
		work(named, `\b(?i:(?:ich|wir|er|sie) arbeite[nt]? (?:für|bei) (?:die|den|der|dem|unsere[nr]?) (?:kund(?:e|in|en)|firma|mandant(?:in|en)?)) `+companyName, "arbeite"),
		work(aCompany, `\b(?i:(?:employée?|salariée?|consultante?|d[ée]veloppeu(?:r|se)) chez) `+companyName, " chez "),
		work(aCompany, `\b(?i:(?:trabajo|trabalho|trabaja|trabalha|lavoro|lavora) (?:en la empresa|na empresa|nell['’]azienda|nella ditta)) `+companyName, "empresa", "azienda", "ditta"),
		work(nil, `\b(?i:employed (?:by|at)) `+companyName, "employed"),
		work(aCompany, `\b(?i:(?:i|we|he|she|they) (?:am |are |is )?(?:currently |now |also )?(?:work(?:s|ed|ing)? (?:for|at))) `+companyName, "k for", "k at", "ks for", "ks at", "ed for", "ed at", "ing for", "ing at"),
		work(nil, `\b(?i:(?:mein|unser|ihr|sein) (?:neuer |alter )?arbeitgeber(?: ist| war| heißt|:)) `+companyName, "arbeitgeber"),
		work(aCompany, `\b(?i:(?:ich|er|sie|wir) arbeite[nt]? (?:bei|für)(?: der| dem)?) `+companyName, "arbeite"),
		work(nil, `\b(?i:(?:mon|notre|son) employeur(?: est|:)) `+companyName, "employeur"),
		work(aCompany, `\b(?i:je travaille (?:chez|pour)) `+companyName, "travaille"),
		work(aCompany, `\b(?i:trabajo para|mi empresa es|mi empleador es) `+companyName, "trabajo", "empresa", "empleador"),
		work(aCompany, `\b(?i:lavoro (?:per|presso)|trabalho (?:para|na|no)) `+companyName, "lavoro", "trabalho"),
		work(named, `\b(?i:(?:my|our|the|unser|unsere|notre|nuestro) (?:biggest |main |new |largest )?(?:clients?|customers?|kund(?:e|in)|cliente?)(?:'s name)?(?: is| are| was| ist| est| es|:)) `+companyName, "client", "customer", "kund"),
		work(twoNames, `\b(?i:(?:my|our) (?:manager|boss|supervisor|team lead|colleague|coworker|co-worker|hr contact)(?: is| was|:)|mein(?:e)? (?:chef(?:in)?|kolleg(?:e|in)|vorgesetzter?) ist) `+companyName, "manager", "boss", "supervisor", "team lead", "colleague", "coworker", "co-worker", "hr contact", "chef", "kolleg", "vorgesetzt"),
		work(aCompany, bossAt, "manager", "boss", "supervisor", "team lead", "colleague", "coworker", "co-worker"),
		work(staffNumber, `(?i)\b(?:(?:employee|staff|personnel|payroll|badge) (?:id|number|no\.?|nr\.?|#)|personalnummer|mitarbeiternummer|matricule|n[úu]mero de empleado|matricola)(?: is| ist| est| es)?[ :=#]{1,3}([a-z]{0,4}-?\d[\w-]{2,12})\b`,
			"employee", "staff", "personnel", "payroll", "badge", "personalnummer", "mitarbeiternummer", "matricule", "empleado", "matricola"),
	}
}

// bossAt finds the company behind the name of a superior or colleague.
const bossAt = `\b(?i:(?:my|our) (?:manager|boss|supervisor|team lead|colleague|coworker|co-worker)) (?:is|was) (?:[A-ZÄÖÜ][\p{L}'’-]+ ){1,3}(?:at|from|of) ` + companyName

func staffNumber(m match) bool { return digits(m.secret) >= 3 }

// named accepts the name of a company.
func named(m match) bool { return legalForm().MatchString(m.secret) }

// twoNames accepts a first and a last name.
func twoNames(m match) bool { return strings.Contains(m.secret, " ") }

// aCompany accepts what can employ somebody: not a day, a month or a word that begins a
// sentence about software.
func aCompany(m match) bool {
	first, _, more := strings.Cut(m.secret, " ")
	return more || named(m) || !timeOrTool().MatchString(first)
}

var timeOrTool = lazily(`^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|October|November|December|I|We|It|The|This|That|Linux|Windows|macOS|Mac|Python|Go|Rust|Java|Node|Postgres(?:QL)?|Docker|Kubernetes|CI|API|URL|JSON|YAML|HTTPS?|GPU|CPU|UTC|Night|All|Both|Any)(?:['’]s)?[.,]?$`)
