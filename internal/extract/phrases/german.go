package phrases

import "github.com/mneme-memory/mneme/internal/lexis"

// German is how things are said in German.
func German() Language {
	return Language{
		Name:   "German",
		Always: germanAlways, Never: germanNever, Must: germanMust, Prefers: germanPrefers, Decides: germanDecides, Chooses: germanChooses,
		Contrasts: germanContrasts, Reasons: germanReasons, Stands: germanStands, Times: germanTimes, Scopes: germanScopes,
		Reminds: germanReminds, Demands: germanDemands, Habits: germanHabits, Order: germanOrder, Leads: germanLeads,
		Hedges: germanHedges, Wishes: germanWishes, Now: germanNow, Troubles: germanTroubles, Tasks: germanTasks, Stories: germanStories,
		Objects: germanObjects, Agrees: germanAgrees, Retracts: germanRetracts, Secrets: germanSecrets, Talk: germanTalk,
		Declares: germanDeclares, Acknowledges: germanAcknowledges, Demanded: germanDemanded,
		Causes: germanCauses, Mends: germanMends, Finds: germanFinds,
	}
}

var germanAlways = lexis.Table{
	{`immer`, "Pegelstände stehen immer in UTC"},
	{`stets`, "stets mit Test"},
	{`künftig`, "schreib Kommentare künftig auf Deutsch"},
	{`in Zukunft`, "in Zukunft zuerst der Test"},
	{`ab (?:jetzt|sofort|heute)`, "ab jetzt auf Deutsch"},
	{`von (?:nun|jetzt) an`, "von nun an auf Deutsch"},
	{`grundsätzlich`, "grundsätzlich ohne Zeitzone"},
	{`jedes Mal`, "jedes Mal vor dem Release"},
}

var germanNever = lexis.Table{
	{`nie(?:mals)?`, "wir löschen nie eine Rechnung"},
	{`keinesfalls|auf keinen Fall`, "auf keinen Fall löschen"},
	{`(?:darf|dürfen|soll|sollen) (?:\S+ ){0,6}(?:nicht|kein\w*|nie)`, "Backups dürfen nicht gelöscht werden"},
	{`(?:benutz|verwend|nimm|nutz|schreib|änder|lösch)\w* (?:\S+ ){0,4}(?:nicht|kein\w*)`, "benutze hier kein jQuery"},
	{`kein\w* \S+ in`, "keine Logik in Templates"},
	{`ist (?:verboten|tabu)`, "force push ist verboten"},
}

var germanMust = lexis.Table{
	{`muss|müssen`, "Pakete müssen mitgeliefert werden"},
	{`nur`, "der Server ist nur über das VPN zu erreichen"},
	{`(?:darf|dürfen)`, "Ärzte dürfen erst nach 11 Stunden wieder arbeiten"},
	{`(?:höchstens|mindestens|frühestens|spätestens|maximal)`, "frühestens nach 11 Stunden"},
	{`ausschließlich`, "ausschließlich über den Proxy"},
	{`(?:ist|sind) (?:Pflicht|vorgeschrieben|erforderlich)`, "eine Prüfung ist Pflicht"},
	{`erst in`, "umgerechnet wird erst in der Grafik"},
}

var germanPrefers = lexis.Table{
	{`ich (?:hätte|habe) (?:\S+ ){0,2}(?:gern|lieber)`, "Ich hätte gern immer erst einen Test"},
	{`ich (?:möchte|will|mag|bevorzuge|brauche) (?:\S+ ){0,3}(?:keine?\w*|immer|nicht|lieber|nur)`, "ich möchte keine Listen"},
	{`mir (?:ist|sind|reicht|reichen)`, "mir reichen zwei Sätze"},
	{`bitte (?:\S+ ){0,6}(?:immer|nie|künftig|kein\w*)`, "bitte immer mit Test"},
	{`halte? (?:deine|die) (?:Antworten|Commits)`, "halte deine Antworten kurz"},
	{`am liebsten`, "am liebsten kurze Funktionen"},
}

