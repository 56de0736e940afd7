package memory

import "strings"

// Where a redactor took something out stands a marker such as [redacted:email:7f3a2c]: the
// kind, and a mark that tells two values of that kind apart.

const markerOpens = "[redacted:"

// eachMarker calls yield with what stands in each marker of a text, between its opening and
// its bracket, until yield returns false.
func eachMarker(text string, yield func(inside string) bool) {
	const signs = "abcdefghijklmnopqrstuvwxyz0123456789-:"
	for {
		_, rest, found := strings.Cut(text, markerOpens)
		if !found {
			return
		}
		inside, after, closed := strings.Cut(rest, "]")
		if !closed || inside == "" || strings.Trim(inside, signs) != "" {
			text = rest
			continue
		}
		if !yield(inside) {
			return
		}
		text = after
	}
}

// hasBareMarker reports whether a text holds a marker without a mark, from a release before
// marks. The redacted words are unknown, so two such markers do not count as the same words.
func hasBareMarker(text string) bool {
	bare := false
	eachMarker(text, func(inside string) bool {
		bare = !strings.Contains(inside, ":")
		return !bare
	})
	return bare
}

// tooLong reports whether a text has more than limit bytes. Markers do not count up to the
// same number of bytes again: what was short enough before it was redacted still is.
func tooLong(text string, limit int) bool {
	if len(text) <= limit || len(text) > 2*limit {
		return len(text) > limit
	}
	size := len(text)
	eachMarker(text, func(inside string) bool {
		size -= len(markerOpens) + len(inside) + len("]")
		return true
	})
	return size > limit
}

// nameMark is how many digits of a hash stand in the marker of a name.
const nameMark = 6

// RedactName redacts the name of a project or session.
func RedactName(r Redactor, name string) string { return redactName(r, name, MaxNameBytes) }

// RedactNames redacts names of projects. Nil stays nil.
func RedactNames(r Redactor, names []string) []string { return redactNames(r, names, MaxNameBytes) }

// RedactTags redacts tags. Nil stays nil.
func RedactTags(r Redactor, tags []string) []string { return redactNames(r, tags, MaxTagBytes) }

// redactName redacts a name of at most limit bytes. Markers can be longer than what they
// stand for, and must not make a name too long: such a name becomes one marker, whose mark
// is that of the redacted name. A name that was too long before stays so, for the check to
// refuse it.
func redactName(r Redactor, name string, limit int) string {
	clean := redacted(r, name)
	if len(clean) <= limit || len(name) > limit {
		return clean
	}
	return markerOpens + "name:" + ContentHash(clean)[:nameMark] + "]"
}

func redactNames(r Redactor, names []string, limit int) []string {
	if names == nil {
		return nil
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = redactName(r, name, limit)
	}
	return out
}
