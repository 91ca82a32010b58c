package cache

// RowMemory returns the part of Options.Memory, in bytes, that a row of rowBytes takes.
func RowMemory(rowBytes int64) int64 { return strideOf(rowBytes) + slotOverhead }

// HeapBytes returns the part of Options.Memory, in bytes, that lies in the Go heap: the
// bookkeeping of both tiers.
func HeapBytes(o Options) int64 {
	if o.Mode == Never {
		return 0
	}
	disk := int64(0)
	if o.Disk > 0 {
		disk = allowance(o.Memory)
	}
	return disk + (o.Memory-disk)/RowMemory(o.RowBytes)*slotOverhead
}

const (
	// indexEntry bounds the memory in bytes for a row on disk: its location, its place in the index and in the order of
	// writing, with the spare room of a growing map.
	indexEntry = 160
	// minRows is the least number of rows of the index, however small the memory is.
	minRows = 64
)

// indexShare returns the part of the memory budget for the index of the rows on disk.
func indexShare(memory int64) int64 { return memory / 16 }

// allowance returns the part of the memory budget that the disk tier gets for the index of its rows and for what is read
// in pieces. Under a small budget half of the memory is left to the arena.
func allowance(memory int64) int64 {
	return min(indexShare(memory)+readers*pieceBytes, memory/2)
}

// metadataShare is the part of the disk budget that a file system may take to find the blocks of the file: one in 64.
const metadataShare = 64

// fileLimit returns the largest length of the file within a disk budget.
func fileLimit(disk int64) int64 { return disk - (disk+metadataShare-1)/metadataShare }

// DiskBudget returns the least value of Options.Disk that keeps the given number of bytes of rows.
func DiskBudget(rows int64) int64 {
	return rows + (rows+metadataShare-2)/(metadataShare-1)
}
