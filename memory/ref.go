package memory

import (
	"fmt"
	"slices"
	"strings"
)

// ShortLen is how many characters of an id people and models are shown. It is
// also the least that names a memory.
const ShortLen = 8

// ShortID is how an id is shown. Among 10,000 memories the chance that two
// begin alike is one in a hundred, and then the longer beginning that
// [Resolve] asks for tells them apart.
func ShortID(id string) string { return id[:min(ShortLen, len(id))] }

// CheckRef refuses what names no memory: a reference is an id, or the
// beginning of one, with or without its hyphens.
func CheckRef(ref string) error {
	if digits(ref) == "" {
		return Errorf(Invalid, "copy it from a store's or recall's answer",
			"%q is not a memory's id (a UUID, or at least its first %d characters)", clip(ref), ShortLen)
	}
	return nil
}

// digits returns the hexadecimal digits of a reference, or "" if it is none.
func digits(ref string) string {
	ref = strings.ToLower(strings.TrimSpace(ref))
	if len(ref) > 36 || strings.HasPrefix(ref, "-") {
		return ""
	}
	hex := strings.ReplaceAll(ref, "-", "")
	if len(hex) < ShortLen || len(hex) > 32 || strings.Trim(hex, "0123456789abcdef") != "" {
		return ""
	}
	return hex
}

// Names reports whether a reference is an id's, whole or its beginning.
func Names(ref, id string) bool {
	hex := digits(ref)
	return hex != "" && strings.HasPrefix(strings.ReplaceAll(id, "-", ""), hex)
}

// IDRange returns the first and the last id that a reference may mean.
func IDRange(ref string) (first, last string, err error) {
	if err := CheckRef(ref); err != nil {
		return "", "", err
	}
	fill := func(digit string) string {
		hex := digits(ref)
		hex += strings.Repeat(digit, 32-len(hex))
		return fmt.Sprintf("%s-%s-%s-%s-%s", hex[:8], hex[8:12], hex[12:16], hex[16:20], hex[20:])
	}
	return fill("0"), fill("f"), nil
}

// Candidates are the memories that a reference may mean.
type Candidates struct {
	Ref      string   `json:"ref"`
	Memories []Memory `json:"memories"` // the first MaxCandidates of them, their texts shortened
}

// MaxCandidates is how many memories are named when a reference means several.
const MaxCandidates = 5

// Resolve returns the id of each reference. A reference that means several
// memories is refused with their names; with strict, so is one that means none,
// which is otherwise returned as it is.
func Resolve(refs []string, found []Candidates, strict bool) ([]string, error) {
	out := make([]string, len(refs))
	for i, ref := range refs {
		out[i] = ref
		at := slices.IndexFunc(found, func(c Candidates) bool { return c.Ref == ref })
		switch {
		case ValidID(ref):
		case at < 0 || len(found[at].Memories) == 0:
			if strict {
				return nil, Errorf(NotFound, "find it with a recall", "there is no memory whose id begins with %s", ref)
			}
		case len(found[at].Memories) > 1:
			return nil, ambiguous(found[at])
		default:
			out[i] = found[at].Memories[0].ID
		}
	}
	return out, nil
}

func ambiguous(c Candidates) error {
	names := make([]string, 0, len(c.Memories))
	for _, m := range c.Memories {
		name := fmt.Sprintf("%s (%s)", m.ID, strings.Join(strings.Fields(m.Text), " "))
		if m.State != Live {
			name = fmt.Sprintf("%s (%s, %s)", m.ID, m.State, strings.Join(strings.Fields(m.Text), " "))
		}
		names = append(names, name)
	}
	return Errorf(Conflict, "write more characters of the id", "%s is the beginning of several ids: %s", c.Ref, strings.Join(names, "; "))
}
