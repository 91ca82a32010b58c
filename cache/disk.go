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

// disk is the disk tier. It has no errors of its own: what goes wrong ends in off or low.
type disk struct {
	dir       string          // of the caller
	root      *scratch.Folder // ours in it, nil before the first spill
	budget    int64           // allocated bytes
	reserve   int64           // free bytes of the file system that stay, 0 until the default is known
	layouts   *layouts
	index     int64 // bytes of memory for the index of a store
	allowance int64

	young, older *store // rows are written to young; older is read only, and the next to go
	rows         map[Key]location
	behind       *writing // the last that was begun
	generation   uint64
	reading      rate
	writing      rate   // while nothing else is done
	left         int    // databases that did not close in time
	off          string // why it is shut for good
	low          string // why it takes no rows just now
}

const (
	readPrior  = 1.0 // ns per byte, before it was measured: 1 GB/s
	indexEntry = 96  // bytes of memory for a row on disk
	minRows    = 64  // of a store, however small the memory
	minIndex   = 3 * minTable
)

// writeCost is the work of writing, in ns of one thread per byte. Behind the caller's back it is not measured: nobody
// waits for it, and the time that passes says how busy the threads are, not how much of them it takes.
const writeCost = 1.0

// indexed is the memory for a row of so many bytes on disk.
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

// holds says whether the row is on disk.
func (d *disk) holds(k Key) bool {
	_, ok := d.rows[k]
	return ok
}

// bytes is the disk space in use.
func (d *disk) bytes() (sum int64) {
	for _, s := range []*store{d.young, d.older} {
		if s != nil {
			sum += s.allocated()
		}
	}
	return sum
}

// limit is what one store may grow to, see the package comment.
func (d *disk) limit() int64 { return d.budget / 100 * storeShare }

// storeShare is the percentage of the budget that one of two stores may take: the blocks of a memory table and of a log that
// was just begun are not counted before they are there.
const storeShare = 45

// need is the most that a present row takes on disk.
func (d *disk) need() int64 {
	row := d.layouts.rowBytes()
	return row + int64(blocksOf(row))*entryOverhead
}

// room says how many of so many rows fit in the store being written.
func (d *disk) room(rows int) int {
	s := d.young
	if s == nil {
		return 0
	}
	rows = int(min(int64(rows), max(d.index-s.index, 0)/indexed(d.layouts.rowBytes())))
	if s.allocated()+int64(rows)*d.need() > d.limit() && s.since > 0 {
		s.measure() // the count of what was written errs on the high side
	}
	return int(min(int64(rows), max(d.limit()-s.allocated(), 0)/d.need()))
}

// rotate drops the older store and starts a new one; false if the tier takes no more rows.
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
	s, err := openStore(filepath.Join(d.root.Path(), strconv.FormatUint(d.generation, 10)), d.limit(), d.index)
	if err != nil {
		return d.fail(err)
	}
	d.young = s
	if d.room(1) == 0 {
		return d.fail(fmt.Errorf("a disk budget of %d bytes holds no row of %d bytes", d.budget, d.layouts.rowBytes()))
	}
	return true
}

// discard removes a store and what the index knows of it.
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

// clear drops every row and every file. What is being written comes to its end first, or is left behind with a database
// that panicked or stands still.
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
			_ = d.remove(s) // what is left goes with the folder
		}
	}
	root := d.root
	d.root = nil
	if root == nil {
		return nil
	}
	return root.Remove()
}

// fail switches the tier off for good; its result is always false.
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

// Anonymous memory of badger with the preset of this package, measured while gigabytes were spilled and read back: 5 MiB
// under a budget of 32 MiB, 16 to 30 MiB under 128 MiB and above, most of it batches that the garbage collector has not
// got round to. A small budget still leaves half of it to the arena.
const (
	minBadgerMemory = 4 << 20
	maxBadgerMemory = 32 << 20
)

// allowance is the part of the memory budget that the disk tier gets: badger, and the index of its rows.
func allowance(memory int64) int64 {
	index := memory / 16
	return min(min(max(memory/8, minBadgerMemory), maxBadgerMemory)+index, memory/2)
}

// memory is what the tier takes of the memory budget once it is open.
func (d *disk) memory() int64 {
	if d.root == nil {
		return 0
	}
	return d.allowance
}

// begin starts to write the rows, or as many of the first as there is room for; nil if the tier takes none.
func (d *disk) begin(rows []spillRow) *writing {
	if d.off != "" || len(rows) == 0 || d.room(1) == 0 && !d.rotate() {
		return nil
	}
	w := &writing{store: d.young, dir: d.dir, reserve: d.reserve, rows: rows[:d.room(len(rows))], done: make(chan struct{})}
	for i := range w.rows {
		d.generation++
		w.rows[i].at = location{store: d.young, generation: d.generation, layout: d.layouts.present()}
	}
	d.young.since += int64(len(w.rows)) * d.need()
	d.behind = w
	go func() {
		defer close(w.done)
		w.run()
	}()
	return w
}

// settle takes the result of a writing that has ended into the index.
func (d *disk) settle(w *writing) {
	if w.store != d.young && w.store != d.older {
		return // the tier was shut meanwhile
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
