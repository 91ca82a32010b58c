package cache

import "encoding/binary"

// blockBytes is the most that one value of the database holds of a row: 65,536 points in float32.
const blockBytes = 256 << 10

const keyBytes = 20

// block is one piece of one row. The generation is never used twice, so that no older value can pass for a newer one.
type block struct {
	row        Key
	number     uint32
	generation uint64
}

// blocksOf is the number of blocks of a row.
func blocksOf(rowBytes int64) int { return int((rowBytes + blockBytes - 1) / blockBytes) }

// extent is where the block lies within a row of so many bytes.
func (b block) extent(rowBytes int64) (first, end int64) {
	first = int64(b.number) * blockBytes
	return first, min(first+blockBytes, rowBytes)
}

// appendKey appends the key of the block. The generation comes first: keys ascend as they are written.
func (b block) appendKey(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, b.generation)
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Group))
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.row.Row))
	return binary.BigEndian.AppendUint32(dst, b.number)
}

// entryOverhead bounds what badger adds to an entry: header, checksum, and the key again in the write-ahead log and table.
const entryOverhead = 128

// tableEntry is the bytes of memory for each block of a row on disk, in badger's memory table and on the log of that.
const tableEntry = 128
