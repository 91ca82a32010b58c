package cache

// Stats counts what the cache did since Open.
type Stats struct {
	// Hits counts the rows handed out with their contents, from memory or disk.
	Hits int64
	// Misses counts the rows that the caller has to compute, kept or not.
	Misses int64
	// DiskHits counts the hits that were read back from disk.
	DiskHits int64
	// Spills counts the rows written to disk.
	Spills int64
	// Damaged counts the rows on disk that could not be read back whole.
	Damaged int64

	// SpilledBytes is the size of the rows written to disk.
	SpilledBytes int64
	// RAMBytes is the memory in use: slots that were touched, bookkeeping, and the allowance of the
	// disk tier.
	RAMBytes int64
	// DiskBytes is the length of the file of the disk tier, with the rows that are being written.
	DiskBytes int64

	// DiskOff states why the disk tier takes no rows. It is "" if the tier takes rows or was not
	// asked for. A lack of free space may pass.
	DiskOff string
}
