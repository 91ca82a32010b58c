package cache

import "os"

// disk is the disk tier: which rows the databases hold, and what is being written to them. It returns no errors of its
// own; a fault ends up in off or low.
type disk struct {
	databases
	layouts   *layouts
	allowance int64

	rows map[Key]location
	// behind is the writing that was begun last.
	behind     *writing
	generation uint64
	reading    rate
	// writing is measured while nothing else is done.
	writing rate
	// off states why the tier is shut for good.
	off string
	// low states why the tier takes no rows at the moment.
	low string
}

// readPrior is assumed in ns per byte before reading was measured. It represents 1 GB/s.
const readPrior = 1.0

// writeCost is the assumed work of writing in ns of one thread per byte. It is not measured while a
// goroutine writes, because nobody waits for it, and the time that passes measures how busy the
// threads are and not how much of them it takes.
const writeCost = 1.0

func newDisk(o Options, l *layouts) *disk {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	return &disk{
		databases: databases{dir: o.Dir, budget: o.Disk, reserve: o.Reserve,
			index: max(o.Memory/64, minIndex, minRows*indexed(l.rowBytes()))},
		layouts: l, allowance: allowance(o.Memory), rows: make(map[Key]location),
		reading: rate{ns: readPrior}, writing: rate{ns: writeCost},
	}
}

// holds reports whether the row is on disk.
func (d *disk) holds(k Key) bool {
	_, ok := d.rows[k]
	return ok
}

// lengthOf returns the number of bytes of a row on disk.
func (d *disk) lengthOf(k Key) int64 { return d.layouts.chain[d.rows[k].layout].rowBytes }

// widen forgets the rows that lack elements.
func (d *disk) widen() {
	for k, at := range d.rows {
		if at.layout > 0 {
			delete(d.rows, k)
		}
	}
}

// renew starts a new database and forgets the rows of the one that it replaces. It returns false if the tier takes no
// more rows.
func (d *disk) renew() bool {
	dropped, low, err := d.rotate(d.layouts.rowBytes())
	for k, at := range d.rows {
		if dropped != nil && at.store == dropped {
			delete(d.rows, k)
		}
	}
	if d.low = low; err != nil {
		return d.fail(err)
	}
	return low == ""
}

// clear drops every row and every file. A writing ends first, or is left behind if its database
// panicked or does not respond.
func (d *disk) clear() error {
	if d.behind != nil {
		d.behind.stop.Store(true)
		d.behind.wait(closeWait)
	}
	clear(d.rows)
	return d.removeAll()
}

// fail switches the tier off for good. It always returns false.
func (d *disk) fail(err error) bool {
	if d.off == "" {
		d.off = err.Error()
	}
	left := d.left
	_ = d.clear()
	if d.left > left {
		d.off += "; " + errLeft.Error()
	}
	return false
}

// These constants bound the anonymous memory of badger with the preset of this package. Measured
// while gigabytes were spilled and read back, it took 5 MiB under a budget of 32 MiB, and 16 to 30
// MiB under 128 MiB and above. Most of that is batches that the garbage collector has not freed
// yet. Under a small budget half of the memory is left to the arena.
const (
	minBadgerMemory = 4 << 20
	maxBadgerMemory = 32 << 20
)

// allowance returns the part of the memory budget that the disk tier gets for badger and for the
// index of its rows.
func allowance(memory int64) int64 {
	index := memory / 16
	return min(min(max(memory/8, minBadgerMemory), maxBadgerMemory)+index, memory/2)
}

// memory returns the part of the memory budget that the tier takes now.
func (d *disk) memory() int64 {
	if d.root == nil {
		return 0
	}
	return d.allowance
}

// begin starts to write the rows, or as many of the first as there is room for. It returns nil if
// the tier takes none.
func (d *disk) begin(rows []spillRow) *writing {
	if d.off != "" || len(rows) == 0 || d.room(1, d.layouts.rowBytes()) == 0 && !d.renew() {
		return nil
	}
	w := &writing{store: d.young, dir: d.dir, reserve: d.reserve, rows: rows[:d.room(len(rows), d.layouts.rowBytes())],
		done: make(chan struct{})}
	for i := range w.rows {
		d.generation++
		w.rows[i].at = location{store: d.young, generation: d.generation,
			layout: d.layouts.present()}
	}
	d.young.since += int64(len(w.rows)) * need(d.layouts.rowBytes())
	d.behind = w
	go func() {
		defer close(w.done)
		w.run()
	}()
	return w
}

// settle adds the rows of a writing that has ended to the index.
func (d *disk) settle(w *writing) {
	if !d.has(w.store) {
		return // The tier was shut meanwhile.
	}
	for _, r := range w.rows[:w.written] {
		d.rows[r.key] = r.at
	}
	w.store.index += int64(w.written) * indexEntry
	d.low = w.low
	if w.err != nil {
		d.fail(w.err)
	}
}
