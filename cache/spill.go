package cache

import (
	"context"
)

// Limits of a batch. A transaction of badger takes a few hundred entries with a memory table this small.
const (
	maxBatchBytes = 4 << 20
	maxBatchPairs = 256
)

// batchLimit keeps the batch a small part of the memory.
func batchLimit(memory int64) int { return int(min(max(memory/32, blockBytes), maxBatchBytes)) }

// batch collects blocks for one transaction.
type batch struct {
	limit int
	buf   []byte // keys and values of the pairs, allocated at the first spill: the pairs alias it
	pairs []pair
	whole []finished // rows of which the last block is in this batch
}

// finished is a row that can be read once the batch is written.
type finished struct {
	key Key
	at  location
}

// bytes is what the batch will add to the store.
func (b *batch) bytes() int64 { return int64(len(b.buf) + len(b.pairs)*entryOverhead) }

// fits says whether one more block fits.
func (b *batch) fits(payload int) bool {
	return len(b.pairs) < maxBatchPairs && len(b.buf)+keyBytes+headerBytes+payload <= cap(b.buf)
}

// add appends a block that fits.
func (b *batch) add(k block, payload []byte) {
	first := len(b.buf)
	b.buf = k.appendKey(b.buf)
	middle := len(b.buf)
	b.buf = k.appendValue(b.buf, payload)
	last := len(b.buf)
	b.pairs = append(b.pairs, pair{b.buf[first:middle:middle], b.buf[middle:last:last]})
}

func (b *batch) reset() {
	b.buf, b.pairs, b.whole = b.buf[:0], b.pairs[:0], b.whole[:0]
}

// spillRow is a row that leaves the memory.
type spillRow struct {
	key  Key
	data []byte
}

// spill writes the rows that are not on disk yet and returns how many became readable. Its error is that of the context.
func (d *disk) spill(ctx context.Context, rows []spillRow) (int, error) {
	if len(rows) == 0 || d.off != "" {
		return 0, nil
	}
	written := 0
	if d.batch.reset(); d.batch.buf == nil {
		d.batch.buf = make([]byte, 0, d.batch.limit+maxBatchPairs*(keyBytes+headerBytes))
	}
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		n, ok := d.put(r)
		written += n
		if !ok {
			return written, nil
		}
	}
	n, _ := d.flush()
	return written + n, nil
}

// put adds the row to the batch, writing full batches; it returns the rows that became readable, and false if the tier
// takes no more. All blocks of a row go to one store.
func (d *disk) put(r spillRow) (written int, ok bool) {
	if !d.room() {
		if written, ok = d.flush(); !ok {
			return written, false
		}
		if !d.rotate() {
			return written, false
		}
	}
	d.generation++
	b := block{row: r.key, generation: d.generation}
	for i := range blocksOf(d.row) {
		b.number = uint32(i)
		payload := b.part(r.data)
		if !d.batch.fits(len(payload)) {
			n, ok := d.flush()
			if written += n; !ok {
				return written, false
			}
		}
		d.batch.add(b, payload)
	}
	d.batch.whole = append(d.batch.whole, finished{r.key, location{d.young, d.generation}})
	return written, true
}

// flush writes the batch; it returns the rows that became readable, and false if the tier takes no more.
func (d *disk) flush() (written int, ok bool) {
	defer d.batch.reset()
	if len(d.batch.pairs) == 0 {
		return 0, true
	}
	if !d.reserved(d.batch.bytes()) {
		return 0, false
	}
	err := timed(&d.writing, d.batch.bytes(), func() error { return d.young.write(d.batch.pairs) })
	if err != nil {
		return 0, d.fail(err)
	}
	for _, f := range d.batch.whole {
		d.rows[f.key] = f.at
	}
	d.young.rows += len(d.batch.whole)
	return len(d.batch.whole), true
}
