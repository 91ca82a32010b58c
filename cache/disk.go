package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"bigmkl/internal/files"
	"bigmkl/internal/scratch"
)

// disk is the disk tier. It returns no errors of its own; a fault ends up in off or low.
type disk struct {
	// dir is Options.Dir.
	dir string
	// root is the private folder in dir. It is nil before the first spill.
	root *scratch.Folder
	// budget is the limit of allocated bytes.
	budget int64
	// reserve is the number of bytes of the file system that stay free. It is 0 until the default
	// is known.
	reserve int64
	layouts *layouts
	// index is the memory in bytes for the index of a store.
	index     int64
	allowance int64

	// Rows are written to young. The store older is only read and will be dropped next.
	young, older *store
	rows         map[Key]location
	// behind is the writing that was begun last.
	behind     *writing
	generation uint64
	reading    rate
	// writing is measured while nothing else is done.
	writing rate
	// left counts the databases that did not close in time.
	left int
	// off states why the tier is shut for good.
	off string
	// low states why the tier takes no rows at the moment.
	low string
}

const (
	// readPrior is assumed in ns per byte before reading was measured. It corresponds to 1 GB/s.
	readPrior = 1.0
	// indexEntry is the memory in bytes for a row on disk.
	indexEntry = 96
	// minRows is the least number of rows of a store, however small the memory is.
	minRows  = 64
	minIndex = 3 * minTable
)

// writeCost is the assumed work of writing in ns of one thread per byte. It is not measured while a
// goroutine writes, because nobody waits for it, and the time that passes measures how busy the
// threads are and not how much of them it takes.
const writeCost = 1.0

// indexed returns the memory in bytes for a row on disk.
func indexed(rowBytes int64) int64 { return indexEntry + int64(blocksOf(rowBytes))*tableEntry }

func newDisk(o Options, l *layouts) *disk {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	return &disk{
		allowance: allowance(o.Memory), dir: o.Dir, budget: o.Disk, reserve: o.Reserve, layouts: l,
		index:   max(o.Memory/64, minIndex, minRows*indexed(l.rowBytes())),
		rows:    make(map[Key]location),
		reading: rate{ns: readPrior}, writing: rate{ns: writeCost},
	}
}

// holds reports whether the row is on disk.
func (d *disk) holds(k Key) bool {
	_, ok := d.rows[k]
	return ok
}

// bytes returns the disk space in use.
func (d *disk) bytes() (sum int64) {
	for _, s := range []*store{d.young, d.older} {
		if s != nil {
			sum += s.allocated()
		}
	}
	return sum
}

// limit returns the size to which one store may grow (see the package comment).
func (d *disk) limit() int64 { return d.budget / 100 * storeShare }

// storeShare is the percentage of the budget that one of two stores may take. The rest is for
// blocks that are not counted before they are there: the blocks of a memory table and of a log
// that was just begun.
const storeShare = 45

// need returns the largest space that a row of the present layout takes on disk.
func (d *disk) need() int64 {
	row := d.layouts.rowBytes()
	return row + int64(blocksOf(row))*entryOverhead
}

// room returns how many of the given number of rows fit in the store that is being written.
func (d *disk) room(rows int) int {
	s := d.young
	if s == nil {
		return 0
	}
	rows = int(min(int64(rows), max(d.index-s.index, 0)/indexed(d.layouts.rowBytes())))
	limit := d.limit() - growth(d.limit())
	if s.allocated()+int64(rows)*d.need() > limit && s.since > 0 {
		s.measure() // The count of what was written is never too low.
	}
	return int(min(int64(rows), max(limit-s.allocated(), 0)/d.need()))
}

// rotate drops the older store and starts a new one. It returns false if the tier takes no more
// rows.
func (d *disk) rotate() bool {
	if d.reserve == 0 {
		_, size, err := files.Space(d.dir)
		if err != nil {
			return d.fail(err)
		}
		d.reserve = max(1<<30, size/20)
	}
	var err error
	if d.low, err = shortage(d.dir, d.reserve, 0); err != nil {
		return d.fail(err)
	}
	if d.low != "" {
		return false
	}
	if d.root == nil {
		root, err := scratch.New(d.dir, "cache")
		if err != nil {
			return d.fail(err)
		}
		d.root = root
	}
	oldest := d.older
	d.older, d.young = d.young, nil
	if err := d.discard(oldest); err != nil {
		return d.fail(err)
	}
	d.generation++
	s, err := openStore(filepath.Join(d.root.Path(), strconv.FormatUint(d.generation, 10)),
		d.limit(), d.index)
	if err != nil {
		return d.fail(err)
	}
	d.young = s
	if d.room(1) == 0 {
		return d.fail(fmt.Errorf("a disk budget of %d bytes holds no row of %d bytes", d.budget,
			d.layouts.rowBytes()))
	}
	return true
}

// discard removes a store and its rows in the index.
func (d *disk) discard(s *store) error {
	if s == nil {
		return nil
	}
	for k, at := range d.rows {
		if at.store == s {
			delete(d.rows, k)
		}
	}
	return d.remove(s)
}

// remove removes a store, and counts it if it was left behind.
func (d *disk) remove(s *store) error {
	err := s.remove()
	if errors.Is(err, errLeft) {
		d.left++
	}
	return err
}

// widen forgets the rows that lack elements.
func (d *disk) widen() {
	for k, at := range d.rows {
		if at.layout > 0 {
			delete(d.rows, k)
		}
	}
}

// clear drops every row and every file. A writing ends first, or is left behind if its database
// panicked or does not respond.
func (d *disk) clear() error {
	if d.behind != nil {
		d.behind.stop.Store(true)
		d.behind.wait(closeWait)
	}
	stores := [...]*store{d.young, d.older}
	d.young, d.older = nil, nil
	clear(d.rows)
	for _, s := range stores {
		if s != nil {
			_ = d.remove(s) // The rest goes with the folder.
		}
	}
	root := d.root
	d.root = nil
	if root == nil {
		return nil
	}
	return root.Remove()
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
	if d.off != "" || len(rows) == 0 || d.room(1) == 0 && !d.rotate() {
		return nil
	}
	w := &writing{store: d.young, dir: d.dir, reserve: d.reserve, rows: rows[:d.room(len(rows))],
		done: make(chan struct{})}
	for i := range w.rows {
		d.generation++
		w.rows[i].at = location{store: d.young, generation: d.generation,
			layout: d.layouts.present()}
	}
	d.young.since += int64(len(w.rows)) * d.need()
	d.behind = w
	go func() {
		defer close(w.done)
		w.run()
	}()
	return w
}

// settle adds the rows of a writing that has ended to the index.
func (d *disk) settle(w *writing) {
	if w.store != d.young && w.store != d.older {
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
