package activities

import (
	"encoding/hex"
	"fmt"
)

// Add returns the digest of both sets together. The two must not overlap.
func (d Digest) Add(other Digest) (Digest, error) {
	if d.Count == 0 {
		return other, nil
	}
	if other.Count == 0 {
		return d, nil
	}
	a, err := hex.DecodeString(d.Hash)
	if err != nil {
		return d, fmt.Errorf("decode digest: %w", err)
	}
	b, err := hex.DecodeString(other.Hash)
	if err != nil || len(a) != len(b) {
		return d, fmt.Errorf("decode digest %q: lengths %d and %d: %w", other.Hash, len(a), len(b), err)
	}
	for i := range a {
		a[i] ^= b[i]
	}
	return Digest{Count: d.Count + other.Count, Hash: hex.EncodeToString(a)}, nil
}
