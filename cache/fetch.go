package cache

import "context"

// probeEvery reads back one row in so many although it does not seem to pay: a speed that is never measured again would
// keep one slow moment for ever.
const probeEvery = 16

// fetch answers the requests of a round from memory and disk, and gives slots to the rows worth keeping.
func (c *Cache) fetch(ctx context.Context, want []Request, rows []Row) error {
	c.history.next()
	missing := c.lookup(want, rows)
	missing = best(missing, c.ram.unpinned())
	if err := c.makeRoom(ctx, len(missing)); err != nil {
		return err
	}
	var reads []*readRow
	for _, m := range missing {
		k := want[m.index].Key
		if _, twice := c.ram.index[k]; twice {
			continue // one slot for a key that was asked for twice
		}
		s := c.ram.place(k, want[m.index].Cost)
		c.round = append(c.round, s)
		rows[m.index] = Row{c.ram.data(s), Fill}
		if m.onDisk && c.disk.holds(k) { // making room may have dropped it
			reads = append(reads, &readRow{key: k, data: c.ram.data(s), slot: s, want: m.index})
		}
	}
	if len(reads) == 0 { // also without a disk tier
		return nil
	}
	if err := c.disk.read(ctx, reads); err != nil {
		return err
	}
	for _, r := range reads {
		if r.bad.Load() {
			c.stats.Damaged++
			continue // stays a Fill
		}
		c.stats.DiskHits++
		c.ram.slots[r.slot].valid = true
		rows[r.want].State = Hit
	}
	return nil
}

// lookup answers and pins what is in memory and returns the other rows that could be kept.
func (c *Cache) lookup(want []Request, rows []Row) []candidate {
	auto := c.options.Mode == Auto
	missing := make([]candidate, 0, len(want))
	for i, w := range want {
		if auto && !worthReading(w.Cost, c.options.RowBytes, ramRate) {
			continue
		}
		c.history.touch(w.Key)
		s, ok := c.ram.index[w.Key]
		if !ok {
			m := candidate{index: i, seen: c.history.rows[w.Key].seen}
			if auto {
				m.cost = costClass(w.Cost)
			}
			m.onDisk = c.disk != nil && c.disk.holds(w.Key) && c.readingPays(w.Cost)
			missing = append(missing, m)
			continue
		}
		e := &c.ram.slots[s]
		if w.Cost > 0 {
			e.cost = w.Cost
		}
		if !e.pinned {
			c.round = append(c.round, s)
		}
		c.ram.pin(s)
		rows[i] = Row{c.ram.data(s), Hit}
	}
	return missing
}

// readingPays says whether a row that is on disk should be read rather than computed.
func (c *Cache) readingPays(cost float64) bool {
	if c.options.Mode == Always || worthReading(cost, c.options.RowBytes, c.disk.reading.ns) {
		return true
	}
	c.declined++
	return c.declined%probeEvery == 0
}

// spillingPays says whether a row that leaves the memory should be written to disk: it has come back before, and to read
// it is faster than to compute it. The writing is paid once for all the times it comes back; two are assumed.
func (c *Cache) spillingPays(e *slot) bool {
	if c.options.Mode == Always {
		return true
	}
	return c.history.recurs(e.key) && e.cost > 0 && worthReading(e.cost, c.options.RowBytes, c.disk.reading.ns+c.disk.writing.ns/2)
}

// makeRoom evicts rows until n can be placed, spilling those worth it.
func (c *Cache) makeRoom(ctx context.Context, n int) error {
	if n -= c.ram.vacant(); n <= 0 {
		return nil
	}
	victims := c.ram.victims(n)
	if c.disk != nil {
		var rows []spillRow
		for _, s := range victims {
			if e := &c.ram.slots[s]; !c.disk.holds(e.key) && c.spillingPays(e) {
				rows = append(rows, spillRow{e.key, c.ram.data(s)})
			}
		}
		written, err := c.disk.spill(ctx, rows)
		c.stats.Spills += int64(written)
		c.stats.SpilledBytes += int64(written) * c.options.RowBytes
		if err != nil {
			return err
		}
	}
	for _, s := range victims {
		c.ram.drop(s)
	}
	return nil
}
