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
	disk      *disk
	admission admission
	spiller   spiller
	round     round
	closed    bool

	stats     Stats
	published atomic.Pointer[Stats]
}

var _ io.Closer = (*Cache)(nil)

// Stats returns the counts as of the end of the last call. Any goroutine may call it.
func (c *Cache) Stats() Stats { return *c.published.Load() }

// publish makes the counts visible to Stats.
func (c *Cache) publish() {
	s := c.stats
	s.Spills, s.SpilledBytes = c.spiller.spills, c.spiller.bytes
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
		assertAccounts(c.ram, c.round.slots, c.round.active)
		invariant.Check(s.RAMBytes <= c.options.Memory, "%d bytes in use of %d", s.RAMBytes,
			c.options.Memory)
	}
}
