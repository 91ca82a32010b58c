package cache

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"
)

const (
	// readers is the number of goroutines that read rows back, each a row at a time.
	readers = 4
	// pieceBytes is how much of a row is read at once if its elements have to be picked: 65,536 points in float32.
	pieceBytes = 256 << 10
)

// readRow is a row that comes back to memory.
type readRow struct {
	key  Key
	data []byte
	slot int32
	want int // want is the index in the request.
	at   *location
	bad  bool
}

// read reads rows that are on disk and cuts them to the present layout. It marks rows that cannot
// be read whole as bad and forgets them. The error is the context's.
func (d *disk) read(ctx context.Context, rows []*readRow) error {
	var bytes int64
	for _, r := range rows {
		r.at = d.rows[r.key]
		bytes += r.at.bytes
	}
	// A disk reads places in ascending order fastest.
	slices.SortFunc(rows, func(a, b *readRow) int { return cmp.Compare(a.at.first, b.at.first) })

	var fault atomic.Pointer[error] // an error of the disk, which will happen again
	buffers := make(chan []byte, readers)
	start := time.Now()
	var g errgroup.Group
	g.SetLimit(readers)
	for _, r := range rows {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var buffer []byte
			select {
			case buffer = <-buffers:
			default:
			}
			err := d.readRow(r, &buffer)
			select {
			case buffers <- buffer:
			default:
			}
			if r.bad = err != nil; r.bad && !errors.Is(err, errDamaged) && !errors.Is(err, io.EOF) {
				fault.Store(&err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	d.reading.observe(bytes, time.Since(start))
	for _, r := range rows {
		if r.bad {
			delete(d.rows, r.key)
		}
	}
	if err := fault.Load(); err != nil {
		d.fail(*err)
	}
	return nil
}

var errDamaged = errors.New("row damaged")

// readRow reads one row and compares its hash. The hash is computed from the copy, so the bytes that are checked are the
// bytes that are used.
func (d *disk) readRow(r *readRow, buffer *[]byte) error {
	if r.at.layout == d.layouts.present() {
		if _, err := d.file.ReadAt(r.data, r.at.first); err != nil {
			return err
		}
		if xxhash.Sum64(r.data) != r.at.sum {
			return errDamaged
		}
		return nil
	}
	d.layouts.pad(r.data, len(d.layouts.chain[r.at.layout].places))
	if *buffer == nil {
		*buffer = make([]byte, pieceBytes)
	}
	var sum xxhash.Digest
	sum.Reset()
	for at := int64(0); at < r.at.bytes; at += pieceBytes {
		piece := (*buffer)[:min(pieceBytes, r.at.bytes-at)]
		if _, err := d.file.ReadAt(piece, r.at.first+at); err != nil {
			return err
		}
		sum.Write(piece)
		d.layouts.cut(r.data, piece, r.at.layout, at)
	}
	if sum.Sum64() != r.at.sum {
		return errDamaged
	}
	return nil
}
