package qdrant

import "math/bits"

// A bitset holds row numbers. It grows as rows are added to it.
type bitset []uint64

func newBitset(rows int) bitset { return make(bitset, (rows+63)/64) }

func (b bitset) has(row uint32) bool {
	word := int(row >> 6)
	return word < len(b) && b[word]&(1<<(row&63)) != 0
}

func (b *bitset) add(row uint32) {
	word := int(row >> 6)
	for word >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[word] |= 1 << (row & 63)
}

func (b bitset) remove(row uint32) {
	if word := int(row >> 6); word < len(b) {
		b[word] &^= 1 << (row & 63)
	}
}

func (b *bitset) set(row uint32, present bool) {
	if present {
		b.add(row)
	} else {
		b.remove(row)
	}
}

func (b bitset) clone() bitset { return append(bitset(nil), b...) }

// and keeps what is in both; a shorter set lacks the rest.
func (b bitset) and(other bitset) {
	for i := range b {
		if i < len(other) {
			b[i] &= other[i]
		} else {
			b[i] = 0
		}
	}
}

func (b bitset) andNot(other bitset) {
	for i := range min(len(b), len(other)) {
		b[i] &^= other[i]
	}
}

func (b *bitset) or(other bitset) {
	for len(*b) < len(other) {
		*b = append(*b, 0)
	}
	for i, word := range other {
		(*b)[i] |= word
	}
}

func (b bitset) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// each calls f with every row in order until f returns false.
func (b bitset) each(f func(row uint32) bool) {
	for i, word := range b {
		for word != 0 {
			row := uint32(i<<6 + bits.TrailingZeros64(word))
			if !f(row) {
				return
			}
			word &= word - 1
		}
	}
}
