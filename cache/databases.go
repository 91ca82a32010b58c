package cache

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"bigmkl/internal/files"
	"bigmkl/internal/scratch"
)

// databases are the databases of the disk tier, two at most, within one budget. Rows are written to young. The store
// older is only read and will be dropped next. None is ever opened again.
type databases struct {
	// dir is Options.Dir.
	dir string
	// root is the private folder in dir. It is nil before the first spill.
	root *scratch.Folder
	// budget is the limit of allocated bytes.
	budget int64
	// reserve is the number of bytes of the file system that stay free. It is 0 until the default
	// is known.
	reserve int64
	// index is the memory in bytes for the index of a store.
	index int64

	young, older *store
	// opened counts the databases, and left those that did not close in time.
	opened, left int
}

const (
	// indexEntry is the memory in bytes for a row on disk.
	indexEntry = 96
	// minRows is the least number of rows of a store, however small the memory is.
	minRows  = 64
	minIndex = 3 * minTable
)

// indexed returns the memory in bytes for a row on disk.
func indexed(rowBytes int64) int64 { return indexEntry + int64(blocksOf(rowBytes))*tableEntry }

// has reports whether a store is still in use.
func (d *databases) has(s *store) bool { return s == d.young || s == d.older }

// bytes returns the disk space in use.
func (d *databases) bytes() (sum int64) {
	for _, s := range []*store{d.young, d.older} {
		if s != nil {
			sum += s.allocated()
		}
	}
	return sum
}

// limit returns the size to which one store may grow (see the package comment).
func (d *databases) limit() int64 { return d.budget / 100 * storeShare }

// storeShare is the percentage of the budget that one of two stores may take. The rest is for
// blocks that are not counted before they are there: the blocks of a memory table and of a log
// that was just begun.
const storeShare = 45

// need returns the largest space that a row takes on disk.
func need(rowBytes int64) int64 { return rowBytes + int64(blocksOf(rowBytes))*entryOverhead }

// room returns how many of the given number of rows, each of rowBytes, fit in the store that is being written.
func (d *databases) room(rows int, rowBytes int64) int {
	s := d.young
	if s == nil {
		return 0
	}
	rows = int(min(int64(rows), max(d.index-s.index, 0)/indexed(rowBytes)))
	limit := d.limit() - growth(d.limit())
	if s.allocated()+int64(rows)*need(rowBytes) > limit && s.since > 0 {
		s.measure() // The count of what was written is never too low.
	}
	return int(min(int64(rows), max(limit-s.allocated(), 0)/need(rowBytes)))
}

// rotate starts a new database, for rows of rowBytes, and returns the one that it has removed before. low states why the
// file system has no room for another one at the moment.
func (d *databases) rotate(rowBytes int64) (dropped *store, low string, err error) {
	if d.reserve == 0 {
		_, size, err := files.Space(d.dir)
		if err != nil {
			return nil, "", err
		}
		d.reserve = max(1<<30, size/20)
	}
	if low, err = shortage(d.dir, d.reserve, 0); err != nil || low != "" {
		return nil, low, err
	}
	if d.root == nil {
		if d.root, err = scratch.New(d.dir, "cache"); err != nil {
			d.root = nil
			return nil, "", err
		}
	}
	dropped = d.older
	d.older, d.young = d.young, nil
	if dropped != nil {
		if err := d.remove(dropped); err != nil {
			return dropped, "", err
		}
	}
	d.opened++
	d.young, err = openStore(filepath.Join(d.root.Path(), strconv.Itoa(d.opened)), d.limit(), d.index)
	if err == nil && d.room(1, rowBytes) == 0 {
		err = fmt.Errorf("a disk budget of %d bytes holds no row of %d bytes", d.budget, rowBytes)
	}
	return dropped, "", err
}

// remove removes a store, and counts it if it was left behind.
func (d *databases) remove(s *store) error {
	err := s.remove()
	if errors.Is(err, errLeft) {
		d.left++
	}
	return err
}

// removeAll removes the databases and the folder.
func (d *databases) removeAll() error {
	stores := [...]*store{d.young, d.older}
	d.young, d.older = nil, nil
	for _, s := range stores {
		if s != nil {
			_ = d.remove(s) // The rest goes with the folder.
		}
	}
	root := d.root
	if d.root = nil; root == nil {
		return nil
	}
	return root.Remove()
}
