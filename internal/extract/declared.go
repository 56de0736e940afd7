package extract

import (
	"github.com/mneme-memory/mneme/internal/lexis"
	"github.com/mneme-memory/mneme/internal/transcript"
)

// Worths of the traits that a statement has by its form, and by how it was taken up.
const (
	worthDeclared = 0.3  // it says how a thing is
	worthNoWork   = 0.2  // nothing was done in its turn: it was told to be known
	worthTakenUp  = 0.1  // the model said "noted", or the like
	worthStanding = 0.35 // a request that nothing was done for is one for later
)

// plainly weighs a statement of no telling words by its form, and by what
// the turn made of it. Whoever says how a thing is, and gets "noted" for an
// answer, has told a fact; a request that was taken up without any work is one
// for good.
func (s *session) plainly(at int, text string, i int) float64 {
	takenUp := s.takenUpFirst(at)
	idle := !s.worked(at) && s.answered(at)
	states := declares.Match(text) && !demandsWork.Match(text) && !leans(text) && (takenUp || i > 0 && !s.opens(at) || !s.worked(at))
	standing := idle && takenUp && !states && demandsWork.Match(text) && len(lexis.Content(text)) >= 3
	worth := 0.0
	if states {
		worth += worthDeclared
	}
	if standing {
		worth += worthStanding
	}
	if idle && (states || standing || saysDecides.Match(text) || leans(text)) {
		worth += worthNoWork
	}
	if takenUp {
		worth += worthTakenUp
	}
	return worth
}

// worked reports whether the model used a tool in the turn of a prompt.
func (s *session) worked(at int) bool {
	for i := at + 1; i < s.nextPrompt(at); i++ {
		if s.events[i].Kind == transcript.Called {
			return true
		}
	}
	return false
}

// answered reports whether the model said something in the turn of a prompt.
func (s *session) answered(at int) bool {
	for i := at + 1; i < s.nextPrompt(at); i++ {
		if s.events[i].Kind == transcript.Said {
			return true
		}
	}
	return false
}

// takenUpFirst reports whether the first words of the model after a prompt take
// up what it told.
func (s *session) takenUpFirst(at int) bool {
	for i := at + 1; i < s.nextPrompt(at); i++ {
		if s.events[i].Kind == transcript.Said {
			return takesUp.Match(s.events[i].Text)
		}
	}
	return false
}

// opens reports whether a prompt is the first of its session that is known.
func (s *session) opens(at int) bool {
	for i := range at {
		if s.events[i].Kind == transcript.Prompt {
			return false
		}
	}
	return true
}
