// Package datahash hashes data sets. Models, checkpoints and packed stores record the hash, to find data that were
// mixed up.
package datahash

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/fail"
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

// New starts the fingerprint of n rows of d features.
func New(n, d int) *Hasher {
	h := &Hasher{digest: xxhash.New()}
	h.number(uint64(n))
	h.number(uint64(d))
	return h
}

func (h *Hasher) number(x uint64) {
	binary.LittleEndian.PutUint64(h.eight[:], x)
	h.digest.Write(h.eight[:])
}

// Occurring adds the features that occur, of data of so many features, behind the sizes. It is called only for data
// whose features are numbered by what occurs.
func (h *Hasher) Occurring(width int, index []int32) {
	h.number(uint64(width))
	h.Row(index, nil)
}

// Row adds the next row, given as the features that are not zero after scaling, and their values.
func (h *Hasher) Row(index []int32, value []float32) {
	h.number(uint64(len(index)))
	h.digest.Write(mmap.Bytes(index))
	h.digest.Write(mmap.Bytes(value))
}

// With returns the fingerprint of data whose labels are uncertain, from the fingerprint
// of the same data with certain labels and the posteriors of the rows. It is the hash of both, one
// after the other.
func With(certain uint64, posteriors []float64) uint64 {
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

// State returns the state of the hasher, from which a file of packed points goes on to the labels.
func (h *Hasher) State() []byte {
	state, _ := h.digest.MarshalBinary() // Its error is always nil.
	return state
}

// Resume returns the hasher that was in a state, as State returned it. Other bytes are an error of class
// fail.Corrupt.
func Resume(state []byte) (*Hasher, error) {
	h := New(0, 0)
	if err := h.digest.UnmarshalBinary(state); err != nil {
		return nil, fail.New(fail.Corrupt, "the digest of the rows is none: %v", err)
	}
	return h, nil
}
