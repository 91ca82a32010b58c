package cache

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/files"
)

// These are the limits of a batch. With so small a memory table, a transaction of badger takes a
// few hundred entries. Readers may have to wait for the batch that is being written.
const (
	batchBytes = 4 << 20
	batchPairs = 256
)

// spillRow is a row on its way to disk. Its data must not change until the writing has been
// settled.
type spillRow struct {
	key  Key
	data []byte
	slot int32
	at   location
}

// writing is a list of rows that a goroutine writes.
type writing struct {
	store   *store
	dir     string
	reserve int64
	rows    []spillRow
	stop    atomic.Bool   // stop asks the goroutine to end after the current batch.
	batches atomic.Int64  // batches counts the batches that were written.
	done    chan struct{} // done is closed at the end. The fields below are valid from then on.

	written int   // The first written rows can be read.
	bytes   int64 // bytes is the size of these rows, and spent the time that writing them took.
	spent   time.Duration
	low     string // low states why the rest was not written.
	err     error
}

// A batch is written in milliseconds, but a full file of the log goes to the device as a whole. A
// batch that takes longer than patience will never end, nor will one of a database that has
// panicked. The progress is checked once per look.
const (
	patience = 30 * time.Second
	look     = time.Second
)

// wait waits for the end. It returns false if there may never be one, because no batch has ended
// within the limit.
func (w *writing) wait(limit time.Duration) bool {
	for seen, still := w.batches.Load(), time.Duration(0); ; {
		select {
		case <-w.done:
			return true
		case <-time.After(look):
		}
		if now := w.batches.Load(); now != seen {
			seen, still = now, 0
			continue
		}
		if still += look; still >= limit {
			w.store.broken.Store(true)
		}
		if w.store.broken.Load() {
			return false
		}
	}
}

// run writes the rows batch by batch.
func (w *writing) run() {
	var pairs []pair
	var size int64
	flush := func(rows int) bool {
		if w.low, w.err = shortage(w.dir, w.reserve, size); w.low != "" || w.err != nil {
			return false
		}
		start := time.Now()
		if w.err = w.store.write(pairs); w.err != nil {
			return false
		}
		w.spent += time.Since(start)
		w.bytes += size
		w.written = rows
		w.batches.Add(1)
		pairs, size = pairs[:0], 0
		return true
	}
	for i := range w.rows {
		r := &w.rows[i]
		b := block{row: r.key, generation: r.at.generation}
		sums := make([]uint64, blocksOf(int64(len(r.data))))
		for k := range sums {
			b.number = uint32(k)
			first, end := b.extent(int64(len(r.data)))
			if len(pairs) > 0 && (size+end-first > batchBytes || len(pairs) == batchPairs) {
				if w.stop.Load() || !flush(i) {
					return
				}
			}
			sums[k] = xxhash.Sum64(r.data[first:end])
			pairs = append(pairs, pair{b.appendKey(make([]byte, 0, keyBytes)), r.data[first:end]})
			size += end - first + entryOverhead
		}
		r.at.sum = digest(sums)
	}
	flush(len(w.rows))
}

// digest combines the hashes of the blocks of a row.
func digest(sums []uint64) uint64 {
	if len(sums) == 1 {
		return sums[0]
	}
	var d xxhash.Digest
	d.Reset()
	var b [8]byte
	for _, s := range sums {
		binary.LittleEndian.PutUint64(b[:], s)
		d.Write(b[:])
	}
	return d.Sum64()
}

// location states where a row lies on disk, in which layout, and which hash it has.
type location struct {
	store      *store
	generation uint64
	sum        uint64
	layout     int
}

// shortage states why the given number of bytes cannot be written to the folder without touching
// the reserve. It returns "" if they can.
func shortage(dir string, reserve, bytes int64) (string, error) {
	free, _, err := files.Space(dir)
	if err != nil {
		return "", err
	}
	// The bytes count twice, because the file system may not have charged the blocks of the batch
	// before.
	if free-2*bytes-slackBytes < reserve {
		return fmt.Sprintf("%d bytes free in %s, %d are kept in reserve", free, dir, reserve), nil
	}
	return "", nil
}

// slackBytes is the space in bytes that is left to small files of badger at a write.
const slackBytes = 4 << 20
