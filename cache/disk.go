package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// location is where a row lies on disk.
type location struct {
	store      *store
	generation uint64
}

// disk is the disk tier. It has no errors of its own: what goes wrong ends in off or low.
type disk struct {
	dir       string // of the caller
	root      string // ours in it, "" before the first spill
	budget    int64  // allocated bytes
	reserve   int64  // free bytes of the file system that stay, 0 until the default is known
	row       int64  // bytes
	maxRows   int    // of a store: the index has to fit in memory as well
	allowance int64

	young, older *store // rows are written to young; older is read only, and the next to go
	rows         map[Key]location
	generation   uint64
	batch        batch
	reading      rate
	writing      rate
	off          string // why it is shut for good
	low          string // why it takes no rows just now
}

// Speeds assumed before any was measured, and what is kept back for badger's own small files at a write.
const (
	readPrior  = 2.5 // ns per byte: 0.4 GB/s
	writePrior = 2.0
	slackBytes = 4 << 20
	indexEntry = 64 // bytes of memory for a row on disk
	minRows    = 64 // of a store, however small the memory
)

func newDisk(o Options) *disk {
	if o.Dir == "" {
		o.Dir = os.TempDir()
	}
	return &disk{
		allowance: allowance(o.Memory), dir: o.Dir, budget: o.Disk, reserve: o.Reserve, row: o.RowBytes,
		maxRows: int(max(o.Memory/32/indexEntry, minRows)),
		rows:    make(map[Key]location),
		batch:   batch{limit: batchLimit(o.Memory)},
		reading: rate{ns: readPrior}, writing: rate{ns: writePrior},
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
func (d *disk) limit() int64 { return d.budget / 10 * 3 }

// room says whether the row after those of the batch fits in the store being written.
func (d *disk) room() bool {
	s := d.young
	if s == nil || s.rows+len(d.batch.whole) >= d.maxRows {
		return false
	}
	need := d.batch.bytes() + d.row + int64(blocksOf(d.row))*(headerBytes+entryOverhead)
	if s.allocated()+need > d.limit() && s.since > 0 {
		s.measure() // the count of what was written errs on the high side
	}
	return s.allocated()+need <= d.limit()
}

// rotate drops the older store and starts a new one; false if the tier takes no more rows.
func (d *disk) rotate() bool {
	if !d.reserved(0) {
		return false
	}
	if d.root == "" {
		root, err := os.MkdirTemp(d.dir, "bigmkl-cache-")
		if err != nil {
			return d.fail(err)
		}
		d.root = root
	}
	if err := d.discard(d.older); err != nil {
		return d.fail(err)
	}
	d.older, d.young = d.young, nil
	d.generation++
	s, err := openStore(filepath.Join(d.root, strconv.FormatUint(d.generation, 10)))
	if err != nil {
		return d.fail(err)
	}
	d.young = s
	if !d.room() {
		return d.fail(fmt.Errorf("a disk budget of %d bytes holds no row of %d bytes", d.budget, d.row))
	}
	return true
}

// reserved says whether so many bytes can be written without touching the reserve; false if the tier takes no
// rows now. Space that others give back is used again.
func (d *disk) reserved(bytes int64) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(d.dir, &st); err != nil {
		return d.fail(&os.PathError{Op: "statfs", Path: d.dir, Err: err})
	}
	unit := st.Frsize
	if unit <= 0 {
		unit = st.Bsize
	}
	if d.reserve == 0 {
		d.reserve = max(1<<30, int64(st.Blocks)*unit/20)
	}
	// Twice the bytes: the blocks of the batch before may not have been charged to the file system yet.
	d.low = ""
	if free := int64(st.Bavail) * unit; free-2*bytes-slackBytes < d.reserve {
		d.low = fmt.Sprintf("%d bytes free in %s, %d are kept in reserve", free, d.dir, d.reserve)
	}
	return d.low == ""
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
	return s.remove()
}

// clear drops every row and every file.
func (d *disk) clear() error {
	d.batch = batch{limit: d.batch.limit}
	stores := [...]*store{d.young, d.older}
	d.young, d.older = nil, nil
	clear(d.rows)
	for _, s := range stores {
		if s != nil {
			_ = s.remove() // what is left goes with the folder
		}
	}
	root := d.root
	d.root = ""
	if root == "" {
		return nil
	}
	return os.RemoveAll(root)
}

// fail switches the tier off for good; its result is always false.
func (d *disk) fail(err error) bool {
	if d.off == "" {
		d.off = err.Error()
	}
	_ = d.clear()
	return false
}

// timed measures one call of f that moves so many bytes.
func timed(r *rate, bytes int64, f func() error) error {
	start := time.Now()
	err := f()
	if err == nil {
		r.observe(bytes, time.Since(start))
	}
	return err
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
	if d.root == "" {
		return 0
	}
	return d.allowance
}
