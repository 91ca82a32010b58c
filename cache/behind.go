package cache

import (
	"context"
	"fmt"
)

// Rows are written to disk before their slots are needed, by a goroutine that runs while the caller
// computes. Their slots are held until the result of the writing has been taken over.

// spiller writes rows from the slots of the memory tier to the disk tier, one list at a time. The rows of a list are
// held in their slots until settle has taken over its result.
type spiller struct {
	ram       *ram
	disk      *disk // nil without a disk tier: then nothing is written
	admission *admission
	// writing holds the rows on their way to disk. It is nil if there are none.
	writing *writing
	// lost is true if a writing that makes no progress may still read rows. The arena is then never
	// unmapped.
	lost bool
	// spills and bytes count the rows that were written.
	spills, bytes int64
}

const (
	// aheadRounds is the number of rounds like the last whose evictions are written ahead.
	aheadRounds = 2
	// At most one slot in heldShare is held.
	heldShare = 2
)

// writeBehind starts to write the rows that have to leave once n more come, the least recently used
// ones, as far as that is worth it, unless rows are being written already. As long as there is room
// for n rows none has to leave, and the file on disk is not even created.
func (p *spiller) writeBehind(n int) {
	if n -= p.ram.vacant(); n <= 0 || p.writing != nil {
		return
	}
	var oldest []int32
	for s := p.ram.oldest; s != none && len(oldest) < n; s = p.ram.slots[s].newer {
		oldest = append(oldest, s)
	}
	list := p.unwritten(oldest, p.admission.elapsed(writeCost))
	list = list[:min(len(list), p.ram.capacity/heldShare+1)]
	if p.writing = p.disk.begin(list); p.writing == nil {
		return
	}
	for i := range p.writing.rows {
		p.ram.hold(p.writing.rows[i].slot, true)
	}
}

// writeNow writes the rows that have to leave and were not written in time.
func (p *spiller) writeNow(ctx context.Context, victims []int32) error {
	list := p.unwritten(victims, p.disk.writing.ns)
	for len(list) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.settle(true)
		w := p.disk.begin(list)
		if w == nil {
			return nil
		}
		list = list[len(w.rows):]
		p.writing = w
		if p.settle(true); !p.lost {
			p.disk.writing.observe(w.bytes, w.spent)
		}
	}
	return nil
}

// unwritten lists the rows of the slots that are not on disk and worth writing at a rate in ns per
// byte.
func (p *spiller) unwritten(slots []int32, rate float64) (list []spillRow) {
	for _, s := range slots {
		if e := &p.ram.slots[s]; !p.disk.holds(e.key) && p.admission.spillingPays(e, p.ram.rowBytes, p.disk.reading.ns, rate) {
			list = append(list, spillRow{key: e.key, data: p.ram.data(s), slot: s})
		}
	}
	return list
}

// settle takes over the result of the writing if it has ended. With wait it waits for the end.
func (p *spiller) settle(wait bool) {
	w := p.writing
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
	p.writing = nil
	limit := patience
	if w.stop.Load() {
		limit = closeWait
	}
	if !w.wait(limit) {
		p.lost = true // The slots stay held.
		p.disk.fail(fmt.Errorf("%s: a row was not written within %s", w.dir, limit))
		return
	}
	for _, r := range w.rows {
		p.ram.hold(r.slot, false)
	}
	p.spills += int64(w.written)
	for _, r := range w.rows[:w.written] {
		p.bytes += int64(len(r.data))
	}
	p.disk.settle(w)
}

// cut ends the writing early.
func (p *spiller) cut() {
	if p.writing != nil {
		p.writing.stop.Store(true)
		p.settle(true)
	}
}
