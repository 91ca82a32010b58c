package cache

import (
	"fmt"
	"os"

	"bigmkl/internal/files"
)

// disk is the disk tier: a file of rows, which rows it holds, and what is being written to it. It returns no errors of its
// own; a fault ends up in off or low.
type disk struct {
	layouts *layouts
	// dir is Options.Dir.
	dir string
	// reserve is the number of bytes of the file system that stay free. It is 0 until the default
	// is known.
	reserve   int64
	allowance int64

	// file is nil before the first spill.
	file *files.File
	ring ring
	rows map[Key]*location
	// behind is the writing that was begun last, and ahead the length of the file once it has ended.
	behind  *writing
	ahead   int64
	reading rate
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
		layouts: l, dir: o.Dir, reserve: o.Reserve, allowance: allowance(o.Memory),
		ring: ring{limit: fileLimit(o.Disk), most: int(max(indexShare(o.Memory)/indexEntry, minRows))},
		rows: make(map[Key]*location), reading: rate{ns: readPrior}, writing: rate{ns: writeCost},
	}
}

// holds reports whether the row is on disk.
func (d *disk) holds(k Key) bool {
	_, ok := d.rows[k]
	return ok
}

// lengthOf returns the number of bytes of a row on disk.
func (d *disk) lengthOf(k Key) int64 { return d.rows[k].bytes }

// bytes returns the disk space in use, with the rows that are being written.
func (d *disk) bytes() int64 { return max(d.ring.end, d.ahead) }

// memory returns the part of the memory budget that the tier takes now.
func (d *disk) memory() int64 {
	if d.file == nil {
		return 0
	}
	return d.allowance
}

// widen forgets the rows that lack elements.
func (d *disk) widen() {
	for k, at := range d.rows {
		if at.layout > 0 {
			delete(d.rows, k)
		}
	}
}

// forget takes a row whose place was given away out of the index, unless it was written again since.
func (d *disk) forget(at *location) {
	if d.rows[at.key] == at {
		delete(d.rows, at.key)
	}
}

// open creates the file before the first spill. It returns false if the tier is off.
func (d *disk) open() bool {
	if d.off != "" || d.file != nil {
		return d.off == ""
	}
	if d.reserve == 0 {
		_, size, err := files.Space(d.dir)
		if err != nil {
			return d.fail(err)
		}
		d.reserve = max(1<<30, size/20)
	}
	file, err := files.CreateScratch(d.dir, "bigmkl-cache-*")
	if err != nil {
		return d.fail(err)
	}
	d.file = file
	return true
}

// begin starts to write the rows, or as many of the first as a list may have. It returns nil if
// the tier takes none.
func (d *disk) begin(rows []spillRow) *writing {
	if len(rows) == 0 || !d.open() {
		return nil
	}
	bytes := d.layouts.rowBytes()
	if bytes > d.ring.limit {
		d.fail(fmt.Errorf("a disk budget with room for %d bytes holds no row of %d bytes", d.ring.limit, bytes))
		return nil
	}
	w := &writing{file: d.file, dir: d.dir, reserve: d.reserve, end: d.ring.end,
		rows: rows[:d.ring.fits(len(rows), bytes)], done: make(chan struct{})}
	// The rows in these places are forgotten before anything is written there: nobody reads them meanwhile.
	head := d.ring.head
	for i := range w.rows {
		w.rows[i].at = &location{key: w.rows[i].key, first: d.ring.place(bytes, d.forget), bytes: bytes,
			layout: d.layouts.present()}
		d.ahead = max(d.ahead, d.ring.head)
	}
	d.ring.head = head // Only rows that were written move it.
	d.behind = w
	go func() {
		defer close(w.done)
		w.run()
	}()
	return w
}

// settle adds the rows of a writing that has ended to the index.
func (d *disk) settle(w *writing) {
	if d.file != w.file {
		return // The tier was shut meanwhile.
	}
	for _, r := range w.rows[:w.written] {
		d.ring.keep(r.at, d.forget)
		d.rows[r.key] = r.at
	}
	d.ahead = 0
	d.low = w.low
	if w.err != nil {
		d.fail(w.err)
	}
}

// clear drops every row and the file. A writing ends first, or is left behind if it makes no progress.
func (d *disk) clear() error {
	if d.behind != nil {
		d.behind.stop.Store(true)
		d.behind.wait(closeWait)
		d.behind = nil
	}
	clear(d.rows)
	d.ring.rows, d.ring.head, d.ring.end, d.ahead = nil, 0, 0, 0
	file := d.file
	if d.file = nil; file == nil {
		return nil
	}
	return file.Close()
}

// fail switches the tier off for good. It always returns false.
func (d *disk) fail(err error) bool {
	if d.off == "" {
		d.off = err.Error()
	}
	_ = d.clear()
	return false
}
