package cache

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/files"
)

// Limits of a batch. A transaction of badger takes a few hundred entries with a memory table this small, and who reads
// may have to wait for the one that is being written.
const (
	batchBytes = 4 << 20
	batchPairs = 256
)

// spillRow is a row on its way to disk. Its data must not change until the writing is settled.
type spillRow struct {
	key  Key
	data []byte
	slot int32
	at   location
}

// writing is a list of rows being written by a goroutine of its own.
type writing struct {
	store   *store
	dir     string
	reserve int64
	rows    []spillRow
	stop    atomic.Bool   // asks it to end after the batch in hand
	batches atomic.Int64  // that were written
	done    chan struct{} // closed at the end; what follows is valid from then on

	written int   // of the rows, those first are readable
	bytes   int64 // of them, and the time it took
	spent   time.Duration
	low     string // why the rest was not written
	err     error
}

// A batch is written in milliseconds, but a file of the log that is full goes to the device as a whole. One that takes
// longer than patience will not come to its end; nor will one of a database that has panicked.
const (
	patience = 30 * time.Second
	look     = time.Second
)

// wait waits for the end; false if there may never be one: no batch has ended within the limit.
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

// run writes the rows, batch by batch.
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

// digest makes one hash of those of the blocks.
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

// location is where a row lies on disk, in which layout, and its hash.
type location struct {
	store      *store
	generation uint64
	sum        uint64
	layout     int
}

// shortage says why so many bytes cannot be written to the folder without touching the reserve; "" if they can.
func shortage(dir string, reserve, bytes int64) (string, error) {
	free, _, err := files.Space(dir)
	if err != nil {
		return "", err
	}
	// Twice the bytes: the blocks of the batch before may not have been charged to the file system yet.
	if free-2*bytes-slackBytes < reserve {
		return fmt.Sprintf("%d bytes free in %s, %d are kept in reserve", free, dir, reserve), nil
	}
	return "", nil
}

// slackBytes is kept back for badger's own small files at a write.
const slackBytes = 4 << 20
