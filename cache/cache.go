package cache

import (
	"context"
	"errors"
)

// Open returns an empty cache. It creates nothing on disk before the first spill. Faults of the
// options are of class fail.Usage, and a lack of memory of class fail.Budget.
func Open(o Options) (*Cache, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Cache{options: o, layouts: newLayouts(o.RowBytes), admission: admission{mode: o.Mode, threads: o.Threads}}
	defer c.publish()
	if o.Mode == Never {
		return c, nil
	}
	arena := o.Memory
	if o.Disk > 0 {
		arena -= allowance(o.Memory)
	}
	var err error
	if c.ram, err = newRAM(o.RowBytes, arena); err != nil || c.ram == nil {
		return c, err
	}
	c.admission.history = newHistory(c.ram.capacity)
	if o.Disk > 0 {
		c.disk = newDisk(o, &c.layouts)
	}
	c.spiller = spiller{ram: c.ram, disk: c.disk, admission: &c.admission}
	return c, nil
}

// Acquire starts a round. It answers each request in the row of the same index, and pins the rows
// until Release. The keys must differ. It fails only if the context has ended or the cache is
// closed, and then no round was started.
func (c *Cache) Acquire(ctx context.Context, want []Request, rows []Row) error {
	switch {
	case len(want) != len(rows):
		panic("cache: as many rows as requests")
	case c.round.active:
		panic("cache: Acquire before Release")
	case c.closed:
		return errClosed
	}
	clear(rows)
	if err := ctx.Err(); err != nil {
		return err
	}
	defer c.publish()
	c.spiller.settle(false)
	c.round.active = true
	if c.ram != nil {
		if err := c.fetch(ctx, want, rows); err != nil {
			clear(rows)
			c.round.end(c.ram, false)
			return err
		}
	}
	for _, r := range rows {
		if r.State == Hit {
			c.stats.Hits++
		} else {
			c.stats.Misses++
		}
	}
	return nil
}

// Release ends the round. If keep is true, the rows that were to be filled are valid from now on;
// otherwise they are dropped. Without a round it does nothing. A goroutine may then write rows to
// disk that are likely to leave the memory soon.
func (c *Cache) Release(keep bool) error {
	if c.closed {
		return errClosed
	}
	placed := c.round.placed
	c.round.end(c.ram, keep)
	c.spiller.settle(false)
	if placed > 0 && keep && c.disk != nil {
		c.spiller.writeBehind(aheadRounds * placed)
	}
	c.publish()
	return nil
}

// clear drops every row in memory and on disk and undoes Narrow. It is for the case that the rows
// of the keys change. It ends a round as Release(false) does.
func (c *Cache) clear() error {
	if c.closed {
		return errClosed
	}
	defer c.publish()
	c.round.end(c.ram, false)
	if c.ram == nil {
		return nil
	}
	c.spiller.cut()
	c.layouts.widen()
	err := c.ram.reset(c.layouts.rowBytes())
	c.admission.history = newHistory(c.ram.capacity)
	if c.disk != nil {
		err = errors.Join(err, c.disk.clear())
	}
	return err
}

// Close frees the memory and removes everything that was made in Options.Dir. Rows that were handed
// out must not be used any more. Further calls do nothing.
func (c *Cache) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	if c.ram == nil {
		return nil
	}
	c.spiller.cut()
	var err error
	if c.disk != nil {
		err = c.disk.clear()
	}
	if c.spiller.lost {
		return err
	}
	return errors.Join(err, c.ram.arena.Close())
}
