package memory

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// intent is what kind of answer a question asks for, as its form tells.
type intent int

const (
	anyAnswer intent = iota
	howTo            // steps that do something
	whyAsked         // a reason
	howMuch          // a number
	whenAsked        // a time
	happened         // what took place
	wished           // what somebody wants or allows
)

// intentForms are beginnings of questions, in lower case and without accents;
// the longest one that fits counts. "*" stands for any one word.
var intentForms = map[intent]string{
	anyAnswer: `como se llama; como se llaman; como es; como son; wie heisst; wie heissen; wie ist`,
	howTo: `how do i; how do we; how do you; how can i; how can we; how to; how does one; what are the steps; steps to; steps for; which command; what is the command
wie * ich; wie * wir; wie * man; wie geht; welche schritte; mit welchem befehl
como *; pasos para; que pasos; con que orden; comment *; quelle commande; come si; come faccio; come posso; hoe kan ik; hoe moet ik`,
	whyAsked: `why; what is the reason; what was the reason; what was the cause; what caused; for what reason; how come
warum; wieso; weshalb; por que; pourquoi; perche; porque; waarom`,
	howMuch: `how many; how much; how long; how often; how old; how far; how big; how large; how fast; what percentage; which version; what version; which port; what port
wie viel; wie viele; wieviel; wie lange; wie oft; wie gross; wie weit; wie schnell; wie hoch; welche version; welcher port
cuanto; cuanta; cuantos; cuantas; cada cuanto; durante cuanto; que version; que puerto
combien; quanto; quanta; quanti; quante; quantos; quantas; hoeveel; hoe lang; hoe vaak`,
	whenAsked: `when; what time; at what time; what date; since when; until when; by when
wann; seit wann; bis wann; um wie viel uhr; um wieviel uhr; cuando; desde cuando; hasta cuando; a que hora; quand; quando; wanneer`,
	happened: `what happened; what went wrong; what came out of; what was the outcome; what was the result
was ist passiert; was ist * passiert; was geschah; was ging schief; was war los; was kam; que paso; que ocurrio; que salio; qu est ce qui s est passe; cosa e successo; o que aconteceu; wat is er gebeurd`,
	wished: `may i; may we; can i; should i; should we; how should; am i allowed; are we allowed; what style; which style; coding style; what does the user; do we want
darf ich; darf man; durfen wir; soll ich; sollen wir; wie soll; wie sollen; in welcher sprache; puedo; podemos; debo; debemos; como hay que; como debo; como debemos; en que idioma; puis je; dois je; posso; devo; mag ik`,
}

type form struct {
	words []string
	asks  intent
}

var intents = sync.OnceValue(func() []form {
	var all []form
	for want, forms := range intentForms {
		for f := range strings.FieldsFuncSeq(forms, func(r rune) bool { return r == ';' || r == '\n' }) {
			all = append(all, form{strings.Fields(f), want})
		}
	}
	slices.SortStableFunc(all, func(a, b form) int { return len(b.words) - len(a.words) })
	return all
})

// wanted is what the form of a question tells about its answer.
type wanted struct {
	kind     intent
	unit     string        // what "how many" counts, in plain letters
	from, to time.Duration // how long ago; to is 0 where nothing is said
}

func wantedBy(query string) wanted {
	asked := plainWords(query, 24)
	w := wanted{}
	for _, f := range intents() {
		if beginsWith(asked, f.words) {
			w.kind = f.asks
			if f.asks == howMuch && len(asked) > len(f.words) {
				w.unit = asked[len(f.words)]
			}
			break
		}
	}
	w.from, w.to = agoIn(asked)
	return w
}

func beginsWith(asked, form []string) bool {
	if len(asked) < len(form) {
		return false
	}
	for i, word := range form {
		if word != "*" && word != asked[i] {
			return false
		}
	}
	return true
}

// suits is how well a memory is of the kind that was asked for, 0 to 1.
func (w wanted) suits(m Memory) float64 {
	switch w.kind {
	case howTo:
		return one(m.Type == TypeProcedure)
	case whyAsked:
		return one(slices.Contains([]string{TypeDecision, TypeLearning, TypeError, TypeEpisode}, m.Type))
	case happened:
		return one(m.Type == TypeEpisode)
	case wished:
		return one(m.Type == TypePreference || m.Type == TypeDecision)
	case howMuch:
		return w.counts(m.Text)
	case whenAsked:
		return one(tellsTime(m.Text))
	}
	return 0
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// counts is 1 for a text with a number of what is counted, under its name or
// a sign for it ("140 km" for kilometres), and half for any other number.
func (w wanted) counts(text string) float64 {
	if !strings.ContainsFunc(text, unicode.IsDigit) {
		return 0
	}
	number := false
	for word := range wordsOf(text) {
		word = plainWord(word)
		if number && w.unit != "" && shortFor(word, w.unit) {
			return 1
		}
		number = strings.ContainsFunc(word, unicode.IsDigit)
	}
	return .5
}

// shortFor reports whether word is the unit, its beginning, or a sign of up to
// three of its letters in their order.
func shortFor(word, unit string) bool {
	if len(word) > 3 {
		return strings.HasPrefix(unit, word) || strings.HasPrefix(word, unit)
	}
	if word == "" || word[0] != unit[0] {
		return false
	}
	rest := unit
	for _, letter := range word {
		i := strings.IndexRune(rest, letter)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}
