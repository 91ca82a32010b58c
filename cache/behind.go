package cache

import (
	"context"
	"fmt"
)

// Rows are written to disk before their slots are needed, by a goroutine that runs while the caller
// computes. Their slots are held until the result of the writing has been taken over.

const (
	// aheadRounds is the number of rounds like the last whose evictions are written ahead.
	aheadRounds = 2
	// At most one slot in heldShare is held.
	heldShare = 2
)

// writeBehind starts to write the rows that have to leave once n more come, the least recently used
// ones, as far as that is worth it, unless rows are being written already. As long as there is room
// for n rows none has to leave, and the database on disk is not even opened.
func (c *Cache) writeBehind(n int) {
	if n -= c.ram.vacant(); n <= 0 || c.writing != nil {
		return
	}
	var oldest []int32
	for s := c.ram.oldest; s != none && len(oldest) < n; s = c.ram.slots[s].newer {
		oldest = append(oldest, s)
	}
	list := c.unwritten(oldest, c.elapsed(writeCost))
	list = list[:min(len(list), c.ram.capacity/heldShare+1)]
	if c.writing = c.disk.begin(list); c.writing == nil {
		return
	}
	for i := range c.writing.rows {
		c.ram.hold(c.writing.rows[i].slot, true)
	}
}

// writeNow writes the rows that have to leave and were not written in time.
func (c *Cache) writeNow(ctx context.Context, victims []int32) error {
	list := c.unwritten(victims, c.disk.writing.ns)
	for len(list) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.settle(true)
		w := c.disk.begin(list)
		if w == nil {
			return nil
		}
		list = list[len(w.rows):]
		c.writing = w
		if c.settle(true); !c.lost {
			c.disk.writing.observe(w.bytes, w.spent)
		}
	}
	return nil
}

// unwritten lists the rows of the slots that are not on disk and worth writing at a rate in ns per
// byte.
func (c *Cache) unwritten(slots []int32, rate float64) (list []spillRow) {
	for _, s := range slots {
		if e := &c.ram.slots[s]; !c.disk.holds(e.key) && c.spillingPays(e, rate) {
			list = append(list, spillRow{key: e.key, data: c.ram.data(s), slot: s})
		}
	}
	return list
}

// spillingPays reports whether a row should be written to disk, which is so if writing it once and
// reading it as often as it will come back is faster than computing it each time. A row that came
// back within a few rounds is expected to do so twice more. Any other row is expected once more,
// because it most likely belongs to a support vector, whose row is needed when its dual variable
// changes and when shrunken points are restored.
func (c *Cache) spillingPays(e *slot, rate float64) bool {
	if c.options.Mode == Always {
		return true
	}
	returns := 1.0
	if c.history.recurs(e.key) {
		returns = 2
	}
	bytes := float64(c.layouts.rowBytes())
	saved := c.elapsed(e.cost) - bytes*c.disk.reading.ns
	return returns*saved > bytes*rate
}

// settle takes over the result of the writing if it has ended. With wait it waits for the end.
func (c *Cache) settle(wait bool) {
	w := c.writing
	if w == nil {
		return
	}
	if !wait {
		select {
		case <-w.done:
		default:
			return
		}
	}
	c.writing = nil
	limit := patience
	if w.stop.Load() {
		limit = closeWait
	}
	if !w.wait(limit) {
		c.lost = true // The slots stay held.
		c.disk.fail(fmt.Errorf("%s: a batch of rows was not written within %s", w.dir, limit))
		return
	}
	for _, r := range w.rows {
		c.ram.hold(r.slot, false)
	}
	c.stats.Spills += int64(w.written)
	for _, r := range w.rows[:w.written] {
		c.stats.SpilledBytes += int64(len(r.data))
	}
	c.disk.settle(w)
}

// cut ends the writing early.
func (c *Cache) cut() {
	if c.writing != nil {
		c.writing.stop.Store(true)
		c.settle(true)
	}
}
