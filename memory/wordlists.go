package memory

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The classes of prepositions. Two wordings may leave a weak one out, but not
// put another class in its place; a strong one must be the same in both.
const (
	roleAt   = "at"   // weak: place and time
	roleOf   = "of"   // weak
	roleFor  = "for"  // weak
	roleWith = "with" // weak: a means
	roleTo   = "to"   // weak
	roleFrom = "from" // strong
	roleOver = "over" // strong
	roleThan = "than" // strong: what is not preferred
)

func weakRole(role string) bool {
	return slices.Contains([]string{roleAt, roleOf, roleFor, roleWith, roleTo}, role)
}

// wordTable is what the words of one language do in a sentence, each list with
// white space between its words, in lower case and without accents.
type wordTable struct {
	carriers  string // carry no fact
	light     string // may be left out where all else is the same
	negators  string
	nones     string // negators that deny the verb before them: "needs no"
	splitters string // begin a clause
	// conditions are splitters that are a fact: what holds under them does not hold without.
	conditions []string
	// prepositions, a line a class: its name, then the words.
	prepositions string
	classes      string // nouns that say of what kind a named thing is
	synonyms     string // a line a meaning; the first word stands for it
	irregular    string // form=word
	passives     string // carriers before a verb whose subject is what it is done to
	times        string // words for a time, which need no preposition
	generic      string // said of anything: they tell little of what a text is about
	scopes       string // where or for whom something holds
	numbered     string // what a number after it names: "board 3"
}

