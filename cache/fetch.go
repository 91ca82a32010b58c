package cache

import "context"

// fetch answers the requests of a round from memory and disk, and gives slots to the other rows
// that are worth keeping.
func (c *Cache) fetch(ctx context.Context, want []Request, rows []Row) error {
	c.admission.history.next()
	missing := c.lookup(want, rows)
	if len(missing) > c.ram.unpinned() {
		c.spiller.settle(true)
	}
	missing = best(missing, c.ram.unpinned())
	if err := c.makeRoom(ctx, len(missing)); err != nil {
		return err
	}
	var reads []*readRow
	for _, m := range missing {
		k := want[m.index].Key
		if _, twice := c.ram.index[k]; twice {
			continue // A key that was asked for twice gets one slot.
		}
		s := c.ram.place(k, want[m.index].Cost)
		c.round.place(s)
		rows[m.index] = Row{c.ram.data(s), Fill}
		if m.onDisk && c.disk.holds(k) { // Making room may have dropped the row.
			reads = append(reads, &readRow{key: k, data: c.ram.data(s), slot: s, want: m.index})
		}
	}
	if len(reads) == 0 { // This covers a cache without a disk tier.
		return nil
	}
	if err := c.disk.read(ctx, reads); err != nil {
		return err
	}
	for _, r := range reads {
		if r.bad {
			c.stats.Damaged++
			continue // The row stays a Fill.
		}
		c.stats.DiskHits++
		c.ram.slots[r.slot].valid = true
		rows[r.want].State = Hit
	}
	return nil
}

// lookup answers and pins the rows in memory. It returns the other rows that could be kept.
func (c *Cache) lookup(want []Request, rows []Row) []candidate {
	auto := c.options.Mode == Auto
	missing := make([]candidate, 0, len(want))
	for i, w := range want {
		if auto && !worthReading(w.Cost, c.layouts.rowBytes(), ramRate) {
			continue
		}
		if !w.Once {
			c.admission.history.touch(w.Key)
		}
		s, ok := c.ram.index[w.Key]
		if !ok {
			m := candidate{index: i, seen: c.admission.history.rows[w.Key].seen}
			if auto {
				m.cost = costClass(w.Cost)
			}
			m.onDisk = c.disk != nil && c.disk.holds(w.Key) && c.admission.readingPays(w.Cost, c.disk.lengthOf(w.Key), c.disk.reading.ns)
			if w.Once && !m.onDisk {
				continue
			}
			missing = append(missing, m)
			continue
		}
		e := &c.ram.slots[s]
		if w.Cost > 0 {
			e.cost = w.Cost
		}
		if !e.pinned {
			c.round.hit(s)
		}
		c.ram.pin(s)
		rows[i] = Row{c.ram.data(s), Hit}
	}
	return missing
}

// makeRoom evicts rows until n can be placed. It first writes those that are worth it.
func (c *Cache) makeRoom(ctx context.Context, n int) error {
	if n -= c.ram.vacant(); n <= 0 {
		return nil
	}
	victims := c.ram.victims(n)
	if c.disk != nil {
		if err := c.spiller.writeNow(ctx, victims); err != nil {
			return err
		}
	}
	for _, s := range victims {
		c.ram.drop(s)
	}
	return nil
}
