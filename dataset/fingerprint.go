package dataset

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// hasher makes the fingerprint with xxhash64: n, d, the float32 bits of the rows in order, then labels, class names and
// weights. Models record it, so what is hashed and how must not change. It tells data apart that were mixed up; it is
// no defence against data that were made to collide.
type hasher struct {
	digest *xxhash.Digest
	row32  []float32
}

func newHasher(s *Store) *hasher {
	h := &hasher{xxhash.New(), make([]float32, s.d)}
	h.number(uint64(s.n))
	h.number(uint64(s.d))
	return h
}

func (h *hasher) number(x uint64) {
	h.digest.Write(binary.LittleEndian.AppendUint64(nil, x))
}

func (h *hasher) row(panel []float32, lane int) {
	gather(panel, lane, h.row32)
	h.digest.Write(asBytes(h.row32))
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
