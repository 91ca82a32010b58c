package dataset

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// hasher makes the fingerprint with xxhash64: n, d, of each row in order the number of its non-zeros, their features
// and their float32 bits, then labels, class names and weights. Models record it, so what is hashed and how must not
// change. It tells data apart that were mixed up; it is no defence against data that were made to collide.
type hasher struct {
	digest *xxhash.Digest
	eight  [8]byte
}

func newHasher(s *Store) *hasher {
	h := &hasher{digest: xxhash.New()}
	h.number(uint64(s.n))
	h.number(uint64(s.d))
	return h
}

func (h *hasher) number(x uint64) {
	binary.LittleEndian.PutUint64(h.eight[:], x)
	h.digest.Write(h.eight[:])
}

func (h *hasher) row(index []int32, value []float32) {
	h.number(uint64(len(index)))
	h.digest.Write(asBytes(index))
	h.digest.Write(asBytes(value))
}

func (h *hasher) finish(s *Store) uint64 {
	h.digest.Write(asBytes(s.labels))
	for _, name := range s.classes {
		h.number(uint64(len(name)))
		h.digest.WriteString(name)
	}
	h.digest.Write(asBytes(s.weights))
	return h.digest.Sum64()
}
