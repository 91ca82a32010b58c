package packed

import (
	"encoding/binary"
	"math"

	"github.com/cespare/xxhash/v2"
)

// stream reads a section from its beginning to its end. It compares the checksum of each block
// before it hands out a byte of it.
type stream struct {
	file    *container
	section *section
	// next is the number of the next block, and left holds what is left of the one before.
	next int64
	left []byte
	buf  []byte
	// joined holds bytes that lie in two blocks.
	joined []byte
}

// stream returns a stream of a section that exists.
func (f *container) stream(name string) *stream {
	s := f.sections[name]
	return &stream{file: f, section: s, buf: make([]byte, min(s.length, blockBytes))}
}

// bytes returns the next n bytes, which are valid until the following call. The caller knows by the
// sizes of the file that there are as many.
func (s *stream) bytes(n int) ([]byte, error) {
	if len(s.left) >= n {
		b := s.left[:n]
		s.left = s.left[n:]
		return b, nil
	}
	s.joined = s.joined[:0]
	for len(s.joined) < n {
		if len(s.left) == 0 {
			if err := s.readBlock(); err != nil {
				return nil, err
			}
		}
		take := min(n-len(s.joined), len(s.left))
		s.joined = append(s.joined, s.left[:take]...)
		s.left = s.left[take:]
	}
	return s.joined, nil
}

// readBlock reads the next block.
func (s *stream) readBlock() error {
	if s.next == int64(len(s.section.sums)) {
		return s.file.damaged("section %s is too short", s.section.name)
	}
	at := s.next * blockBytes
	b := s.buf[:min(blockBytes, s.section.length-at)]
	if err := s.file.readAt(b, s.section.offset+at); err != nil {
		return err
	}
	if xxhash.Sum64(b) != s.section.sums[s.next] {
		return s.file.badSum(s.section, s.next)
	}
	s.left = b
	s.next++
	return nil
}

// long returns the next int64.
func (s *stream) long() (int64, error) {
	b, err := s.bytes(8)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

func float32At(b []byte, k int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
}

func float64At(b []byte, k int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
}