var wordTables = map[string]wordTable{
	English: {
		carriers: `a an the is are am be been being do does did has have having had will would that which who this these those it its they them their
we us our ours you your he she his her i me my user's there please also just simply so therefore and but then as get gets got
always currently now really actually itself themselves about around roughly approximately approx circa some somewhat any all
every each own such up out`,
		light: `request value entry item thing case way project user team new whole entire existing given respective own still already
first automatically directly properly correctly explicitly normally generally instance copy name set`,
		negators:  `not no never none nobody nothing nowhere neither nor without cannot`,
		nones:     `no none nothing neither without`,
		splitters: `because since but while whereas although though if when whenever unless otherwise until so`,
		conditions: []string{
			"if if when whenever", "unless unless", "until until", "otherwise otherwise",
		},
		prepositions: `at in on at inside within during under
of of
for for
with with via through using
by by
to to into onto towards toward
from from off
before before
after after
over over above beyond
below below beneath underneath
between between among
against against
than than instead rather
except except besides
behind behind
per per`,
		classes: `branch file folder directory bucket command script tool library package table topic queue host hostname port
endpoint region module tag service class function method variable parameter option flag database channel version namespace image container cluster target key`,
		synonyms: `store keep save hold put persist
live lie sit reside located locate found stay
directory folder
symbolic-link symlink
delete remove erase drop
print display show output
larger bigger greater
postgres postgresql
need must require mandatory obligatory
want wish like
use utilize utilise employ
run execute
start begin launch boot
stop end halt
build compile
make create generate produce
repository repo
configuration config
documentation doc docs
application app
environment env
production prod
development dev
kubernetes k8s
javascript js
typescript ts
database db
message msg
error failure
fail break crash
choose pick select decide
change alter modify
fix repair mend resolve
happen occur
forbid prohibit disallow ban
allow permit
avoid
buy purchase
nightly night
daily day
weekly week
monthly month
hourly hour
yearly year annually annual
big large
small little
quick fast
author writer
only solely exclusively
developer dev-person
write
read
send
talk speak communicate
listen
contain include comprise
expect await
get receive obtain
give provide supply
call invoke
check verify validate
switch toggle
finish complete
signin login
too
lead
prefer favour favor
colour color
behaviour behavior
license licence
maximum max
minimum min
whether if`,
		irregular: `built=build rebuilt=rebuild ran=run kept=keep chose=choose chosen=choose sent=send wrote=write written=write took=take taken=take
made=make held=hold found=find lay=lie went=go gone=go began=begin begun=begin broke=break broken=break spoke=speak spoken=speak
got=get gave=give given=give left=leave lost=lose meant=mean met=meet paid=pay said=say saw=see seen=see sold=sell shut=shut stood=stand
taught=teach thought=think told=tell understood=understand won=win bought=buy brought=bring caught=catch came=come drew=draw drawn=draw
drove=drive driven=drive fell=fall fallen=fall felt=feel forgot=forget froze=freeze frozen=freeze grew=grow grown=grow hid=hide hidden=hide
knew=know known=know led=lead read=read rose=rise shown=show shot=shoot spent=spend threw=throw thrown=throw wore=wear
children=child people=person indices=index indexes=index matrices=matrix data=data lives=live leaves=leave
analyses=analysis caches=cache`,
		passives: `is are be been being was were get gets got`,
		times: `monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october
november december day night morning noon evening midnight week weekend month quarter year hour minute daily nightly weekly monthly today tonight`,
		generic: `use run want live lie need must may can should handle store make get come go work version user team service system project
set do give take call start happen follow apply happen serve provide support keep new default current old first write read send happen prefer like default rule`,
		scopes: `production staging test testing live development sandbox ci qa preview canary ios android windows linux macos mobile desktop web
eu us europe apac emea beta`,
		numbered: `step sprint ticket issue bug chapter section page board revision phase room line error worker node shard replica day release milestone
team level rule slot bay gate floor zone lane port-group part`,
	},
	German: {
		carriers: `der die das den dem des ein eine einen einem einer eines ist sind sein war wird werden wurde wurden worden hat haben habe
es sie er ihm ihr ihre ihren ihrem ihrer seine seinen seinem wir uns unser unsere unseren ich man sich dieser diese dieses diesen diesem
und aber auch bitte gerade eben einfach so dann da hier dort dass zu als immer stets derzeit aktuell jetzt nun etwa rund ungefahr circa ca
jede jeden jedem jeder jedes alle allen aller jeweils nur-noch selbst denn dabei dazu davon daran dafur welche welcher welches`,
		light: `wert eintrag element fall projekt benutzer team neu neue neuen ganz ganze gesamte gesamten bereits schon noch automatisch direkt
anfrage eigene eigenen jeweilige jeweiligen grundsatzlich generell normalerweise ausdrucklich bestehende bestehenden`,
		negators:   `nicht kein keine keinen keinem keiner keines nie niemals niemand nichts weder noch ohne`,
		nones:      `kein keine keinen keinem keiner keines nichts ohne`,
		splitters:  `weil denn da aber sondern wahrend obwohl wenn falls sobald sofern sonst bis damit`,
		conditions: []string{"wenn wenn falls sobald sofern", "sonst sonst", "bis bis"},
		prepositions: `at in im an am auf bei beim um innerhalb unter
of von vom
for fur
with mit uber per mittels via anhand
to zu zum zur gegen
from aus ab
after nach
before vor
through durch
than statt anstatt anstelle
except ausser
between zwischen
since seit
behind hinter`,
		classes: `branch datei ordner verzeichnis bucket befehl skript tabelle topic queue host port modul tag dienst klasse funktion methode
variable parameter option datenbank kanal version paket werkzeug`,
		synonyms: `benutzer nutzer anwender user
mochte will wunscht wunschen wollen mochten
speichern ablegen aufbewahren ablage abgelegt gespeichert aufbewahrt gesichert
loschen entfernen geloscht entfernt
starten beginnen startet beginnt anfangen
laufen lauft laufe
liegen liegt befindet befinden steht stehen
mussen muss mussen
brauchen braucht benotigt benotigen
durfen darf
sollen soll
nutzen nutzt benutzen benutzt verwenden verwendet verwende
erstellen erstellt erzeugen erzeugt generieren generiert
ordner verzeichnis
datenbank db
konfiguration config
produktion prod produktiv
verschicken verschickt versenden versendet senden sendet gesendet
ausfuhren ausgefuhrt
bauen gebaut baut
antworten antwortet
heissen heisst
prufen pruft gepruft testen testet getestet
schreiben schreibt geschrieben
lesen liest gelesen
taglich tag
wochentlich woche
monatlich monat
jahrlich jahr`,
		passives: `wird werden wurde wurden worden ist sind`,
		times: `montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags
januar februar marz april mai juni juli august september oktober november dezember tag nacht morgen mittag abend mitternacht woche wochenende
monat quartal jahr stunde minute heute nachts morgens abends taglich wochentlich monatlich`,
		generic: `nutzen laufen liegen mussen brauchen durfen sollen speichern gehen kommen machen geben nehmen arbeiten version benutzer team dienst
system projekt setzen starten neu alt standard bevorzugen werden stehen heissen`,
		scopes:   `produktion staging test entwicklung sandbox ci qa vorschau ios android windows linux macos mobil web eu usa europa beta`,
		numbered: `schritt sprint ticket kapitel abschnitt seite phase raum zeile fehler worker knoten tag halle tor ebene gleis regal linie platz`,
	},
	Spanish: {
		carriers: `el la los las lo un una unos unas es son esta estan ser sido ha han hay se su sus nos nuestro nuestra nuestros nuestras que
y e tambien este estos estas ese esa esos esas eso ello ellos ellas me te le les yo tu usted ustedes nosotros
cada todo toda todos todas siempre ahora actualmente simplemente favor asi entonces unos aproximadamente cerca como ya
fue fueron era eran debe-de`,
		light: `valor entrada elemento caso proyecto usuario equipo nuevo nueva mismo misma propio propia entero entera todavia aun automaticamente
directamente peticion solicitud normalmente generalmente existente`,
		negators:   `no nunca jamas ningun ninguna ninguno nada nadie tampoco ni sin`,
		nones:      `ningun ninguna ninguno nada sin`,
		splitters:  `porque pues pero sino mientras aunque si cuando salvo hasta`,
		conditions: []string{"si si cuando", "salvo salvo", "hasta hasta"},
		prepositions: `at en a al durante dentro
of de del
for para
with con mediante via usando
by por
from desde
to hacia
before ante antes
after tras despues
between entre
against contra
over sobre encima
under bajo
than vez lugar`,
		classes: `rama archivo fichero carpeta directorio bucket comando script tabla cola biblioteca libreria paquete servicio clase funcion
metodo variable parametro opcion puerto modulo etiqueta canal version host base`,
		synonyms: `usuario usuaria
querer quiere desea prefiere-que
guardar guarda guardan almacena almacenan almacenar conserva conservan
borrar borra borran elimina eliminan eliminar
usar usa usan utiliza utilizan utilizar emplea emplean
ejecutar ejecuta ejecutan lanza lanzan lanzar correr corre
generar genera generan crea crean crear produce producen
necesitar necesita necesitan requiere requieren
deber debe deben
poder puede pueden
empezar empieza empiezan comienza comienzan inicia inician arranca
archivo fichero
carpeta directorio
servidor servidores
biblioteca libreria
enviar envia envian manda mandan
cerrar cierra cierran
abrir abre abren
estar encuentra encuentran vive viven
hacer hace hacen realiza realizan
tardar tarda tardan
diario dia diariamente
semanal semana
mensual mes`,
		passives: `es son fue fueron ser sido se`,
		times: `lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre dia noche manana mediodia tarde medianoche semana mes trimestre ano hora minuto hoy diario semanal mensual`,
		generic: `usar ejecutar guardar necesitar deber poder hacer ir venir dar tomar trabajar version usuario equipo servicio sistema proyecto poner
empezar nuevo antiguo querer preferir estar funcionar llamar`,
		scopes:   `produccion staging pruebas desarrollo sandbox ci qa ios android windows linux macos movil web ue europa beta`,
		numbered: `paso sprint ticket capitulo seccion pagina fase sala linea error nodo dia nave puerta zona anden planta`,
	},
}

