package redact

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/zricethezav/gitleaks/v8/config"
)

// We take gitleaks' rules and not its detector: the detector parses and compiles all of
// them before the first answer, reports lines where we need bytes, and more than
// doubles the size of a small binary. The rules are the maintained part.

// gitleaksReach is wider than any match of a gitleaks rule that stands in one line; the
// tokens of the longer ones hold no white space, and windows end at white space.
const gitleaksReach = 1024

// ruleset is everything that is the same for every Redactor.
type ruleset struct {
	secrets []*detector // gitleaks' and ours; also tried on decoded base64
	privacy []*detector // personal, financial and health data
}

// sharedRules parses the rules once for the process: they are the same for everyone and
// do not change after.
var sharedRules = sync.OnceValues(func() (*ruleset, error) {
	vendor, err := parseGitleaks(config.DefaultConfig)
	if err != nil {
		return nil, err
	}
	return &ruleset{
		secrets: slices.Concat(vendor, tokenDetectors(), assignmentDetectors(), fileDetectors(), urlDetectors(), blockDetectors()),
		privacy: slices.Concat(personalDetectors(), contactDetectors(), financialDetectors(), incomeDetectors(), employerDetectors(), healthDetectors(), illnessDetectors()),
	}, nil
})

// scan appends the findings of all detectors that are not off.
func (rs *ruleset) scan(t *scanText, off map[Kind]bool, out []span) []span {
	for _, d := range rs.secrets {
		out = d.scan(t, out)
	}
	out = columns(t, privateKeys(t, out))
	for _, d := range rs.privacy {
		if !off[d.kind] {
			out = d.scan(t, out)
		}
	}
	return out
}

type gitleaksFile struct {
	Allowlist gitleaksAllow `toml:"allowlist"`
	Rules     []gitleaksRule
}

type gitleaksRule struct {
	ID          string
	Regex       string
	Path        string
	SecretGroup int
	Entropy     float64
	Keywords    []string
	Allowlists  []gitleaksAllow
}

type gitleaksAllow struct {
	Condition   string
	Paths       []string
	RegexTarget string
	Regexes     []string
	StopWords   []string
}

// parseGitleaks turns gitleaks' configuration into detectors. Rules tied to a file name
// are left out, since a memory has none; our own rules cover the same secrets.
func parseGitleaks(text string) ([]*detector, error) {
	var file gitleaksFile
	if _, err := toml.Decode(text, &file); err != nil {
		return nil, fmt.Errorf("parse gitleaks rules: %w", err)
	}
	global := newAllowlist(file.Allowlist)
	var out []*detector
	for _, r := range file.Rules {
		if r.Regex == "" || r.Path != "" {
			continue
		}
		d := &detector{
			kind: Kind(r.ID), rank: rankVendor, reach: gitleaksReach, group: r.SecretGroup,
			compiled: lazily(forProse(r.Regex)),
		}
		if r.ID == "generic-api-key" {
			// In prose it would take the next parameter of a function for a key.
			d.kind, d.rank, d.compiled = KindSecret, rankGuess, lazily(r.Regex)
		}
		for _, k := range r.Keywords {
			d.words = append(d.words, strings.ToLower(k))
		}
		lists := []*allowlist{global}
		for _, a := range r.Allowlists {
			lists = append(lists, newAllowlist(a))
		}
		d.accept = gitleaksAccept(r.Entropy, lists)
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, errors.New("parse gitleaks rules: none found")
	}
	return out, nil
}

// forProse lets a rule that was written for source code also match in a sentence: a token
// may be followed by a comma, a full stop or a bracket, and "is" may stand for "=".
func forProse(expr string) string {
	expr = strings.ReplaceAll(expr, "(?:[\\x60'\"\\s;]|\\\\[nr]|$)", "(?:[\\x60'\"\\s;,.!?)\\]}>|&:*]|\\\\[nr]|$)")
	return strings.ReplaceAll(expr, `|\?=|,)`, `|\?=|,|\bis\b|\bwas\b)`)
}

func gitleaksAccept(minEntropy float64, lists []*allowlist) func(match) bool {
	return func(m match) bool {
		if minEntropy > 0 && entropy(m.secret) <= minEntropy {
			return false
		}
		return !slices.ContainsFunc(lists, func(a *allowlist) bool { return a.allows(m) })
	}
}

// allowlist says which findings of a rule are none.
type allowlist struct {
	target    string
	regexes   []func() *regexp.Regexp
	stopWords []string
	never     bool // it asks for a file name too, and there is none
}

func newAllowlist(a gitleaksAllow) *allowlist {
	out := &allowlist{
		target: a.RegexTarget, stopWords: a.StopWords,
		never: len(a.Paths) > 0 && strings.EqualFold(a.Condition, "AND"),
	}
	for _, r := range a.Regexes {
		out.regexes = append(out.regexes, lazily(r))
	}
	return out
}

func (a *allowlist) allows(m match) bool {
	if a.never {
		return false
	}
	target := m.secret
	switch a.target {
	case "match":
		target = m.all
	case "line":
		target = m.line()
	}
	for _, re := range a.regexes {
		if re().MatchString(target) {
			return true
		}
	}
	lower := strings.ToLower(m.secret)
	return slices.ContainsFunc(a.stopWords, func(w string) bool { return strings.Contains(lower, w) })
}

// line is the line the secret begins in, at most 500 bytes to either side.
func (m match) line() string {
	raw := m.text.raw
	from, to := max(0, m.start-500), min(len(raw), m.start+500)
	if i := strings.LastIndexByte(raw[from:m.start], '\n'); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(raw[m.start:to], '\n'); i >= 0 {
		to = m.start + i
	}
	return raw[from:to]
}
