package cache

import (
	"cmp"
	"sync/atomic"

	"bigmkl/internal/invariant"
)

// Cache is the two tiers. See the package comment.
type Cache struct {
	options Options
	layouts layouts
	ram     *ram  // nil if nothing is kept
	disk    *disk // nil without a disk tier
	history *history
	writing *writing // rows on their way to disk, nil if none
	lost    bool     // a database that panicked may still read rows: the arena is never unmapped

	round    []int32 // slots pinned by the round
	placed   int     // rows that were given slots in this round
	inRound  bool
	closed   bool
	declined int // reads from disk that did not pay, see probeEvery

	stats     Stats
	published atomic.Pointer[Stats]
}

// elapsed is the time by which computing a row makes a pass longer.
func (c *Cache) elapsed(cost float64) float64 { return cost / float64(max(c.options.Threads, 1)) }

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
	if invariant.Enabled && c.ram != nil && !c.closed {
		assertAccounts(c.ram, c.round, c.inRound)
		invariant.Check(s.RAMBytes <= c.options.Memory, "%d bytes in use of %d", s.RAMBytes, c.options.Memory)
	}
}