var germanDecides = lexis.Table{
	{`wir (?:nehmen|bleiben|verwenden|nutzen|setzen|behalten|entscheiden|wechseln|machen|legen)`, "Wir nehmen Quartz statt Hangfire"},
	{`(?:nehmen|verwenden|nutzen|behalten) wir`, "dann nehmen wir Quartz"},
	{`(?:haben|wir) (?:uns )?(?:für|gegen) (?:\S+ ){1,4}entschieden`, "wir haben uns für Quartz entschieden"},
	{`es bleibt bei`, "es bleibt bei Postgres"},
	{`(?:bleibt|bleiben) (?:\S+ ){0,4}(?:bei|auf|mit|so)`, "Das Kassensystem bleibt bei der Version 8"},
}

var germanChooses = lexis.Table{
	{`(?:nimm|nehmen wir|verwende|nutze|benutze|bleib bei)`, "Nimm lieber winnow"},
}

var germanContrasts = lexis.Table{
	{`statt(?:dessen)?|anstatt|anstelle`, "Quartz statt Hangfire"},
	{`nicht (?:[^.;]{2,60}),? sondern`, "nicht als CSV, sondern als XLSX"},
	{`sondern`, "sondern legen einen Gegenbeleg an"},
	{`nicht (?:[^;]{2,40}), (?:er|sie|es)`, "der Lauf ist nicht am 10., er startet am 12."},
	{`nicht mehr`, "der alte Host wird nicht mehr benutzt"},
	{`(?:,|und) nicht \S+`, "auf Deutsch und nicht auf Englisch"},
	{`(?:stimmt|passt) nicht(?: mehr)?, (?:es|sie|er|das)`, "Das mit den 30 Euro stimmt nicht, es sind 40"},
	{`nicht mehr`, "nicht mehr auf db-lager01"},
}

var germanReasons = lexis.Table{
	{`weil`, "weil die Nummernfolge lückenlos bleiben muss"},
	{`, da`, "als HTML, da die Vorlagen aus der Fachabteilung kommen"},
	{`denn`, "denn Hangfire braucht eine eigene Datenbank"},
	{`damit`, "damit die Prüfung es findet"},
	{`sonst`, "sonst bricht der Lauf ab"},
	{`wegen`, "wegen der Prüfung"},
	{`deshalb|daher|also`, "Pakete müssen also mitgeliefert werden"},
}

var germanStands = lexis.Table{
	{`(?:kommt|kommen|stammt|stammen) (?:aus|von)`, "die Feiertage kommen aus der Tabelle"},
	{`(?:liegt|liegen|steht|stehen|läuft|laufen|hört|startet|starten|beginnt|endet|geht|gehen|gehört|gilt|gelten) (?:\S+ ){0,4}(?:in|im|am|auf|unter|um|bei|über|als|an|für|ab)`, "Pegelstände stehen in der Datenbank in UTC"},
	{`(?:ist|sind) (?:\S+ ){0,6}(?:fällig|erlaubt|zuständig|erreichbar|zu erreichen)`, "Der Bericht ist am 31. März fällig"},
	{`(?:wird|werden) (?:\S+ ){0,6}(?:geliefert|erzeugt|gespeichert|gezählt|gemeldet|geprüft|verschickt)`, "die Datei wird nachts geliefert"},
	{`hat kein\w*`, "der Server hat keinen Zugang zum Internet"},
	{`(?:ist|sind|hat|haben) (?:\S+ ){0,4}\d+`, "Honig hat 7 %"},
	{`lässt (?:\S+ ){1,4}aus`, "der Lauf lässt Kunden mit Ratenplan aus"},
}

