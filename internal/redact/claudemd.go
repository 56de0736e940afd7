package redact

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// maxClaudeMD bounds how much of a CLAUDE.md is read, in bytes.
const maxClaudeMD = 1 << 20

// Warning is something in a privacy section that was not understood. The rest counts.
type Warning struct {
	File string // empty where the text did not come from a file
	Line int    // 1 is the first line of the file; 0 is about all of it
	Text string
}

// String says where the rule stands and what is wrong with it.
func (w Warning) String() string {
	switch {
	case w.File == "":
		return w.Text
	case w.Line == 0:
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text)
}

var (
	headingLine  = lazily(`^ {0,3}(#{1,6})\s+(.*)$`)
	listItem     = lazily(`^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$`)
	backticked   = lazily("`([^`]+)`")
	slashed      = lazily(`(?:^|[\s:|(])/((?:[^/\\]|\\.)+)/([gims]*)(?:$|[\s|),.;])`)
	ruleName     = lazily("^[\\s|*_-]*([A-Za-z][A-Za-z0-9 _-]{0,40}?)[*_]*\\s*[:|]\\s*[`/]")
	fencedName   = lazily(`^([A-Za-z][A-Za-z0-9_-]{0,40}):\s+(.+)$`)
	keepWords    = lazily(`(?i)\b(?:may be (?:stored|kept|remembered)|can be (?:stored|kept|remembered)|(?:is|are) (?:fine|ok|okay|allowed)|(?:do not|don't|no need to) redact|allow|keep)\b`)
	refusalWords = lazily(`(?i)\b(?:never|not|no|redact|remove|mask|hide|avoid|without|exclude|forbid\w*|private|confidential|sensitive)\b`)
)

// ParseClaudeMD reads the rules of the privacy section of a CLAUDE.md. The section begins
// at a heading that contains "privacy", in any case and of any level, and ends before
// the next heading of the same or a higher level. There may be several. Inside it:
//
//   - A regular expression stands in `backticks` in a list item or a table row, between
//     /slashes/ (with the flags i, m, s), or on a line of a fenced block. A name may come
//     before it, as in "ticket: `ACME-\d+`"; the marker is then [redacted:ticket], else
//     [redacted:custom]. Go's syntax applies, which has no look-around. The whole match
//     goes. In a fenced block a line that begins with # is a comment.
//   - A list item or a sentence that names a category switches its detectors: e-mail
//     addresses, phone numbers, national ids (SSN), passports, birth dates, IP addresses, MAC
//     addresses, cards, IBANs, bank accounts, medical records, health, financial, personal
//     data. "Never store phone numbers" switches on, "IP addresses may be stored" off.
//     Secrets cannot be switched off.
//
// An expression that does not compile, is too long, would match everything, or is one too
// many becomes a warning with its line. The error is that of the reader.
func ParseClaudeMD(r io.Reader) ([]Rule, []Warning, error) {
	p := &parser{}
	sc := bufio.NewScanner(io.LimitReader(r, maxClaudeMD))
	sc.Buffer(make([]byte, 0, 4096), maxClaudeMD+1)
	for sc.Scan() {
		p.number++
		p.line(strings.TrimRight(sc.Text(), "\r"))
	}
	if err := sc.Err(); err != nil {
		return nil, nil, fmt.Errorf("read privacy section: %w", err)
	}
	return p.rules, p.warnings, nil
}

type parser struct {
	number   int
	level    int    // of the privacy heading we are under; 0 outside
	fence    string // what closes the fenced block we are in; empty outside
	rules    []Rule
	warnings []Warning
}

func (p *parser) line(s string) {
	trimmed := strings.TrimSpace(s)
	if p.fence != "" {
		if strings.HasPrefix(trimmed, p.fence) && strings.Trim(trimmed, p.fence[:1]) == "" {
			p.fence = ""
		} else if p.level > 0 {
			p.fenced(trimmed)
		}
		return
	}
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		p.fence = trimmed[:3]
		return
	}
	if h := headingLine().FindStringSubmatch(s); h != nil {
		p.heading(len(h[1]), h[2])
		return
	}
	if p.level > 0 && trimmed != "" {
		p.prose(s)
	}
}

func (p *parser) heading(level int, title string) {
	if p.level > 0 && level > p.level {
		return // a part of the section
	}
	p.level = 0
	if strings.Contains(strings.ToLower(title), "privacy") {
		p.level = level
	}
}

func (p *parser) fenced(line string) {
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	if m := fencedName().FindStringSubmatch(line); m != nil {
		p.expr(m[1], strings.Trim(m[2], "`"))
		return
	}
	if m := slashed().FindStringSubmatch(line); m != nil && strings.HasPrefix(line, "/") {
		p.expr("", withFlags(m[1], m[2]))
		return
	}
	p.expr("", line)
}

