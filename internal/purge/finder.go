package purge

import (
	"crypto/hmac"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// The windows that are taken of a text. Shorter texts than the least could be found in anything.
const (
	longWindow = 32
	maxWindows = 32 // of one piece of a text
	macBytes   = 16
)

// lengths lists the lengths that a window can have, in bytes, the shortest first.
var lengths = []int{8, 12, 16, 24, longWindow}

// window is a part of a text in the form of canon, known only by its hashes under a secret.
type window struct {
	Length int    `json:"n"`
	Hash   uint64 `json:"h"` // rolling: it picks out what is worth a closer look
	MAC    []byte `json:"m"` // proves it
	// Kept says that a memory which stays has the same words. Finding them says nothing then.
	Kept bool `json:"kept,omitempty"`
}

// pattern is one text as a set of windows.
type pattern struct {
	ID      string   `json:"id"` // of the memory
	Windows []window `json:"w"`  // none: the text is too short to be looked for in files
}

// secret is what the hashes of one receipt depend on.
type secret [32]byte

// table returns the random numbers of the rolling hash.
func (s secret) table() *[256]uint64 {
	r := rand.NewChaCha8(s)
	var t [256]uint64
	for i := range t {
		t[i] = r.Uint64()
	}
	return &t
}

func (s secret) mac(window []byte) []byte {
	h := hmac.New(sha256.New, s[:])
	h.Write(window)
	return h.Sum(nil)[:macBytes]
}

// patternOf takes a text apart.
func (s secret) patternOf(table *[256]uint64, id, text string) pattern {
	p := pattern{ID: id, Windows: []window{}}
	for _, piece := range pieces(text) {
		n := 0
		for _, l := range lengths {
			if l <= len(piece) {
				n = l
			}
		}
		if n == 0 {
			continue
		}
		count := min((len(piece)+n-1)/n, maxWindows)
		for i := range count {
			at := 0
			if count > 1 {
				at = i * (len(piece) - n) / (count - 1)
			}
			part := piece[at : at+n]
			var h uint64
			for _, b := range part {
				h = bits.RotateLeft64(h, 1) ^ table[b]
			}
			p.Windows = append(p.Windows, window{Length: n, Hash: h, MAC: s.mac(part)})
		}
	}
	return p
}

// ref names one window of one pattern.
type ref struct{ pattern, window int }

// filterBits is the size of the first test that a hash has to pass.
const filterBits = 18

// finder finds the texts of patterns in bytes.
type finder struct {
	secret  secret
	table   *[256]uint64
	lengths []int // that occur
	filter  []uint64
	known   map[uint64][]ref
	of      []pattern
}

// newFinder looks for patterns; with kept, also for windows that memories which stay have too.
func newFinder(s secret, of []pattern, kept bool) *finder {
	f := &finder{
		secret: s, table: s.table(), filter: make([]uint64, 1<<filterBits/64),
		known: map[uint64][]ref{}, of: of,
	}
	for i, p := range of {
		for j, w := range p.Windows {
			if w.Kept && !kept || !slices.Contains(lengths, w.Length) {
				continue
			}
			if !slices.Contains(f.lengths, w.Length) {
				f.lengths = append(f.lengths, w.Length)
			}
			bit := w.Hash >> (64 - filterBits)
			f.filter[bit/64] |= 1 << (bit % 64)
			f.known[w.Hash] = append(f.known[w.Hash], ref{i, j})
		}
	}
	return f
}

// scan is a finder at work on one stream of bytes.
type scan struct {
	f     *finder
	canon canon
	ring  [2 * longWindow]byte
	at    int // in ring
	n     int // bytes since the last cut
	hash  [8]uint64
	found map[ref]bool
}

func (f *finder) scan() *scan { return &scan{f: f, found: map[ref]bool{}} }

// Write looks at the next bytes of the stream.
func (s *scan) Write(data []byte) (int, error) {
	if len(s.f.lengths) == 0 {
		return len(data), nil
	}
	for _, b := range data {
		// Most bytes stand for themselves: the short way.
		if !s.canon.busy() {
			switch to := plain[b]; to {
			case skipped:
				continue
			case cutting:
				if s.n > 0 {
					s.cut()
				}
				continue
			case special:
			default:
				s.canon.high = 0
				s.add(to)
				continue
			}
		}
		more, cut := s.canon.feed(b)
		if cut {
			s.cut()
		}
		for _, b := range more {
			s.add(b)
		}
	}
	return len(data), nil
}

func (s *scan) cut() { s.n, s.hash = 0, [8]uint64{} }

// add takes the next byte of the form.
func (s *scan) add(b byte) {
	s.n++
	in := s.f.table[b]
	for i, length := range s.f.lengths {
		h := bits.RotateLeft64(s.hash[i], 1) ^ in
		if s.n > length {
			old := s.ring[(s.at-length)&(2*longWindow-1)]
			h ^= bits.RotateLeft64(s.f.table[old], length)
		}
		s.hash[i] = h
		if bit := h >> (64 - filterBits); s.n >= length && s.f.filter[bit/64]&(1<<(bit%64)) != 0 {
			s.look(h, length, b)
		}
	}
	s.ring[s.at&(2*longWindow-1)] = b
	s.at++
}

// look compares a window whose hash is known, and that ends with b.
func (s *scan) look(h uint64, length int, b byte) {
	refs := s.f.known[h]
	if len(refs) == 0 {
		return
	}
	part := make([]byte, 0, longWindow)
	for i := s.at - length + 1; i < s.at; i++ {
		part = append(part, s.ring[i&(2*longWindow-1)])
	}
	mac := s.f.secret.mac(append(part, b))
	for _, r := range refs {
		if w := s.f.of[r.pattern].Windows[r.window]; w.Length == length && hmac.Equal(w.MAC, mac) {
			s.found[r] = true
		}
	}
}

// match counts the windows of one text that were found.
type match struct {
	pattern int
	parts   int  // windows that were found
	whole   bool // all windows of the text that were looked for
}

// matches returns what was found, in the order of the patterns.
func (s *scan) matches() []match {
	parts := map[int]int{}
	for r := range s.found {
		parts[r.pattern]++
	}
	out := make([]match, 0, len(parts))
	for p, n := range parts {
		all := 0
		for _, w := range s.f.of[p].Windows {
			if len(s.f.known[w.Hash]) > 0 {
				all++
			}
		}
		out = append(out, match{pattern: p, parts: n, whole: n >= all})
	}
	slices.SortFunc(out, func(a, b match) int { return a.pattern - b.pattern })
	return out
}

// in looks at one text.
func (f *finder) in(data []byte) []match {
	s := f.scan()
	_, _ = s.Write(data) // never fails
	if len(s.found) == 0 {
		return nil
	}
	return s.matches()
}

// digest is the hash of a whole text that a receipt shows. It tells nothing without the secret.
func (s secret) digest(id, text string) []byte {
	h := hmac.New(sha256.New, s[:])
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(id)))
	h.Write(n[:])
	h.Write([]byte(id))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func newSecret() (s secret) {
	cryptorand.Read(s[:]) // never fails: see crypto/rand
	return s
}
