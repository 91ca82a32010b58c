package selection

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// A training of a few thousand rows keeps two threads busy for little more than half of the time: its iterations are
// short, and one thread takes a part of each. Folds share nothing but the rows as they were read. They are therefore
// trained side by side, in lanes with a part of the threads and of the memory each: ten bands of MNIST, 10,000 rows, had
// 1.8 times as many trainings per second. No figure depends on the number of lanes.

const (
	// laneRows is the largest number of rows that are trained side by side. Trainings on more rows share their
	// threads well, and need the memory for their cached kernel rows.
	laneRows = 20_000
	// laneMemory and laneMemoryOfRow are the least memory of a lane in bytes: a fixed part, and a part for each row. With
	// laneRows rows they add up to 1.5 GiB, about as much as all base rows of a kernel take.
	laneMemory      = 256 << 20
	laneMemoryOfRow = 64 << 10
)

// lanesOf returns the number of lanes for so many folds. It is 1 if the folds do not have rows of their own, or if the
// trainings call functions of the caller, which may not be ready for several trainings at a time.
func (p *pool) lanesOf(folds int) int {
	if p.apart == nil || p.narrow {
		return 1
	}
	return lanesOf(&p.apart.training, p.data.Store().Len(), folds)
}

// lanesOf returns the number of lanes for so many folds of some rows, which are held out of everything.
func lanesOf(t *bigmkl.Options, rows, folds int) int {
	if !t.Team.Alone() || t.Rule != nil || len(t.UserKernels) > 0 || rows > laneRows {
		return 1
	}
	// The number of lanes is limited by folds, threads and memory.
	fit := memoryOf(t) / (laneMemory + laneMemoryOfRow*int64(rows))
	return max(1, min(folds, threadsOf(t), int(min(fit, 1<<16))))
}

// threadsOf returns the number of threads of a training.
func threadsOf(t *bigmkl.Options) int { return cmp.Or(t.Threads, runtime.GOMAXPROCS(0)) }

// memoryOf returns the memory budget of a training.
func memoryOf(t *bigmkl.Options) int64 { return cmp.Or(t.Memory, host.Budget()) }

// openLanes returns a pool for each of several lanes: the same rows, with an open fold, threads and memory of its own.
// Their folds must be closed before the pool. A single lane is the pool itself. Each lane has a spool
// of its own, since a spool has a position.
func (p *pool) openLanes(count int) ([]*pool, error) {
	if count == 1 {
		return []*pool{p}, nil
	}
	var lanes []*pool
	heaps := newHeapParts(p.apart.training.Heap, count, memoryOf(&p.apart.training))
	for k := range count {
		apart := *p.apart
		apart.data, apart.key, apart.banks, apart.known = nil, "", nil, nil
		var err error
		if apart.spool, err = p.apart.spool.Again(); err != nil {
			return nil, err
		}
		apart.training = heaps.part(&p.apart.training, k)
		lanes = append(lanes, &pool{data: p.data, shape: p.shape, apart: &apart, shared: p.shared})
	}
	return lanes, nil
}

// heapParts adds up the heaps that lanes ask for: the Go heap has one limit. A lane asks for its heap
// as it opens a fold. The limit of the process is the sum over all lanes.
type heapParts struct {
	mu    sync.Mutex
	asked []int64
	limit func(bytes int64)
}

// newHeapParts returns the heaps of so many lanes, each of which has its part of the memory at first. limit is nil if
// nobody limits the heap.
func newHeapParts(limit func(bytes int64), lanes int, memory int64) *heapParts {
	h := &heapParts{asked: make([]int64, lanes), limit: limit}
	for k := range h.asked {
		h.asked[k] = memory / int64(lanes)
	}
	return h
}

// part returns a training with the part of lane k of the threads, the memory, the disk and the heap.
func (h *heapParts) part(t *bigmkl.Options, k int) bigmkl.Options {
	own, lanes := *t, len(h.asked)
	own.Threads, own.Memory = max(1, threadsOf(t)/lanes), memoryOf(t)/int64(lanes)
	own.Disk = max(min(t.Disk, 1), t.Disk/int64(lanes)) // A budget of 0 would be one that was left open.
	if h.limit == nil {
		return own
	}
	own.Heap = func(bytes int64) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asked[k] = bytes
		sum := int64(0)
		for _, b := range h.asked {
			sum += b
		}
		h.limit(sum)
	}
	return own
}

// inLanes calls work for each unit, in lanes that take one unit after the other, in their order. After an error no lane
// begins another unit, and the context of the others is done. The first unit that failed for a reason of its own gives the
// error. A panic of a lane goes on in the caller. A lane takes the next unit as soon as it is free, so
// lanes with short units do more of them.
func inLanes[U any](ctx context.Context, lanes int, units []U, work func(ctx context.Context, lane int, unit U) error) error {
	if lanes == 1 {
		for _, u := range units {
			if err := work(ctx, 0, u); err != nil {
				return err
			}
		}
		return nil
	}
	faults := make([]error, len(units)) // by unit, of those that failed before another one did
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	group, within := errgroup.WithContext(ctx)
	for k := range lanes {
		group.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					// A panic in another goroutine would end the process without the deferred functions
					// of the caller, which remove scratch files.
					panicked.CompareAndSwap(nil, &p)
					err = context.Canceled // ends the other lanes
				}
			}()
			for {
				i := int(next.Add(1)) - 1
				if i >= len(units) || within.Err() != nil {
					return nil
				}
				if err := work(within, k, units[i]); err != nil {
					// Errors behind the first one are mostly the cancelled context.
					if within.Err() == nil {
						faults[i] = err
					}
					return err
				}
			}
		})
	}
	first := group.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return cmp.Or(ctx.Err(), first)
}

// sideBySide runs units in as many lanes as the pool has for them. Units that are left over for fewer lanes come last: each
// has more threads then. Where lanes have too little memory or disk each, the units come one after the
// other. Units that run again continue behind their last cell or reading.
func sideBySide[U any](p *pool, units []U, run func(lanes int, units []U) error) error {
	for lanes := p.lanesOf(len(units)); len(units) > 0; {
		lanes = min(lanes, len(units))
		batch := units[:len(units)-len(units)%lanes]
		err := run(lanes, batch)
		// The estimate of a lane's memory may be too small. What was trained until then is in the files
		// and is not done again.
		if lanes > 1 && errors.Is(err, fail.Budget) {
			p.narrow, lanes = true, 1
			err = run(1, batch)
		}
		if err != nil {
			return err
		}
		units = units[len(batch):]
	}
	return nil
}
