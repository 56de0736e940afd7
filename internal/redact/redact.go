package redact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// MaxRules bounds how many rules a Redactor takes from outside.
	MaxRules = 200
	// MaxRuleLength bounds one regular expression, in bytes.
	MaxRuleLength = 1000

	// maxPasses bounds how often a text is read again after something was replaced. Two
	// is usual: one with a finding, and one without.
	maxPasses = 12
)

// Options configure a [Redactor]. The zero value means every built-in detector that is on
// by default and no rules of one's own.
type Options struct {
	// Rules are the rules of CLAUDE.md, see [ParseClaudeMD]. At most [MaxRules].
	Rules []Rule
	// Allow lists exact strings that are never redacted, such as a published address.
	// A span is kept only when all of it equals one of them, ignoring case.
	Allow []string
	// Disable switches built-in kinds off. Naming a secret kind is an error.
	Disable []Kind
	// Key returns the key of the marks that keep findings apart, see [Redactor.Redact]. It is
	// asked only when something was found. Without it, or when it fails, markers have no mark.
	Key func() ([]byte, error)
}

// Rule is one rule from outside: either an expression of its own, or a switch for a
// built-in kind.
type Rule struct {
	// Kind names the finding. It must be lower-case letters, digits and single hyphens.
	Kind Kind
	// Expr is a regular expression in Go's syntax; the whole match is redacted. Empty
	// means the rule switches the built-in kind Kind.
	Expr string
	// Keep says that a built-in kind is to be left in the text. Ignored with Expr.
	Keep bool
}

// Finding says how often one kind was found. It never holds the secret itself.
type Finding struct {
	Kind  Kind `json:"kind"`
	Count int  `json:"count"`
}

// Result is a text that may be stored, with the findings removed from it.
type Result struct {
	// Text is the input with every finding replaced by [redacted:kind:mark].
	Text string
	// Findings are sorted by kind; empty when Text is the input.
	Findings []Finding
}

// Redactor finds and replaces. It does not change after New and may be used by many
// goroutines at once.
type Redactor struct {
	custom []*detector
	off    map[Kind]bool
	allow  map[string]bool
	key    func() ([]byte, error)
	load   func() (*ruleset, error) // the gitleaks rules; a field so that a test can break it
}

// New returns a Redactor. It is cheap: the work is done by the first Redact. It fails when
// a rule cannot be compiled, is too long, has a bad name, or when a secret kind is switched
// off; the rules [ParseClaudeMD] returns always pass.
func New(o Options) (*Redactor, error) {
	r := &Redactor{off: map[Kind]bool{}, allow: map[string]bool{}, key: o.Key, load: sharedRules}
	for _, k := range []Kind{KindIPAddress, KindMACAddress} {
		r.off[k] = offByDefault(k)
	}
	if len(o.Rules) > MaxRules {
		return nil, fmt.Errorf("read redaction rules: %d given, at most %d allowed", len(o.Rules), MaxRules)
	}
	for _, rule := range o.Rules {
		if err := r.add(rule); err != nil {
			return nil, err
		}
	}
	for _, k := range o.Disable {
		if err := r.add(Rule{Kind: k, Keep: true}); err != nil {
			return nil, err
		}
	}
	for _, a := range o.Allow {
		r.allow[strings.ToLower(a)] = true
	}
	return r, nil
}

func (r *Redactor) add(rule Rule) error {
	if rule.Expr == "" {
		if !optional(rule.Kind) {
			return fmt.Errorf("switch redaction of %q: not a kind that can be switched", rule.Kind)
		}
		r.off[rule.Kind] = rule.Keep
		return nil
	}
	if !validKind(rule.Kind) {
		return fmt.Errorf("read redaction rule %q: name must be lower-case letters, digits and single hyphens", rule.Kind)
	}
	if len(rule.Expr) > MaxRuleLength {
		return fmt.Errorf("read redaction rule %s: longer than %d bytes", rule.Kind, MaxRuleLength)
	}
	re, err := regexp.Compile(rule.Expr)
	if err != nil {
		return fmt.Errorf("compile redaction rule %s: %w", rule.Kind, err)
	}
	r.custom = append(r.custom, &detector{
		kind: rule.Kind, rank: rankCustom, whole: true,
		compiled: func() *regexp.Regexp { return re },
	})
	return nil
}

// Redact returns text without what the detectors know. With a key each marker ends in a
// mark, a few digits of the keyed hash of what it stands for: what differed before differs
// afterwards, and what was equal still is. Redact never fails: should the built-in
// rules be unreadable, the whole text becomes [redacted:unscanned]. Bytes outside the
// findings are not touched, so valid UTF-8 stays valid. The time grows with the length of
// the text, not faster.
func (r *Redactor) Redact(text string) Result {
	rules, err := r.load()
	if err != nil {
		return unscanned(text)
	}
	counts := map[Kind]int{}
	mark := r.marker()
	for range maxPasses {
		spans := r.spans(rules, text)
		if len(spans) == 0 {
			break
		}
		text = replace(text, spans, mark, counts)
	}
	return Result{Text: text, Findings: findings(counts)}
}

// RedactAll redacts each string in place and returns all findings together. Use it for
// what travels beside the text: tags, project, title. Nil pointers are skipped.
func (r *Redactor) RedactAll(fields ...*string) []Finding {
	counts := map[Kind]int{}
	for _, f := range fields {
		if f == nil {
			continue
		}
		res := r.Redact(*f)
		*f = res.Text
		for _, found := range res.Findings {
			counts[found.Kind] += found.Count
		}
	}
	return findings(counts)
}

// Warm parses the built-in rules now, so that the first Redact of a daemon is as fast as
// the second. It is optional, and reports the error that Redact answers by refusing the
// whole text.
func (r *Redactor) Warm() error {
	if _, err := r.load(); err != nil {
		return fmt.Errorf("load redaction rules: %w", err)
	}
	return nil
}

func (r *Redactor) spans(rules *ruleset, text string) []span {
	found := r.scan(rules, text)
	if s, differs := shadowOf(text); differs {
		found = append(found, s.back(r.scan(rules, s.text))...)
	}
	return subtract(merge(found), markers(text), text)
}

// scan returns what the detectors find in a text, or in the shadow of one.
func (r *Redactor) scan(rules *ruleset, text string) []span {
	t := newScanText(text)
	var found []span
	for _, d := range r.custom {
		found = d.scan(t, found)
	}
	found = rules.scan(t, r.off, found)
	found = append(found, rules.encoded(t)...)
	return slices.DeleteFunc(found, func(s span) bool {
		return r.allow[strings.ToLower(text[s.start:s.end])]
	})
}

func unscanned(text string) Result {
	marker := "[redacted:" + string(KindUnscanned) + "]"
	if text == "" || text == marker {
		return Result{Text: text}
	}
	return Result{Text: marker, Findings: []Finding{{Kind: KindUnscanned, Count: 1}}}
}

func findings(counts map[Kind]int) []Finding {
	var out []Finding
	for k, n := range counts {
		out = append(out, Finding{Kind: k, Count: n})
	}
	slices.SortFunc(out, func(a, b Finding) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return out
}
