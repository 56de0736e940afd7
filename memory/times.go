package memory

import (
	"slices"
	"strings"
	"sync"
	"time"
)

const day = 24 * time.Hour

// times are phrases that say how long ago something was, in days.
var times = sync.OnceValue(func() []ago {
	var all []ago
	for _, t := range []struct {
		from, to int
		phrases  string
	}{
		{0, 2, `today; this morning; this afternoon; heute; heute morgen; hoy; esta manana; aujourd hui; oggi; hoje; vandaag`},
		{0, 3, `yesterday; last night; gestern; ayer; anoche; ieri; ontem; gisteren`},
		{0, 8, `this week; diese woche; dieser woche; esta semana; cette semaine; questa settimana; deze week; beginning of the week; start of the week; anfang der woche; ende der woche; principios de semana`},
		{0, 11, `a few days ago; some days ago; days ago; the other day; vor einigen tagen; vor ein paar tagen; neulich; hace unos dias; hace dias; il y a quelques jours; alcuni giorni fa; ha alguns dias`},
		{2, 15, `last week; letzte woche; letzter woche; vorige woche; la semana pasada; semana pasada; la semaine derniere; settimana scorsa; semana passada; vorige week`},
		{0, 15, `recently; lately; just now; latest; most recent; newest; kurzlich; zuletzt; letztens; in letzter zeit; recientemente; ultimamente; hace poco; recemment; dernierement; di recente; recentemente; onlangs`},
		{0, 32, `this month; diesen monat; este mes; ce mois; questo mese; deze maand`},
		{10, 65, `last month; letzten monat; vorigen monat; el mes pasado; mes pasado; le mois dernier; mese scorso; vorige maand`},
	} {
		for p := range strings.SplitSeq(t.phrases, ";") {
			all = append(all, ago{strings.Fields(p), time.Duration(t.from) * day, time.Duration(t.to) * day})
		}
	}
	slices.SortStableFunc(all, func(a, b ago) int { return len(b.phrase) - len(a.phrase) })
	return all
})

type ago struct {
	phrase   []string
	from, to time.Duration
}

// agoIn returns the time that a phrase in a question names.
func agoIn(asked []string) (from, to time.Duration) {
	for _, t := range times() {
		for i := range asked {
			if beginsWith(asked[i:], t.phrase) {
				return t.from, t.to
			}
		}
	}
	return 0, 0
}

// timely is 1 for a memory of the time that was asked for.
func (w wanted) timely(m Memory, now time.Time) float64 {
	age := now.Sub(m.CreatedAt)
	return one(w.to > 0 && age >= w.from && age <= w.to)
}

// timeWords begin words that tell a time, in several languages.
var timeWords = strings.Fields(`monday tuesday wednesday thursday friday saturday sunday weekday weekend january february march april june july august september october november december
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz mai juni juli oktober dezember uhr nachts taglich wochentlich morgens abends
lunes martes miercoles jueves viernes sabado domingo enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre cada diario semanal
lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
lunedi martedi mercoledi giovedi venerdi segunda terca quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag
daily weekly monthly nightly every midnight noon clock since until deadline`)

// tellsTime reports whether a text names a day, a date or an hour.
func tellsTime(text string) bool {
	for word := range wordsOf(text) {
		word = plainWord(word)
		for _, w := range timeWords {
			if strings.HasPrefix(word, w) {
				return true
			}
		}
	}
	for i := 1; i+2 < len(text); i++ { // 02:15, 2026-01
		if (text[i] == ':' || text[i] == '-') && digit(text[i-1]) && digit(text[i+1]) && digit(text[i+2]) {
			return true
		}
	}
	return false
}

func digit(b byte) bool { return '0' <= b && b <= '9' }
