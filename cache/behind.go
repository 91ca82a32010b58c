package cache

import (
	"context"
	"fmt"
)

// Rows are written to disk before their slots are needed: while the caller does something else, and by another thread
// while it computes. Their slots are held until the writing is settled.

const (
	aheadRounds = 2 // the rows that would leave in so many rounds like the last are written
	heldShare   = 2 // one slot in so many may be held
)

// writeBehind starts to write what is worth it of the n least recently used rows, if nothing is being written.
func (c *Cache) writeBehind(n int) {
	if c.writing != nil {
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

// writeNow writes what was not written in time of the rows that have to leave.
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

// unwritten lists the rows of the slots that are not on disk and worth writing at so many ns per byte.
func (c *Cache) unwritten(slots []int32, rate float64) (list []spillRow) {
	for _, s := range slots {
		if e := &c.ram.slots[s]; !c.disk.holds(e.key) && c.spillingPays(e, rate) {
			list = append(list, spillRow{key: e.key, data: c.ram.data(s), slot: s})
		}
	}
	return list
}

// spillingPays says whether a row should be written to disk: to read it as often as it will come back is faster than to
// compute it. A row that has come back within a few rounds is taken to do so twice more. Any other will be wanted once
// more: a row is that of a support vector, as a rule, and needed again when its dual variable changes, and for the points
// that slept when they wake.
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

// settle takes over what has been written, once it is or, if wait, when it is.
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
		c.lost = true // the slots stay held
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
