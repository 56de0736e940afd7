package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// NormalizeText is the form of a text that decides whether two texts are the
// same: runs of white space are one space, and none is at the ends.
func NormalizeText(text string) string { return strings.Join(strings.Fields(text), " ") }

// normalizesTo reports whether a text's [NormalizeText] has exactly these words.
func normalizesTo(text string, words []string) bool {
	for word := range strings.FieldsSeq(text) {
		if len(words) == 0 || word != words[0] {
			return false
		}
		words = words[1:]
	}
	return len(words) == 0
}

// ContentHash returns the SHA-256 of the normalised text in hexadecimal.
func ContentHash(text string) string {
	sum := sha256.Sum256([]byte(NormalizeText(text)))
	return hex.EncodeToString(sum[:])
}

// NewID returns the id of a text in a project and collection: the same three
// always give the same UUID, so a repeated store cannot make a second memory,
// and the same text in two projects is two memories. A memory keeps its id
// when it is promoted to another collection.
func NewID(project, collection, text string) string {
	h := sha256.New()
	for _, part := range []string{project, collection, NormalizeText(text)} {
		// The length first, so that no two splits of one string collide.
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return uuidFromHash(h.Sum(nil))
}

// NextID returns the id for a text whose own id is taken by a memory that was
// edited since and no longer says it.
func NextID(id string) string { return NewID("next", "", id) }

// NewLinkID returns the id of a link, the same for the same three parts.
func NewLinkID(sourceID, targetID, linkType string) string {
	return NewID(sourceID, targetID, linkType)
}

// uuidFromHash makes a version 8 UUID (RFC 9562, section 5.8: custom) of the
// first 16 bytes of a hash.
func uuidFromHash(sum []byte) string {
	var u [16]byte
	copy(u[:], sum)
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// ValidID reports whether id is written as [NewID] writes it.
func ValidID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
				return false
			}
		}
	}
	return true
}