var germanTimes = lexis.Table{
	{`(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?`, "sonntags um fünf"},
	{`(?:jede[nrsm]?|pro) (?:\w+ )?(?:Tag|Woche|Monats?|Jahre?s?|Quartals?|Nacht|Stunde|Release)`, "am 12. jedes Monats"},
	{`um \d{1,2}(?::\d\d)?(?: Uhr)?`, "um 22 Uhr"},
	{`(?:am|bis|vor|nach|ab|zum) (?:dem |zum )?\d{1,2}\.`, "am 31. März"},
	{`\d+ (?:Tagen?|Wochen?|Stunden?|Minuten?|Monaten?|Jahren?)`, "nach 11 Stunden"},
	{`(?:täglich|stündlich|wöchentlich|monatlich|jährlich)`, "täglich"},
}

var germanScopes = lexis.Table{
	{`(?:in|für|bei) (?:allen?|jede[mrn]?)`, "in allen Modulen"},
	{`überall`, "überall"},
	{`in (?:diesem|unserem) (?:Projekt|Repo\w*|Team)`, "in diesem Projekt"},
	{`in (?:der )?Produktion`, "in Produktion"},
	{`(?:alle|jede[rsn]?) \w+`, "alle Tests"},
	{`von Hand`, "von Hand"},
}

var germanReminds = lexis.Table{
	{`merk(?:e)? dir`, "Merk dir: Pegelstände stehen in UTC"},
	{`denk (?:bitte )?(?:daran|dran)`, "denk daran, dass die Uhr UTC zeigt"},
	{`(?:wichtig|Achtung|Hinweis)(?: zu wissen)?:`, "Wichtig: die Uhr zeigt UTC"},
	{`vergiss nicht`, "vergiss nicht, dass die Uhr UTC zeigt"},
	{`zur Info`, "zur Info: die Uhr zeigt UTC"},
	{`(?:gut|wichtig) zu wissen`, "gut zu wissen: die Uhr zeigt UTC"},
}

var germanDemands = lexis.Table{
	{`(?:verlangt|fordert|schreibt|will|wollen|verlangen) (?:das Gesetz|die Revision|der Kunde|die Rechtsabteilung|der Gesetzgeber|die Buchhaltung)`, "das verlangt das Gesetz"},
	{`(?:das Gesetz|die Revision|der Kunde|die Rechtsabteilung|der Datenschutz|die Buchhaltung) (?:verlangt|fordert|will|besteht)`, "die Revision verlangt es"},
	{`gesetzlich`, "gesetzlich vorgeschrieben"},
}

var germanHabits = lexis.Table{
	{`(?:bei uns|hier) (?:ist|sind|wird|werden|heißt|heißen)`, "bei uns heißen Zweige nach dem Ticket"},
	{`wir (?:\w+en) (?:immer|nie|nur|stets)`, "wir runden immer kaufmännisch"},
}

var germanOrder = lexis.Table{
	{`zuerst|zunächst|als erstes`, "zuerst die Tests"},
	{`erst`, "erst eintragen"},
	{`dann`, "dann die Abnahme abwarten"},
	{`danach|anschließend`, "danach die Ganglinie prüfen"},
	{`zum Schluss|zuletzt|am Ende`, "zum Schluss die Rechte vergeben"},
	{`abwarten|warten (?:auf|bis)`, "die Abnahme abwarten"},
	{`(?:und )?am Schluss`, "am Schluss freigeben"},
	{`danach erst`, "und danach erst ausrollen"},
}

var germanLeads = lexis.Table{
	{`so (?:kommt|geht|macht|läuft|wird|veröffentlicht|entsteht)`, "So kommt ein Release heraus"},
	{`zum \pL+`, "Zum Einspielen alter Pegel"},
	{`um (?:\S+ ){1,6}zu \pL+`, "Um neu zu starten"},
	{`wenn (?:ein|eine|der|die|das|du|man|wir|sich)`, "Wenn eine neue Station dazukommt"},
	{`(?:nach|vor|bei) (?:jede[mr]|einem|einer)`, "Nach jedem Release"},
	{`jedes Mal`, "Jedes Mal, wenn sich das Schema ändert"},
	{`(?:Ablauf|Vorgehen|Schritte)`, "Ablauf für ein Release"},
	{`\pL+ (?:geht|läuft) so`, "Inventur geht so: erst sperren"},
	{`wenn wir`, "Wenn wir etwas veröffentlichen"},
}

