// Package extract finds what is worth remembering in a session of Claude Code.
//
// [Rules] reads the events of a transcript and answers with a handful of
// candidates: an error and what fixed it, a cause that was found, a decision
// and its reason, steps that worked, what the person corrected or prefers. It
// asks no model. It would rather miss a fact than keep a wrong one: questions,
// guesses, plans, code, the output of tools and what came from memory in the
// first place are never candidates. A different value of a shown fact, or its
// denial, is news.
//
// [Extract] asks a configured chat model first, holds its answer to the same
// limits and to the words it cites, and falls back to the rules.
//
// [Signature] and [SameKind] are the small tools behind "similar error seen
// before": what of an error to search for, and which command tries again what
// an earlier one failed at.
package extract
