package cache

import "bigmkl/internal/files"

// RowMemory returns the part of Options.Memory, in bytes, that a row of rowBytes takes.
func RowMemory(rowBytes int64) int64 { return strideOf(rowBytes) + slotOverhead }

// HeapBytes returns the part of Options.Memory, in bytes, that lies in the Go heap: the
// bookkeeping, and the database if there is a disk tier.
func HeapBytes(o Options) int64 {
	if o.Mode == Never {
		return 0
	}
	database := int64(0)
	if o.Disk > 0 {
		database = allowance(o.Memory)
	}
	return database + (o.Memory-database)/RowMemory(o.RowBytes)*slotOverhead
}

// DiskBudget returns the least value of Options.Disk that keeps the given number of bytes of rows.
func DiskBudget(rows int64) int64 {
	if files.NamesLast { // Logs that are not full take a part of the disk that no row uses.
		rows += rows / 2
	}
	return rows/(2*storeShare)*100 + 2*slackBytes
}