// wordLists is a [wordTable] ready for look-ups.
type wordLists struct {
	language                                               string
	carriers, light, negators, nones, splitters, classes   map[string]bool
	passives, times, generic, scopes, numbered             map[string]bool
	conditions, prepositions, synonyms, irregular, numbers map[string]string
}

var allWordLists = sync.OnceValue(func() map[string]*wordLists {
	all := make(map[string]*wordLists, len(wordTables))
	for language, table := range wordTables {
		all[language] = newWordLists(language, table)
	}
	return all
})

// wordListsOf returns the lists of a language, the English ones where it has none:
// words of a program and of English are in every text.
func wordListsOf(language string) *wordLists {
	if lists, ok := allWordLists()[language]; ok {
		return lists
	}
	return allWordLists()[English]
}

func newWordLists(language string, t wordTable) *wordLists {
	l := &wordLists{
		language: language, carriers: setOf(t.carriers), negators: setOf(t.negators), nones: setOf(t.nones),
		splitters: setOf(t.splitters), conditions: map[string]string{}, prepositions: map[string]string{},
		synonyms: map[string]string{}, passives: setOf(t.passives), irregular: map[string]string{}, numbers: map[string]string{},
	}
	for pair := range strings.FieldsSeq(t.irregular) {
		form, word, _ := strings.Cut(pair, "=")
		l.irregular[form] = word
	}
	eachLine(t.prepositions, l.prepositions, func(s string) string { return s })
	eachLine(t.synonyms, l.synonyms, l.stem)
	for _, line := range t.conditions {
		eachLine(line, l.conditions, func(s string) string { return s })
	}
	l.generic, l.scopes, l.numbered = l.formsOf(t.generic), l.formsOf(t.scopes), l.formsOf(t.numbered)
	l.light, l.times, l.classes = l.formsOf(t.light), l.formsOf(t.times), setOf(t.classes)
	for word := range setOf(t.classes) {
		l.classes[word+"s"] = true
	}
	counted := strings.Fields(numberLists[language][0])
	for i, word := range counted {
		l.numbers[word] = strconv.Itoa(i)
	}
	round := strings.Fields(numberLists[language][1])
	for i := 0; i+1 < len(round); i += 2 {
		l.numbers[round[i+1]] = round[i]
	}
	delete(l.numbers, "-")
	return l
}

