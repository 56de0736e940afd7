package keyword

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"

	"github.com/mneme-memory/mneme/memory"
)

// stem reduces a word in lower case to its stem by the Snowball algorithm of a language.
func stem(language, word string) string {
	e := snowballstem.NewEnv(word)
	switch language {
	case memory.German:
		german.Stem(e)
	case memory.Spanish:
		spanish.Stem(e)
	case memory.French:
		french.Stem(e)
	case memory.Italian:
		italian.Stem(e)
	case memory.Portuguese:
		portuguese.Stem(e)
	case memory.Dutch:
		dutch.Stem(e)
	default:
		english.Stem(e)
	}
	return e.Current()
}
