package extract

import (
	"github.com/mneme-memory/mneme/internal/extract/phrases"
	"github.com/mneme-memory/mneme/internal/lexis"
)

// How people say things, in all languages that are known.
var (
	saysAlways   = within(func(l phrases.Language) lexis.Table { return l.Always })
	saysNever    = within(func(l phrases.Language) lexis.Table { return l.Never })
	saysMust     = within(func(l phrases.Language) lexis.Table { return l.Must })
	saysPrefers  = within(func(l phrases.Language) lexis.Table { return l.Prefers })
	saysDecides  = within(func(l phrases.Language) lexis.Table { return l.Decides })
	saysChooses  = opening(func(l phrases.Language) lexis.Table { return l.Chooses })
	saysChosen   = within(func(l phrases.Language) lexis.Table { return l.Chooses })
	saysContrast = within(func(l phrases.Language) lexis.Table { return l.Contrasts })
	saysReason   = within(func(l phrases.Language) lexis.Table { return l.Reasons })
	saysStanding = within(func(l phrases.Language) lexis.Table { return l.Stands })
	saysTime     = within(func(l phrases.Language) lexis.Table { return l.Times })
	saysScope    = within(func(l phrases.Language) lexis.Table { return l.Scopes })
	saysReminder = within(func(l phrases.Language) lexis.Table { return l.Reminds })
	saysDemand   = within(func(l phrases.Language) lexis.Table { return l.Demands })
	saysHabit    = within(func(l phrases.Language) lexis.Table { return l.Habits })
	declares     = opening(func(l phrases.Language) lexis.Table { return l.Declares })
	takesUp      = opening(func(l phrases.Language) lexis.Table { return l.Acknowledges })
	demandsWork  = opening(func(l phrases.Language) lexis.Table { return l.Demanded })
	saysOrder    = within(func(l phrases.Language) lexis.Table { return l.Order })
	leadsToSteps = opening(func(l phrases.Language) lexis.Table { return l.Leads })
	saysHedge    = within(func(l phrases.Language) lexis.Table { return l.Hedges })
	saysWish     = within(func(l phrases.Language) lexis.Table { return l.Wishes })
	saysNow      = within(func(l phrases.Language) lexis.Table { return l.Now })
	saysTrouble  = within(func(l phrases.Language) lexis.Table { return l.Troubles })
	asksForWork  = opening(func(l phrases.Language) lexis.Table { return l.Tasks })
	tellsStory   = within(func(l phrases.Language) lexis.Table { return l.Stories })
	objectsFirst = opening(func(l phrases.Language) lexis.Table { return l.Objects })
	agreesFirst  = opening(func(l phrases.Language) lexis.Table { return l.Agrees })
	retracts     = within(func(l phrases.Language) lexis.Table { return l.Retracts })
	namesSecret  = within(func(l phrases.Language) lexis.Table { return l.Secrets })
	chats        = within(func(l phrases.Language) lexis.Table { return l.Talk })
	saysCause    = within(func(l phrases.Language) lexis.Table { return l.Causes })
	saysMended   = within(func(l phrases.Language) lexis.Table { return l.Mends })
	saysFoundOut = within(func(l phrases.Language) lexis.Table { return l.Finds })
)

func within(table func(phrases.Language) lexis.Table) lexis.Pattern {
	return lexis.Within(phrases.Of(table)...)
}

func opening(table func(phrases.Language) lexis.Table) lexis.Pattern {
	return lexis.Opening(phrases.Of(table)...)
}
