package cache

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// blockBytes is the most that one value of the database holds of a row: 65,536 points in float32.
const blockBytes = 256 << 10

// Layout of a value, little-endian: the hash of the payload, the identity of the block, the payload.
const (
	headerBytes = 32
	keyBytes    = 20
)

// block is one piece of one row. The generation is never used twice, so that no older value can pass for a newer one.
type block struct {
	row        Key
	number     uint32
	generation uint64
}

// blocksOf is the number of blocks of a row.
func blocksOf(rowBytes int64) int { return int((rowBytes + blockBytes - 1) / blockBytes) }

// part is the payload of the block within its row.
func (b block) part(row []byte) []byte {
	first := int64(b.number) * blockBytes
	return row[first:min(first+blockBytes, int64(len(row)))]
}

// appendKey appends the key of the block. The generation comes first: keys ascend as they are written.
func (b block) appendKey(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, b.generation)
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Group))
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Row))
	return binary.BigEndian.AppendUint32(dst, b.number)
}

// appendValue appends header and payload.
func (b block) appendValue(dst, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(payload))
	dst = b.appendIdentity(dst, len(payload))
	return append(dst, payload...)
}

func (b block) appendIdentity(dst []byte, length int) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, b.generation)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.row.Group))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.row.Row))
	dst = binary.LittleEndian.AppendUint32(dst, b.number)
	return binary.LittleEndian.AppendUint32(dst, uint32(length))
}

// decode copies the payload of a value to dst and says whether it is whole and the right one. The hash is taken of the
// copy: what is checked is what will be used.
func (b block) decode(dst, value []byte) bool {
	var want [headerBytes - 8]byte
	b.appendIdentity(want[:0], len(dst))
	if len(value) != headerBytes+len(dst) || string(value[8:headerBytes]) != string(want[:]) {
		return false
	}
	copy(dst, value[headerBytes:])
	return xxhash.Sum64(dst) == binary.LittleEndian.Uint64(value)
}
