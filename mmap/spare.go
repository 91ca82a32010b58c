package mmap

import (
	"slices"
	"sync"
)

const (
	// spareRegion is the size of the largest regions that are kept to be used again, leastRegion that of
	// the smallest, and spareBytes what all of them take. Hundreds of small trainings, one after the
	// other, would otherwise spend a third of their time on getting and clearing pages.
	spareRegion, leastRegion = 2 << 20, 16 << 10
	spareBytes               = 8 << 20
)

// spares are regions of anonymous memory that nobody uses.
var spares struct {
	lock    sync.Mutex
	regions [][]byte
	bytes   int
}

// region returns private memory of at least so many bytes, and whether it may hold what somebody has
// left there. It is the one that fits best, unless that is four times as large.
func region(size int64) (data []byte, used bool, err error) {
	if size > spareRegion {
		data, err = allocate(size)
		return data, false, err
	}
	spares.lock.Lock()
	defer spares.lock.Unlock()
	best := -1
	for i, r := range spares.regions {
		if n := int64(cap(r)); n >= size && n/4 <= max(size, leastRegion) && (best < 0 || n < int64(cap(spares.regions[best]))) {
			best = i
		}
	}
	if best >= 0 {
		data = spares.regions[best]
		spares.regions = slices.Delete(spares.regions, best, best+1)
		spares.bytes -= cap(data)
		return data, true, nil
	}
	// Sizes are rounded up by at most a quarter, so regions of about the same size serve each other.
	grain := int64(leastRegion)
	for 8*grain <= size {
		grain *= 2
	}
	data, err = allocate((size + grain - 1) / grain * grain)
	return data, false, err
}

// giveBack keeps a region to be used again, and releases those that have waited longest.
func giveBack(data []byte) error {
	data = data[:cap(data)]
	if len(data) > spareRegion {
		return release(data)
	}
	spares.lock.Lock()
	defer spares.lock.Unlock()
	spares.regions, spares.bytes = append(spares.regions, data), spares.bytes+len(data)
	for spares.bytes > spareBytes {
		oldest := spares.regions[0]
		spares.regions, spares.bytes = slices.Delete(spares.regions, 0, 1), spares.bytes-len(oldest)
		if err := release(oldest); err != nil {
			return err
		}
	}
	return nil
}