var germanHedges = lexis.Table{
	{`vielleicht`, "Vielleicht bauen wir eine App"},
	{`(?:wahrscheinlich|vermutlich|möglicherweise|eventuell|womöglich)`, "vermutlich der Cache"},
	{`ich (?:glaube|denke|vermute|schätze)`, "ich glaube, es ist der Cache"},
	{`könnte(?:n)? (?:auch|es|das)`, "könnte auch der Cache sein"},
	{`(?:scheint|anscheinend|wohl)`, "der Cache scheint leer"},
	{`nicht sicher`, "ich bin nicht sicher"},
}

var germanWishes = lexis.Table{
	{`irgendwann`, "irgendwann eine App"},
	{`eines Tages`, "eines Tages portieren wir es"},
	{`(?:könnten|sollten) wir`, "sollten wir auf Python umsteigen"},
	{`wir (?:könnten|sollten)`, "Vielleicht, wir sollten umsteigen"},
	{`(?:eigentlich )?wollte ich`, "Eigentlich wollte ich noch eine App"},
	{`wäre (?:schön|nett|gut)`, "das wäre schön"},
	{`nächstes (?:Jahr|Quartal)`, "nächstes Jahr"},
}

var germanNow = lexis.Table{
	{`heute`, "heute um drei"},
	{`morgen`, "bis morgen"},
	{`gestern`, "seit gestern"},
	{`vorerst|fürs Erste|erst ?mal|vorübergehend`, "vorerst eine Liste"},
	{`diesmal`, "diesmal nicht"},
	{`gerade`, "gerade rot"},
	{`(?:in|an) diese[rm] (?:Datei|Funktion|Test|Zweig)`, "in dieser Datei"},
}

var germanTroubles = lexis.Table{
	{`(?:ist|sind|war|waren) (?:\S+ )?(?:kaputt|falsch|langsam|leer|rot|zu (?:hoch|niedrig|langsam|groß|klein))`, "die Mittelwerte sind zu hoch"},
	{`(?:geht|gehen|läuft|laufen|lädt|startet|speichert) (?:\S+ )?nicht`, "die Seite lädt nicht"},
	{`(?:Fehler|Absturz|stürzt|bricht|hängt|scheitert)`, "der Import bricht ab"},
	{`(?:doppelt|zweimal|hintereinander)`, "zwei Nachtdienste hintereinander"},
	{`kommen (?:\S+ ){1,5}heraus`, "es kommen Namen wie 'MÃ¼ller' heraus"},
	{`woran liegt`, "Woran liegt das"},
	{`(?:legt|zeigt|rechnet|zählt|zieht) (?:\S+ ){0,4}(?:leere|falsche|doppelte|zu viele?|keine)`, "Die Planung legt leere Wellen an"},
}

var germanTasks = lexis.Table{
	{`(?:bitte )?(?:lies|schau|prüf|zeig|erklär|such|start|füg|änder|korrigier|reparier|mach|teste|führ|öffne|probier)\w*`, "Lies bitte mal auswertung/pegel.R"},
	{`(?:kannst|könntest|würdest) du`, "kannst du mal schauen"},
	{`wir brauchen`, "wir brauchen eine Spalte"},
}

var germanStories = lexis.Table{
	{`ich (?:habe|hatte|war|bin|dachte|wollte|fragte)`, "ich habe gefragt"},
	{`hast du (?:schon|gewusst|gesehen)`, "Hast du schon gegessen"},
}

