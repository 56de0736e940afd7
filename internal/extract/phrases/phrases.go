// Package phrases has the ways in which people say things in their languages:
// rules, prohibitions, reasons, the order of steps. Each language is a file of
// tables, and each row an expression and a sentence that it matches, which a
// test tries.
//
// To add a language, write such a file and name it in [All].
package phrases

import "github.com/mneme-memory/mneme/internal/lexis"

// Language is how things are said in one language.
type Language struct {
	Name string

	// What makes a statement of the person one for good.
	Always    lexis.Table // from now on, each time
	Never     lexis.Table // forbids
	Must      lexis.Table // obliges, or bounds
	Prefers   lexis.Table // how somebody likes it
	Decides   lexis.Table // chooses
	Chooses   lexis.Table // names what is taken, right after something was taken back
	Contrasts lexis.Table // the one and not the other
	Reasons   lexis.Table // because
	Stands    lexis.Table // how things are: comes from, listens on, is due
	Times     lexis.Table // on Tuesdays, at 05:00
	Scopes    lexis.Table // in all drivers, in production
	Reminds   lexis.Table // remember that
	Demands   lexis.Table // who wants it so: the law, the auditors
	Habits    lexis.Table // we report, we keep

	// Steps that follow each other.
	Order lexis.Table // first, then
	Leads lexis.Table // to deploy, when you, after every: begin what names a procedure

	// What makes it one of the hour, or none.
	Hedges   lexis.Table // maybe
	Wishes   lexis.Table // some day, we could
	Now      lexis.Table // today, for now
	Troubles lexis.Table // is broken
	Tasks    lexis.Table // begin requests: look at, add
	Stories  lexis.Table // what the person did or thought
	Objects  lexis.Table // begin an objection: no, wrong
	Agrees   lexis.Table // begin an answer: yes, right, ok
	Retracts lexis.Table // take back what was said before
	Secrets  lexis.Table // name a secret
	Talk     lexis.Table // greetings, thanks

	// How a prompt tells of a thing, and how the model takes up what needs no work now.
	Declares     lexis.Table // begin a sentence that says how a thing is: the export runs
	Acknowledges lexis.Table // begin an answer to what was told: noted, will do
	Demanded     lexis.Table // begin a request that nothing is to be done for now: wrap errors

	// What the model says of an error.
	Causes lexis.Table // came from
	Mends  lexis.Table // was solved by
	Finds  lexis.Table // the cause was: say that something was found out
}

// All returns the languages that are known.
func All() []Language { return []Language{English(), German(), Spanish()} }

// Of returns one table of all languages.
func Of(table func(Language) lexis.Table) []lexis.Table {
	var out []lexis.Table
	for _, l := range All() {
		out = append(out, table(l))
	}
	return out
}
