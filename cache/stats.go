package cache

// Stats counts what the cache did since Open.
type Stats struct {
	Hits     int64 // rows handed out with their contents, from memory or disk
	Misses   int64 // rows that the caller has to compute, kept or not
	DiskHits int64 // the hits that were read back from disk
	Spills   int64 // rows written to disk
	Damaged  int64 // rows that were on disk and could not be read back whole

	SpilledBytes int64 // bytes of the rows written to disk
	RAMBytes     int64 // memory in use: slots that were touched, bookkeeping, badger's allowance
	DiskBytes    int64 // allocated blocks of the disk tier, as last measured, and what was written since

	DiskOff string // why the disk tier takes no rows; "" if it does or was not asked for. A lack of free space may pass
}
