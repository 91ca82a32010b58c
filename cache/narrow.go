package cache

import (
	"os"

	"golang.org/x/sync/errgroup"
)

// Narrow shortens every row to some of its elements, which have 4 or 8 bytes. The argument places
// lists them, ascending, as places in the present rows. Rows in memory are cut at once, which makes
// room for more of them; rows on disk are cut as they are read. From then on rows have rowBytes, at
// most as many as before. In rows that were cut, the bytes behind the last element are zero. Narrow
// may be called several times.
func (c *Cache) Narrow(places []int32, element, rowBytes int64) error {
	switch {
	case c.round.active:
		panic("cache: Narrow before Release")
	case c.closed:
		return errClosed
	case element != 4 && element != 8 || int64(len(places))*element > rowBytes ||
		rowBytes > c.layouts.rowBytes():
		panic("cache: rows can only get shorter")
	}
	if c.ram == nil {
		return nil
	}
	defer c.publish()
	c.spiller.settle(true)
	before := c.layouts.present()
	c.layouts.narrow(places, element, rowBytes)
	return c.ram.narrow(&c.layouts, before, c.ram.memory-c.layouts.bytes(), c.options.Threads)
}

// Widen undoes every Narrow. It drops the rows in memory, and those on disk that were filled since
// the first Narrow.
func (c *Cache) Widen() error {
	switch {
	case c.round.active:
		panic("cache: Widen before Release")
	case c.closed:
		return errClosed
	case c.ram == nil || c.layouts.present() == 0:
		return nil
	}
	defer c.publish()
	c.spiller.settle(true)
	c.layouts.widen()
	c.ram.empty(c.layouts.rowBytes())
	if c.disk != nil {
		c.disk.widen()
	}
	return nil
}

// narrow cuts the rows, which have layout number from, and moves them together. The arena stays,
// because memory that was never touched is slow. It then holds as many rows as the memory allows.
func (r *ram) narrow(l *layouts, from int, memory int64, threads int) error {
	old, oldest, stride := r.slots, r.oldest, r.stride
	var group errgroup.Group
	group.SetLimit(max(threads, 1))
	const share = 16
	for first := 0; first < len(old); first += share {
		group.Go(func() error {
			for s := first; s < min(first+share, len(old)); s++ {
				if row := r.data(int32(s)); old[s].valid {
					l.cut(row, row, from, 0)
				}
			}
			return nil
		})
	}
	_ = group.Wait()

	total := r.memory
	r.memory = memory - int64(os.Getpagesize()) // shorten needs the page.
	r.empty(l.rowBytes())
	r.memory = total
	// The places take memory, too. If not all rows fit, the least recently used ones go.
	surplus := -r.capacity
	for i := range old {
		if old[i].valid {
			surplus++
		}
	}
	for s := oldest; surplus > 0; s = old[s].newer {
		if old[s].valid {
			old[s].valid = false
			surplus--
		}
	}
	arena := r.arena.Bytes()
	elements := len(l.chain[from].places)
	to := make([]int32, len(old))
	for s := range old {
		if !old[s].valid {
			continue
		}
		to[s] = int32(len(r.slots))
		r.slots = append(r.slots, slot{key: old[s].key, cost: old[s].cost, valid: true})
		copy(r.data(to[s]), arena[int64(s)*stride:])
		l.pad(r.data(to[s]), elements)
		r.index[old[s].key] = to[s]
	}
	for s := oldest; s != none; s = old[s].newer {
		if old[s].valid {
			r.link(to[s])
		}
	}
	return r.shorten()
}

// shorten gives the pages behind the last slot back, because more slots take more bookkeeping.
func (r *ram) shorten() error {
	page := int64(os.Getpagesize())
	end := (int64(r.capacity)*r.stride + page - 1) / page * page
	if end >= r.used {
		return nil
	}
	r.used = end
	return r.arena.Discard(end)
}
