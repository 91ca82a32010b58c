package cache

import (
	"cmp"
	"io"
	"sync/atomic"

	"bigmkl/internal/invariant"
)

// Cache keeps rows in a memory tier and a disk tier. See the package comment.
type Cache struct {
	options Options
	layouts layouts
	// ram is nil if nothing is kept.
	ram *ram
	// disk is nil without a disk tier.
	disk    *disk
	history *history
	// writing holds the rows on their way to disk. It is nil if there are none.
	writing *writing
	// lost is true if a database that panicked may still read rows. The arena is then never
	// unmapped.
	lost bool

	// round lists the slots pinned by the round.
	round []int32
	// placed counts the rows that were given slots in this round.
	placed  int
	inRound bool
	closed  bool
	// declined counts the reads from disk that did not pay (see probeEvery).
	declined int

	stats     Stats
	published atomic.Pointer[Stats]
}

var _ io.Closer = (*Cache)(nil)

// elapsed returns the time in ns by which computing a row makes a pass longer.
func (c *Cache) elapsed(cost float64) float64 { return cost / float64(max(c.options.Threads, 1)) }

// Stats returns the counts as of the end of the last call. Any goroutine may call it.
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
		invariant.Check(s.RAMBytes <= c.options.Memory, "%d bytes in use of %d", s.RAMBytes,
			c.options.Memory)
	}
}
