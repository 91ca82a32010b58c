package dataset

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"bigmkl/mmap"
)

// Hasher computes the fingerprint of a data set with xxhash64. The hash covers n, d, and for each
// row in order the number of its non-zeros, their features and their float32 bits; then labels and
// class names, or targets and upper bounds; and then weights. Models record the fingerprint, so what is hashed must
// never change. It detects data that were mixed up, and does not detect data made to collide.
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

// Row adds the next row, given as the features that are not zero after scaling, and their values.
func (h *Hasher) Row(index []int32, value []float32) {
	h.number(uint64(len(index)))
	h.digest.Write(mmap.Bytes(index))
	h.digest.Write(mmap.Bytes(value))
}

// FingerprintWith returns the fingerprint of data whose labels are uncertain, from the fingerprint
// of the same data with certain labels and the posteriors of the rows. It is the hash of both, one
// after the other.
func FingerprintWith(certain uint64, posteriors []float64) uint64 {
	h := &Hasher{digest: xxhash.New()}
	h.number(certain)
	h.digest.Write(mmap.Bytes(posteriors))
	return h.digest.Sum64()
}

// Targets adds the targets of regression or times, and then the upper bounds of times, if there are any. It is called between the last
// Row and Sum.
func (h *Hasher) Targets(y []float64) { h.digest.Write(mmap.Bytes(y)) }

// Sum adds the class of each row, as an index into classes, and the weights, nil if all are 1. It
// returns the fingerprint.
func (h *Hasher) Sum(labels []int32, classes []string, weights []float64) uint64 {
	h.digest.Write(mmap.Bytes(labels))
	for _, name := range classes {
		h.number(uint64(len(name)))
		h.digest.WriteString(name)
	}
	h.digest.Write(mmap.Bytes(weights))
	return h.digest.Sum64()
}