var germanObjects = lexis.Table{
	{`nein`, "Nein, falsch"},
	{`falsch`, "falsch, am 12."},
	{`(?:das )?stimmt nicht`, "stimmt nicht"},
	{`nicht ganz`, "nicht ganz: am 12."},
	{`halt`, "Halt, nicht so"},
	{`nee?`, "Nee, am 12."},
	{`ich habe mich (?:vertan|geirrt)`, "Ich habe mich vertan: am 12."},
}

var germanAgrees = lexis.Table{
	{`(?:passt|klingt gut|leuchtet ein|dachte ich mir|stimmt|einverstanden|guter Punkt)`, "Klingt gut, dann so"},
	{`(?:ja|gut|ok|okay|genau|stimmt|prima|super|danke|richtig|klar|alles klar|also|so|übrigens|und|aber)`, "Gut, dann so"},
	{`bitte`, "Bitte schreib Kommentare auf Deutsch"},
}

var germanRetracts = lexis.Table{
	{`vergiss (?:es|das)`, "vergiss es"},
	{`(?:lassen|lass) (?:wir )?(?:das|es)`, "lass das"},
	{`das lassen wir`, "aber das lassen wir"},
	{`(?:ach,? )?egal`, "Egal."},
	{`doch (?:nicht|lieber nicht)`, "lieber doch nicht"},
	{`(?:ich )?nehme (?:das|es) zurück`, "ich nehme das zurück"},
	{`(?:moment|halt),? nein`, "Moment, nein"},
	{`(?:aber|ach) nein[:,]`, "aber nein: sonntags"},
}

var germanSecrets = lexis.Table{
	{`Passw(?:or|ör)t\w*`, "Passwort für den Testserver"},
	{`Kennwort\w*`, "Das Kennwort vom Mandanten"},
	{`Geheimnis`, "das Geheimnis"},
	{`Zugangsdaten`, "die Zugangsdaten"},
	{`Schlüssel (?:ist|lautet|für)`, "der Schlüssel lautet x"},
	{`Token`, "Mein Token lautet x"},
	{`PIN`, "die PIN ist x"},
}

var germanTalk = lexis.Table{
	{`(?:guten )?(?:Morgen|Tag|Abend)[!.,]`, "Guten Morgen."},
	{`(?:moin|hallo|servus|tschüss|bis bald)`, "Moin!"},
	{`(?:Wetter|regnet|Mittag|gegessen|Kaffee|Feierabend)`, "Wie war das Wetter"},
	{`(?:danke|vielen Dank)`, "danke"},
}

var germanCauses = lexis.Table{
	{`kam(?:en)? (?:daher|davon|von|durch)`, "NU1301 kam daher, dass die Anmeldung abgelaufen war"},
	{`(?:lag|liegt) (?:daran|an)`, "es lag an der Zeitumstellung"},
	{`weil`, "das Paket fehlte, weil die Bibliothek leer war"},
	{`wegen`, "wegen der Zeitumstellung"},
	{`fehlte`, "das Paket hydroTSM fehlte"},
	{`(?:Ursache|Grund) (?:\S+ ){0,4}(?:war|ist)`, "Ursache der Umlaute war die Kodierung"},
	{`k[oa]mm?t? (?:daher|davon|von|durch)`, "Der KeyError kommt daher, dass der Gang fehlt"},
	{`(?:verschwand|entstand|trat auf),? (?:weil|da|durch)`, "Die Differenz verschwand, weil nun gerundet wird"},
	{`daher`, "Daher der doppelte Abzug"},
}