func (l *wordLists) formsOf(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[l.form(word)] = true
	}
	return set
}

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// eachLine gives every word of a line, the first one too, the form of the first.
func eachLine(table string, into map[string]string, form func(string) string) {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		for _, word := range words {
			into[form(word)] = form(words[0])
		}
	}
}

// form is the one form of a plain word: without its ending, and one for all
// words of a meaning.
func (l *wordLists) form(word string) string {
	if whole, ok := l.irregular[word]; ok {
		word = whole
	}
	stem := l.stem(word)
	if meaning, ok := l.synonyms[stem]; ok {
		return meaning
	}
	return stem
}

// stem takes the commonest endings off. It is shy: two words that it takes for
// one are merged, while two that it does not are only named as much alike.
func (l *wordLists) stem(word string) string {
	switch l.language {
	case German:
		return cutEnding(word, 4, "en", "em", "es", "e", "n", "s")
	case Spanish:
		word = cutEnding(word, 4, "s")
		word = cutEnding(word, 4, "n", "r")
		return cutEnding(word, 4, "e")
	default:
		return englishStem(word)
	}
}

// cutEnding takes the first ending that fits off, if at least most bytes stay.
func cutEnding(word string, most int, endings ...string) string {
	for _, ending := range endings {
		if whole, ok := strings.CutSuffix(word, ending); ok && len(whole) >= most {
			return whole
		}
	}
	return word
}

func englishStem(word string) string {
	for _, ending := range []string{"ies", "ied"} {
		if whole, ok := strings.CutSuffix(word, ending); ok && len(whole) >= 2 {
			return whole + "y"
		}
	}
	if whole, ok := strings.CutSuffix(word, "es"); ok && len(whole) >= 3 && endsAny(whole, "s", "x", "z", "ch", "sh") {
		return whole
	}
	word = singular(word)
	for _, ending := range []string{"ing", "ed"} {
		whole, ok := strings.CutSuffix(word, ending)
		if !ok || len(whole) < 2 || !strings.ContainsAny(whole, "aeiouy") {
			continue
		}
		if n := len(whole); n > 3 && whole[n-1] == whole[n-2] && strings.IndexByte("lsz", whole[n-1]) < 0 {
			whole = whole[:n-1] // "running"
		}
		word = whole
		break
	}
	return cutEnding(word, 3, "e")
}

func endsAny(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(word, e) })
}
