package cache

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Reading back: so many goroutines, each taking runs of so many blocks.
const (
	readers   = 4
	runBlocks = 16
)

// readRow is a row that comes back to memory.
type readRow struct {
	key  Key
	data []byte
	slot int32
	want int // index in the request
	bad  atomic.Bool
}

// read fetches rows that are on disk. Rows that cannot be had whole are marked bad and forgotten. Its error is that of
// the context.
func (d *disk) read(ctx context.Context, rows []*readRow) error {
	if len(rows) == 0 {
		return nil
	}
	var panicked atomic.Pointer[error]
	_ = timed(&d.reading, int64(len(rows))*d.row, func() error {
		var g errgroup.Group
		g.SetLimit(readers)
		for _, r := range rows {
			at := d.rows[r.key]
			for first := 0; first < blocksOf(d.row); first += runBlocks {
				g.Go(func() error {
					if ctx.Err() != nil || r.bad.Load() {
						return errIncomplete
					}
					err := at.store.readRun(r, at.generation, first)
					if err != nil {
						r.bad.Store(true)
						if !errors.Is(err, errIncomplete) {
							panicked.Store(&err)
						}
					}
					return err
				})
			}
		}
		return g.Wait()
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.bad.Load() {
			delete(d.rows, r.key)
		}
	}
	if err := panicked.Load(); err != nil {
		d.fail(*err)
	}
	return nil
}

var errIncomplete = errors.New("block missing or damaged")

// readRun reads a run of blocks of one row. An error other than errIncomplete is a panic: the store is not to be used.
func (s *store) readRun(r *readRow, generation uint64, first int) error {
	return s.guard(func() error {
		txn := s.db.NewTransaction(false)
		defer txn.Discard()
		for i := first; i < min(first+runBlocks, blocksOf(int64(len(r.data)))); i++ {
			b := block{row: r.key, number: uint32(i), generation: generation}
			if !s.read(txn, b, b.part(r.data)) {
				return errIncomplete
			}
		}
		return nil
	})
}