var germanMends = lexis.Table{
	{`(?:behoben|gelöst|repariert) (?:durch|mit|indem)`, "behoben durch einen Neustart"},
	{`nach .{3,60} geht es`, "nach dem Update geht es wieder"},
	{`hat (?:alles |es )?(?:wiederhergestellt|behoben|geholfen|gelöst)`, "renv::restore() hat alles wiederhergestellt"},
	{`hilft`, "ein Neustart hilft"},
	{`(?:läuft|laufen|geht|gehen) (?:jetzt|nun|wieder)`, "es geht wieder"},
	{`(?:wird|werden) (?:jetzt|nun)`, "sie werden jetzt zusammengefasst"},
	{`jetzt (?:mit|ohne)`, "jetzt mit SKIP LOCKED"},
	{`(?:jetzt|nun) (?:läuft|laufen|geht|gehen|wird|werden)`, "jetzt laufen alle Tests"},
}

var germanFinds = lexis.Table{
	{`(?:die )?Ursache (?:\S+ ){0,4}(?:war|ist)`, "Ursache der kaputten Umlaute war, dass die Datei anders kodiert ist"},
	{`der Grund (?:\S+ ){0,3}(?:war|ist)`, "Der Grund war die Zeitumstellung"},
	{`(?:das )?(?:Problem|der Fehler) (?:lag|war)`, "Das Problem lag am Cache"},
	{`es lag (?:daran|an)`, "Es lag am Cache, es lag an der Uhr"},
}

var germanDeclares = lexis.Table{
	{`(?:der|die|das|ein|eine|alle|jede[rs]?|kein|keine|unser[e]?|im|in|am|bei|beim|für|auf|ab|bis|zwischen|nach|seit|vom|von|zum|zur|\d+\.?)(?: [^\s,:;.!?]+){1,8}? (?:ist|sind|hat|haben|wird|werden|kann|können|darf|dürfen|muss|müssen|soll|sollen|bleibt|bleiben|gilt|gelten|läuft|laufen|kostet|kosten|liegt|liegen|steht|stehen|kommt|kommen|geht|gehen|braucht|brauchen|zahlt|zahlen|bekommt|bekommen|gehört|gehören|dauert|dauern|nutzt|nutzen|beginnt|endet|arbeitet|arbeiten|heißt|heißen|trägt|tragen|erwartet|liefert|liefern|spricht|sprechen|schließt|öffnet|nimmt|nehmen|reicht|reichen|startet|enthält|verträgt|\pL{3,}(?:iert|elt|ert|igt|cht|tzt|ndet))`, "Das Lager in Kassel arbeitet in drei Schichten"},
	{`(?:[^\s,:;.!?]+ ){1,5}?(?:ist|sind|hat|haben|wird|werden|kann|können|darf|dürfen|muss|müssen|soll|sollen|bleibt|bleiben|gilt|gelten|läuft|laufen|kostet|kosten|liegt|liegen|steht|stehen|kommt|kommen|geht|gehen|braucht|brauchen|zahlt|zahlen|bekommt|bekommen|gehört|gehören|dauert|dauern|nutzt|nutzen|beginnt|endet|arbeitet|arbeiten|heißt|heißen|trägt|tragen|erwartet|liefert|liefern|spricht|sprechen|schließt|öffnet|nimmt|nehmen|reicht|reichen|startet|enthält|verträgt|\pL{3,}(?:iert|elt|ert|igt|cht|tzt|ndet))`, "Montags ist geschlossen"},
	{`(?:es|er|sie) (?:ist|sind)`, "es sind 40 seit dem Sommer"},
}

var germanAcknowledges = lexis.Table{
	{`(?:verstanden|notiert|alles klar|klar|gern|gerne|mache ich|wird gemacht|in ordnung|gut|merke ich mir|okay?|danke|das (?:berücksichtige|beachte|merke) ich|geht klar|natürlich|selbstverständlich|erledigt|einverstanden)`, "Mache ich."},
}

var germanDemanded = lexis.Table{
	{`(?:bitte |immer )*(?:schreib|benenn|nenn|verwend|nimm|nutz|halt|setz|rund|trenn|formatier|prüf|teste|lass|mach|leg|pack|sortier|kein|keine|keinen)\w*`, "Schreib Testnamen bitte als ganze Sätze"},
}
