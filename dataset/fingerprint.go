package dataset

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"bigmkl/mmap"
)

// Hasher makes the fingerprint of a data set with xxhash64: n, d, of each row in order the number of its non-zeros, their
// features and their float32 bits, then labels and class names, or targets, and weights. Models record it, so what is hashed and
// how must not change. It tells data apart that were mixed up; it is no defence against data that were made to collide.
type Hasher struct {
	digest *xxhash.Digest
	eight  [8]byte
}

// NewHasher starts the fingerprint of n rows of d features.
func NewHasher(n, d int) *Hasher {
	h := &Hasher{digest: xxhash.New()}
	h.number(uint64(n))
	h.number(uint64(d))
	return h
}

func (h *Hasher) number(x uint64) {
	binary.LittleEndian.PutUint64(h.eight[:], x)
	h.digest.Write(h.eight[:])
}

// Row adds the next row, by its non-zeros as scaled.
func (h *Hasher) Row(index []int32, value []float32) {
	h.number(uint64(len(index)))
	h.digest.Write(mmap.Bytes(index))
	h.digest.Write(mmap.Bytes(value))
}

// Targets takes the targets of regression, before Sum.
func (h *Hasher) Targets(y []float64) { h.digest.Write(mmap.Bytes(y)) }

// Sum ends the fingerprint with the class of each row, as an index of classes, and the weights, nil if all are 1.
func (h *Hasher) Sum(labels []int32, classes []string, weights []float64) uint64 {
	h.digest.Write(mmap.Bytes(labels))
	for _, name := range classes {
		h.number(uint64(len(name)))
		h.digest.WriteString(name)
	}
	h.digest.Write(mmap.Bytes(weights))
	return h.digest.Sum64()
}