// prose reads a list item, a table row or a sentence. Expressions are taken from items
// and rows only: backticks in a sentence are more often the name of a file.
func (p *parser) prose(s string) {
	text, item := s, strings.HasPrefix(strings.TrimSpace(s), "|")
	if m := listItem().FindStringSubmatch(s); m != nil {
		text, item = m[1], true
	}
	if !item {
		p.categories(text, false)
		return
	}
	name := ""
	if m := ruleName().FindStringSubmatch(text); m != nil {
		name = m[1]
	}
	found := false
	for _, m := range backticked().FindAllStringSubmatch(text, -1) {
		found = true
		expr := m[1]
		if in := slashed().FindStringSubmatch(expr); in != nil && strings.HasPrefix(expr, "/") {
			expr = withFlags(in[1], in[2])
		}
		p.expr(name, expr)
	}
	if found {
		return
	}
	if m := slashed().FindStringSubmatch(text); m != nil {
		p.expr(name, withFlags(m[1], m[2]))
		return
	}
	p.categories(text, true)
}

func withFlags(expr, flags string) string {
	if flags = strings.ReplaceAll(flags, "g", ""); flags == "" {
		return expr
	}
	return "(?" + flags + ")" + expr
}

func (p *parser) expr(name, expr string) {
	kind := kindOf(name)
	re, err := regexp.Compile(expr)
	switch {
	case err != nil:
		p.warn("%q is not a regular expression: %v", shorten(expr), err)
	case len(expr) > MaxRuleLength:
		p.warn("the expression is longer than %d bytes", MaxRuleLength)
	case len(p.rules) >= MaxRules:
		p.warn("more than %d rules; this one is ignored", MaxRules)
	case re.MatchString(""):
		p.warn("%q matches empty text and would redact everything", shorten(expr))
	case matchesMost(re):
		p.warn("%q matches most of any text and would redact everything", shorten(expr))
	default:
		p.rules = append(p.rules, Rule{Kind: kind, Expr: expr})
	}
}

// matchesMost reports whether an expression takes more than half of a plain sentence.
func matchesMost(re *regexp.Regexp) bool {
	const sentence = "We keep the nightly build on the small machine, because the tests of the parser take an hour there."
	taken := 0
	for _, loc := range re.FindAllStringIndex(sentence, -1) {
		taken += loc[1] - loc[0]
	}
	return taken > len(sentence)/2
}

// kindOf turns the name of a rule into a kind.
func kindOf(name string) Kind {
	fields := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	k := Kind(strings.Join(fields, "-"))
	if !validKind(k) {
		return "custom"
	}
	return k
}

func shorten(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func (p *parser) warn(format string, args ...any) {
	p.warnings = append(p.warnings, Warning{Line: p.number, Text: fmt.Sprintf(format, args...)})
}

// categories switches the kinds a text names. An item without a known kind is worth a
// warning if it forbids something, because it has no effect.
func (p *parser) categories(text string, item bool) {
	keep := keepWords().MatchString(text)
	if !keep && !item && !refusalWords().MatchString(text) {
		return
	}
	var kinds []Kind
	for _, c := range categoryWords() {
		if c.re().MatchString(text) {
			kinds = append(kinds, c.kinds...)
		}
	}
	if len(kinds) == 0 {
		if refusalWords().MatchString(text) {
			p.warn("no built-in detector for %q; write a regular expression in backticks", shorten(strings.TrimSpace(text)))
		}
		return
	}
	for _, k := range kinds {
		if !slices.Contains(p.rules, Rule{Kind: k, Keep: keep}) && len(p.rules) < MaxRules {
			p.rules = append(p.rules, Rule{Kind: k, Keep: keep})
		}
	}
}

type categoryWord struct {
	re    func() *regexp.Regexp
	kinds []Kind
}

func categoryWords() []categoryWord {
	all := categories()
	word := func(expr string, kinds ...Kind) categoryWord {
		return categoryWord{re: lazily(`(?i)\b(?:` + expr + `)\b`), kinds: kinds}
	}
	return []categoryWord{
		word(`e-?mails?(?: address(?:es)?)?`, KindEmail),
		word(`(?:tele)?phone(?: numbers?)?|mobile numbers?`, KindPhone),
		word(`national ids?|ssns?|social security(?: numbers?)?|identity numbers?`, KindNationalID),
		word(`passports?(?: numbers?)?`, KindPassport),
		word(`birth ?da(?:te|y)s?|dates? of birth|dob`, KindDateOfBirth),
		word(`ips?|ip address(?:es)?`, KindIPAddress),
		word(`mac address(?:es)?`, KindMACAddress),
		word(`(?:credit |debit |payment )cards?(?: numbers?)?|card numbers?`, KindCard),
		word(`ibans?`, KindIBAN),
		word(`bank (?:accounts?|details|data)|account numbers?`, KindBankAccount, KindIBAN),
		word(`medical records?|patient ids?`, KindMedicalRecord),
		word(`(?:postal|home|street|mailing) address(?:es)?`, KindAddress),
		word(`driv(?:er'?s?|ing) licen[cs]es?|licen[cs]e plates?`, KindLicence),
		word(`salar(?:y|ies)|incomes?|wages?`, KindIncome),
		word(`employers?(?: names?)?|staff numbers?|employee ids?`, KindEmployer),
		word(`health|medical|diagnos[ei]s`, all["health"]...),
		word(`financial|finance`, all["financial"]...),
		word(`personal(?:ly identifiable)? (?:data|information|details)|pii`, all["personal"]...),
	}
}
