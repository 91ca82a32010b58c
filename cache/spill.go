package cache

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/files"
)

// spillRow is a row on its way to disk. Its data must not change until the writing has been settled.
type spillRow struct {
	key  Key
	data []byte
	slot int32
	at   *location
}

// writing is a list of rows that a goroutine writes to the file.
type writing struct {
	file     *files.File
	dir      string
	reserve  int64
	end      int64 // end is the length of the file.
	rows     []spillRow
	stop     atomic.Bool   // stop asks the goroutine to end after the current row.
	left     atomic.Bool   // left is true once nobody waits any more.
	progress atomic.Int64  // progress counts the rows that were written.
	done     chan struct{} // done is closed at the end. The fields below are valid from then on.

	written int   // The first written rows can be read.
	bytes   int64 // bytes is the size of these rows, and spent the time that writing them took.
	spent   time.Duration
	low     string // low states why the rest was not written.
	err     error
}

// A row is written in milliseconds, but the system may make a writer wait until the device has caught up. A row that takes
// longer than patience will never be written, as on a network disk whose server is gone. The progress is checked once per look.
const (
	patience = 30 * time.Second
	look     = time.Second
)

// closeWait is how long the current row may take when the cache is closed, before its writing is left behind.
const closeWait = 5 * time.Second

// wait waits for the end. It returns false if there may never be one, because no row was written within the limit.
func (w *writing) wait(limit time.Duration) bool {
	for seen, still := w.progress.Load(), time.Duration(0); !w.left.Load(); {
		select {
		case <-w.done:
			return true
		case <-time.After(look):
		}
		if now := w.progress.Load(); now != seen {
			seen, still = now, 0
			continue
		}
		if still += look; still >= limit {
			w.left.Store(true)
		}
	}
	return false
}

// run writes the rows one by one.
func (w *writing) run() {
	for i := range w.rows {
		if w.stop.Load() {
			return
		}
		r := &w.rows[i]
		end := r.at.first + r.at.bytes
		if end > w.end { // A row in the place of an older one takes no space.
			if w.low, w.err = shortage(w.dir, w.reserve, end-w.end); w.low != "" || w.err != nil {
				return
			}
		}
		start := time.Now()
		if _, w.err = w.file.WriteAt(r.data, r.at.first); w.err != nil {
			return
		}
		w.spent += time.Since(start)
		r.at.sum = xxhash.Sum64(r.data)
		w.end = max(w.end, end)
		w.bytes += r.at.bytes
		w.written = i + 1
		w.progress.Add(1)
	}
}

// shortage states why the given number of bytes cannot be written to the folder without touching
// the reserve. It returns "" if they can.
func shortage(dir string, reserve, bytes int64) (string, error) {
	free, _, err := files.Space(dir)
	if err != nil {
		return "", err
	}
	if free-bytes-slackBytes < reserve {
		return fmt.Sprintf("%d bytes free in %s, %d are kept in reserve", free, dir, reserve), nil
	}
	return "", nil
}

// slackBytes is left free beside the reserve: a file system may charge the rows before only later.
const slackBytes = 8 << 20
