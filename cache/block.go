package cache

import "encoding/binary"

// blockBytes is the largest part of a row that one value of the database holds: 65,536 points in
// float32.
const blockBytes = 256 << 10

const keyBytes = 20

// block is one piece of one row. No generation is used twice, so an older value cannot pass for a
// newer one.
type block struct {
	row        Key
	number     uint32
	generation uint64
}

// blocksOf returns the number of blocks of a row.
func blocksOf(rowBytes int64) int { return int((rowBytes + blockBytes - 1) / blockBytes) }

// extent returns the range of bytes of the block within a row of the given length.
func (b block) extent(rowBytes int64) (first, end int64) {
	first = int64(b.number) * blockBytes
	return first, min(first+blockBytes, rowBytes)
}

// appendKey appends the key of the block. The generation comes first, so keys ascend in the order
// of writing.
func (b block) appendKey(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, b.generation)
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Group))
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Row))
	return binary.BigEndian.AppendUint32(dst, b.number)
}

// entryOverhead bounds the bytes that badger adds to an entry: header, checksum, and the key again
// in the write-ahead log and the table.
const entryOverhead = 128

// tableEntry is the memory in bytes that a block of a row on disk takes in badger's memory table
// and its log.
const tableEntry = 128
