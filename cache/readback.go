package cache

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"
)

// This many goroutines read rows back, each a run of this many blocks at a time.
const (
	readers   = 4
	runBlocks = 16
)

// readRow is a row that comes back to memory.
type readRow struct {
	key  Key
	data []byte
	slot int32
	want int // want is the index in the request.
	at   location
	sums []uint64 // sums holds the hash of each block.
	bad  atomic.Bool
}

// read reads rows that are on disk and cuts them to the present layout. It marks rows that cannot
// be read whole as bad and forgets them. The error is the context's.
func (d *disk) read(ctx context.Context, rows []*readRow) error {
	var panicked atomic.Pointer[error]
	var bytes int64
	start := time.Now()
	buffers := make(chan []byte, readers)
	var g errgroup.Group
	g.SetLimit(readers)
	for _, r := range rows {
		r.at = d.rows[r.key]
		size := d.layouts.chain[r.at.layout].rowBytes
		bytes += size
		r.sums = make([]uint64, blocksOf(size))
		for first := 0; first < len(r.sums); first += runBlocks {
			g.Go(func() error {
				if ctx.Err() != nil || r.bad.Load() {
					return errIncomplete
				}
				var buffer []byte
				select {
				case buffer = <-buffers:
				default:
				}
				err := r.at.store.guard(func() error { return d.readRun(r, &buffer, first) })
				select {
				case buffers <- buffer:
				default:
				}
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
	err := g.Wait()
	if e := ctx.Err(); e != nil {
		return e
	}
	if err == nil {
		d.reading.observe(bytes, time.Since(start))
	}
	for _, r := range rows {
		if r.bad.Load() || digest(r.sums) != r.at.sum {
			r.bad.Store(true)
			delete(d.rows, r.key)
		}
	}
	if err := panicked.Load(); err != nil {
		d.fail(*err)
	}
	return nil
}

var errIncomplete = errors.New("block missing or damaged")

// readRun reads a run of blocks of one row. An error other than errIncomplete comes from a panic,
// after which the store must not be used. The hash is computed from the copy, so the bytes that
// are checked are the bytes that are used.
func (d *disk) readRun(r *readRow, buffer *[]byte, run int) error {
	txn := r.at.store.db.NewTransactionAt(math.MaxUint64, false)
	defer txn.Discard()
	size := d.layouts.chain[r.at.layout].rowBytes
	narrowed := r.at.layout != d.layouts.present()
	if narrowed && run == 0 {
		d.layouts.pad(r.data, len(d.layouts.chain[r.at.layout].places))
	}
	for i := run; i < min(run+runBlocks, len(r.sums)); i++ {
		b := block{row: r.key, number: uint32(i), generation: r.at.generation}
		first, end := b.extent(size)
		var dst []byte
		if narrowed {
			if int64(cap(*buffer)) < end-first {
				*buffer = make([]byte, end-first)
			}
			dst = (*buffer)[:end-first]
		} else {
			dst = r.data[first:end]
		}
		if !r.at.store.read(txn, b, dst) {
			return errIncomplete
		}
		r.sums[i] = xxhash.Sum64(dst)
		if narrowed {
			d.layouts.cut(r.data, dst, r.at.layout, first)
		}
	}
	return nil
}
