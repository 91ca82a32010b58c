package cache

import (
	"cmp"

	"bigmkl/internal/invariant"
)

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

// Stats returns the counts as of the end of the last call. It may be called from any goroutine.
func (c *Cache) Stats() Stats { return *c.published.Load() }

// publish makes the counts visible to Stats.
func (c *Cache) publish() {
	s := c.stats
	if c.ram != nil {
		s.RAMBytes = c.ram.bytes() + c.layouts.bytes()
	}
	if c.disk != nil {
		s.RAMBytes += c.disk.memory()
		s.DiskBytes = c.disk.bytes()
		s.DiskOff = cmp.Or(c.disk.off, c.disk.low)
	}
	c.published.Store(&s)
	if invariant.Enabled {
		c.assertAccounts()
	}
}
