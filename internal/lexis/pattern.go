// Package lexis has the small tools for words and patterns that the packages
// share that read what people and programs wrote: patterns that are compiled
// when they are first used, tables of phrases that carry an example each, the
// words of a text that carry meaning.
package lexis

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used: a
// hook that needs none of them must not pay for them at its start.
type Pattern struct {
	// Compiled returns the expression.
	Compiled func() *regexp.Regexp

	check func() error // of the examples in a table; nil without one
}

// Lazy returns the pattern of an expression. One that is wrong panics at its
// first use.
func Lazy(expr string) Pattern {
	return Pattern{Compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Match reports whether s holds a match.
func (p Pattern) Match(s string) bool { return p.Compiled().MatchString(s) }

// Find returns where the first match is, nil when there is none.
func (p Pattern) Find(s string) []int { return p.Compiled().FindStringIndex(s) }

// Groups returns the first match and its groups, nil when there is none.
func (p Pattern) Groups(s string) []string { return p.Compiled().FindStringSubmatch(s) }

// Count returns how many matches s holds.
func (p Pattern) Count(s string) int { return len(p.Compiled().FindAllStringIndex(s, -1)) }

// Replace puts something else in the place of every match.
func (p Pattern) Replace(s, with string) string { return p.Compiled().ReplaceAllString(s, with) }

// Phrase is one way to say something, as a regular expression, and then a
// sentence that says it so. Tests look for the one in the other.
type Phrase [2]string

// Expr is the regular expression.
func (p Phrase) Expr() string { return p[0] }

// Example is a sentence that it matches.
func (p Phrase) Example() string { return p[1] }

// Table is all ways to say one thing.
type Table []Phrase

// A whole word stands between these: Go's \b knows the letters of ASCII alone.
const (
	begin = `(?:^|[^\pL\pN_])`
	end   = `(?:$|[^\pL\pN_])`
)

// Within matches a text that has one of the phrases, as whole words, in
// whatever case.
func Within(tables ...Table) Pattern { return joined("(?:", ")"+end, tables, wordBegins) }

// wordBegins lets a phrase begin where a word does, unless it begins with a mark.
func wordBegins(expr string) string {
	if strings.ContainsAny(expr[:1], ",:;") || strings.HasPrefix(expr, "(?:,") {
		return expr
	}
	return begin + "(?:" + expr + ")"
}

func asItIs(expr string) string { return expr }

// Anywhere matches a text that has one of the phrases, also within a word, in
// whatever case.
func Anywhere(tables ...Table) Pattern { return joined("(?:", ")", tables, asItIs) }

// Opening matches a text that begins with one of the phrases, as whole words.
func Opening(tables ...Table) Pattern { return joined(`^\W*(?:`, ")"+end, tables, asItIs) }

func joined(before, after string, tables []Table, each func(string) string) Pattern {
	return Pattern{Compiled: sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for _, t := range tables {
			for _, p := range t {
				all = append(all, each(p.Expr()))
			}
		}
		if len(all) == 0 {
			return regexp.MustCompile(`\z.`) // nothing
		}
		return regexp.MustCompile("(?i)" + before + strings.Join(all, "|") + after)
	})}
}

// OneOf is for an expression with many alternatives: what stands before them, a
// table of them, and what stands after. Before and after are no groups of their
// own, so that "(?:" and ")" are given with them.
func OneOf(before string, alternatives Table, after string) Pattern {
	p := Lazy(before + strings.Join(alternatives.exprs(), "|") + after)
	p.check = func() error {
		for _, one := range alternatives {
			if !regexp.MustCompile(before + one.Expr() + after).MatchString(one.Example()) {
				return fmt.Errorf("%q is not found by %s", one.Example(), one.Expr())
			}
		}
		return nil
	}
	return p
}

func (t Table) exprs() []string {
	out := make([]string, len(t))
	for i, p := range t {
		out[i] = p.Expr()
	}
	return out
}

// Check returns an error when an alternative of [OneOf] does not find its own
// example. Tests call it.
func (p Pattern) Check() error {
	if p.check == nil {
		return nil
	}
	return p.check()
}
