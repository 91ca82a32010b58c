package cache

// RowMemory is what a row of so many bytes takes of Options.Memory.
func RowMemory(rowBytes int64) int64 { return strideOf(rowBytes) + slotOverhead }

// HeapBytes is how much of Options.Memory lies in the Go heap: bookkeeping, and the database if there is a disk tier.
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

// DiskBudget is the least disk budget that keeps so many bytes of rows.
func DiskBudget(rows int64) int64 { return rows/(2*storeShare)*100 + 2*slackBytes }
