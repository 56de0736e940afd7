package extract

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: a
// hook that needs none of them must not pay for them at its start.
type pattern struct{ compiled func() *regexp.Regexp }

func lazy(expr string) pattern {
	return pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func (p pattern) match(s string) bool           { return p.compiled().MatchString(s) }
func (p pattern) find(s string) []int           { return p.compiled().FindStringIndex(s) }
func (p pattern) groups(s string) []string      { return p.compiled().FindStringSubmatch(s) }
func (p pattern) count(s string) int            { return len(p.compiled().FindAllStringIndex(s, -1)) }
func (p pattern) replace(s, with string) string { return p.compiled().ReplaceAllString(s, with) }
