// Package redact takes secrets and personal, financial and health data out of text
// before the text leaves the process that received it. Whoever starts a workflow
// redacts first, because Temporal keeps inputs for ever, and the activity that writes
// redacts again, because it cannot know who started it.
//
// A span that is found becomes [redacted:kind:mark]; the mark keeps two findings apart, see
// marker.go. The result says which kinds were found
// and how often, never what they were. Redacting twice changes nothing.
//
// The detectors are, in this order:
//
//   - rules of the reader of this machine: the privacy section of CLAUDE.md, see [ParseClaudeMD];
//   - secrets: the maintained rules of gitleaks, and our own for what they miss: passwords
//     after a word in six languages, in tables, markup and command lines, the hashes they are
//     stored as, tokens by their prefix, headers, addresses with a token, keys cut in half,
//     tokens wrapped in base64;
//   - personal data: e-mail addresses, phone numbers as they are written in eight countries,
//     postal addresses, national, passport and licence numbers, dates of birth;
//   - financial data: card numbers, IBANs, bank accounts, wallet keys, seed phrases, incomes;
//   - who employs somebody, and staff numbers;
//   - health data: conditions, prescriptions, record numbers and codes, only in context.
//
// A text is also read as a person sees it, without characters that take no place and with
// escapes undone: see shadow.go.
//
// What a developer's memory lives from is left alone on purpose: IP and MAC addresses
// (CLAUDE.md can ask for them), hashes, UUIDs, versions, paths, addresses such as
// git@github.com, and example.com. Names of people have no pattern that is right often
// enough; write a rule for the ones that matter.
//
// Nothing is compiled or parsed when a program starts. The first call of [Redactor.Redact]
// parses the gitleaks rules, and each rule is compiled when one of its keywords is seen
// for the first time.
package redact
