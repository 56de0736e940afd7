package memory

import (
	"strings"
	"sync"
)

// cueTable has the ways of a language to tell of a change, one a line: "*" stands
// for some words between, "~" for any ending. All is in lower case and without accents.
type cueTable struct{ over, change, now string }

var cueTables = map[string]cueTable{
	English: {
		over: `no longer
not * any more
not * anymore
not * any longer
any more
anymore
used to
formerly
previously
until now
is gone
are gone
was gone
was removed
were removed
been removed
removed
dropped
was retired
retired
been replaced
was replaced
were replaced
is replaced
are replaced
replaced
replaces
superseded
shut down
was shut
switched off
turned off
turned * off
decommissioned
deprecated
abandoned
gave up
given up
stopped
expired
has left
have left
left the
is leaving
is closed
was closed
abolished
discontinued
obsolete
outdated
phased out
got rid of
did away with
not apply
is over
was cancelled
revoked
the old
moved away
is dead
ditched
scrapped
lifted
out of use
out of date
wrong
not true
stepped down
resigned
changed their mind
instead of`,
		change: `switched
moved
migrated
changed
raised
lowered
increased
decreased
reduced
cut
renamed
upgraded
downgraded
bumped
shortened
extended
went from
converted
rewritten
ported
transferred
handed over
took over
taken over
swapped
went over to
goes to * now
replaced`,
		now: `now
from now on
as of
since
henceforth
new rule
correction
meanwhile
changed their mind
changed his mind
changed her mind
by now
nowadays
these days
update
going forward
at last
finally
today
took over
instead
has been * to
was * to`,
	},
	German: {
		over: `nicht mehr
kein~ * mehr
nie mehr
nicht langer
fruher
ehemals
bisher~
abgeschaltet
abgeschafft
abgelost
ersetzt
entfernt
aufgegeben
eingestellt
entfall~
gestrichen
beendet
abgekundigt
geloscht
in rente
ausgeschieden
verlassen
hat * verlassen
ausgelaufen
abgelaufen
veraltet
uberholt
gilt nicht
gelten nicht
weggefallen
fallt weg
aufgehort
der alte
die alte
das alte
die alten
statt
anstatt
anstelle
stimmt nicht
war falsch
ist falsch
aufgehoben
verworfen`,
		change: `umgestellt
gewechselt
verlegt
verschoben
umgezogen
migriert
geandert
erhoht
gesenkt
verringert
reduziert
verlangert
verkurzt
umbenannt
angehoben
herabgesetzt
portiert
umgeschrieben
ubernommen
ubergeben
gewandert
wurde von
ersetzt`,
		now: `jetzt
nun
ab sofort
ab jetzt
seit
seitdem
kunftig
inzwischen
mittlerweile
neuerdings
korrektur
berichtigung
neue regel
stattdessen
ab heute
ab dem
von nun an
in zukunft
sondern`,
	},
	Spanish: {
		over: `ya no
dejo de
dejamos de
dejaron de
ha dejado
han dejado
hemos dejado
hemos sustituido
sustituido
sustituida
sustituimos
sustituyo
reemplazado
reemplazada
reemplazamos
reemplazo
retirado
retirada
retiramos
eliminado
eliminada
eliminamos
caduco
caducado
desactivado
desactivada
apagado
apagada
cerrado
cerrada
abandonamos
abandonado
obsoleto
obsoleta
antes
anteriormente
antiguo
antigua
en vez de
en lugar de
se ha ido
se fue
se jubilo
descartado
descartamos
era incorrecto
no es correcto
anulado
derogado
desaparecio
suprimido`,
		change: `cambiado
cambiamos
cambio
cambiaron
pasado de
pasamos de
paso de
ha pasado
migrado
migramos
migro
movido
movimos
movio
traslado
trasladado
trasladamos
subido
subimos
subio
bajado
bajamos
bajo de
aumentado
aumento de
reducido
ampliado
acortado
renombrado
actualizado
reescrito
retrasado
adelantado`,
		now: `ahora
desde
a partir de
de ahora en adelante
actualmente
correccion
nueva norma
nueva regla
en adelante
hoy
por fin
finalmente`,
	},
}

// cue is one way to tell of a change.
type cue struct {
	words []string
	kind  cueKind
}

// cueIndex has the cues of a language by their first word; open are those
// whose first word may have any ending.
type cueIndex struct {
	byFirst map[string][]cue
	open    []cue
}

var allCues = sync.OnceValue(func() map[string]*cueIndex {
	all := make(map[string]*cueIndex, len(cueTables))
	for language, table := range cueTables {
		x := &cueIndex{byFirst: make(map[string][]cue)}
		for kind, list := range map[cueKind]string{cueOver: table.over, cueChange: table.change, cueNow: table.now} {
			for line := range strings.Lines(list) {
				words := strings.Fields(line)
				if strings.HasSuffix(words[0], "~") {
					x.open = append(x.open, cue{words, kind})
				} else {
					x.byFirst[words[0]] = append(x.byFirst[words[0]], cue{words, kind})
				}
			}
		}
		all[language] = x
	}
	return all
})

// cuesIn looks for the cues of a language in the words of a clause.
func cuesIn(language string, clause []string) cueKind {
	index, ok := allCues()[language]
	if !ok {
		index = allCues()[English]
	}
	var found cueKind
	for at, word := range clause {
		for _, cues := range [][]cue{index.byFirst[word], index.open} {
			for _, c := range cues {
				if found&c.kind == 0 && matches(clause[at:], c.words) {
					found |= c.kind
				}
			}
		}
	}
	return found
}

// matches reports whether a clause begins with the words of a cue; "*" stands
// for up to six words, and "~" at the end of one for any ending.
func matches(clause, cue []string) bool {
	const mostBetween = 6
	switch {
	case len(cue) == 0:
		return true
	case cue[0] == "*":
		for skip := 0; skip <= mostBetween && skip <= len(clause); skip++ {
			if matches(clause[skip:], cue[1:]) {
				return true
			}
		}
		return false
	case len(clause) == 0:
		return false
	}
	stem, open := strings.CutSuffix(cue[0], "~")
	return (clause[0] == stem || open && strings.HasPrefix(clause[0], stem)) && matches(clause[1:], cue[1:])
}
