//go:build mpi && linux

package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"bigmkl/internal/cluster"
)

var _ cluster.Collective = (*Ranks)(nil)

// Ranks is the processes that mpirun has started, as one of them sees them.
type Ranks struct {
	thread
	wire
	rank, size int
	failed     func(err error) (code int)
	asked      func()      // is told on rank 0 that another rank was asked to end
	leaving    atomic.Bool // this rank was asked to end

	received [][]byte // memory for what comes from each rank
	told     []byte   // memory for the frame that rank 0 sends to all
	lengths  [4]int   // of the last frames that it told
}

const (
	lengthBytes  = 8       // of the length of a frame, which comes before it
	leavingBit   = 1 << 63 // in the length: the sender was asked to end
	longestFirst = 1 << 16 // bytes of a frame that are told in one message with its length

	// grace is how long a rank whose exchange failed leaves it to others to report why: where one
	// was lost, its launcher ends this rank within it.
	grace = 2 * time.Second
)

// ErrLost is the error of a rank that cannot exchange with another.
var ErrLost = errors.New("the exchange with another rank failed")

// Open begins the exchange. failed is called before Abort ends all processes: it reports what has
// happened, and gives the exit code. asked is called on rank 0 where another rank reports that it
// was asked to end (AskToEnd), at most once an operation, and must return at once.
func Open(failed func(err error) (code int), asked func()) (*Ranks, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	m := &Ranks{
		thread: newThread(), wire: wire{library: l, patient: RanksHere() > runtime.NumCPU()}, failed: failed, asked: asked,
	}
	level := int32(0)
	m.call(func() {
		var rank, size int32
		l.init(0, 0, l.serialized, &level)
		l.handle(l.world, l.errorsReturn)
		l.rank(l.world, &rank)
		l.size(l.world, &size)
		m.rank, m.size = int(rank), int(size)
		m.received = make([][]byte, size)
	})
	if level >= l.serialized {
		m.release()
	}
	return m, nil
}

// exchange runs f, which exchanges with other ranks. Where that fails all ranks are ended.
func (m *Ranks) exchange(f func()) error {
	m.call(f)
	if m.broken == 0 {
		return nil
	}
	err := fmt.Errorf("%w (error %d of %s)", ErrLost, m.broken, m.library.version)
	time.Sleep(grace)
	m.Abort(err)
	return err
}

// Version is the version that the library reports.
func (m *Ranks) Version() string { return m.library.version }

func (m *Ranks) Rank() int { return m.rank }
func (m *Ranks) Size() int { return m.size }

// Close ends the exchange once all ranks have come to it.
func (m *Ranks) Close() { m.call(func() { m.library.finalize() }) }

// AskToEnd lets rank 0 know, with the next frame that this rank sends it, that this rank was asked to
// end. It may be called at any time by any goroutine.
func (m *Ranks) AskToEnd() { m.leaving.Store(true) }

// Abort ends the processes of all ranks, this one included.
func (m *Ranks) Abort(err error) {
	code := m.failed(err)
	m.call(func() { m.library.abort(m.library.world, int32(code)) })
}

// Broadcast takes one message of the library where the frame is no longer than the longest of the last ones, of
// which all ranks know the length. The first message begins with the length of the frame.
func (m *Ranks) Broadcast(frame []byte) ([]byte, error) {
	err := m.exchange(func() {
		first := lengthBytes + min(slices.Max(m.lengths[:]), longestFirst)
		m.told = m.told[:0]
		if m.rank == 0 {
			m.told = append(binary.NativeEndian.AppendUint64(m.told, uint64(len(frame))), frame...)
		}
		if missing := first - len(m.told); missing > 0 {
			m.told = slices.Grow(m.told, missing)[:first]
		}
		m.broadcast(m.told[:first])
		if m.broken != 0 {
			return
		}
		n := int(binary.NativeEndian.Uint64(m.told))
		if missing := lengthBytes + n - len(m.told); missing > 0 {
			m.told = slices.Grow(m.told, missing)[:lengthBytes+n]
		}
		m.broadcast(m.told[min(first, lengthBytes+n) : lengthBytes+n])
		copy(m.lengths[1:], m.lengths[:])
		m.lengths[0] = n
		if m.rank > 0 {
			frame = m.told[lengthBytes : lengthBytes+n]
		}
	})
	return frame, err
}

func (m *Ranks) Gather(frame []byte) (frames [][]byte, err error) {
	err = m.exchange(func() {
		if m.rank > 0 {
			m.send(0, frame)
			return
		}
		frames = append(frames, frame)
		for r := 1; r < m.size; r++ {
			frames = append(frames, m.receive(r))
		}
	})
	return frames, err
}

func (m *Ranks) Scatter(frames [][]byte) (frame []byte, err error) {
	err = m.exchange(func() {
		if m.rank > 0 {
			frame = m.receive(0)
			return
		}
		for r := 1; r < m.size; r++ {
			m.send(r, frames[r])
		}
		frame = frames[0]
	})
	return frame, err
}

// send sends the length of a frame, and then the frame.
func (m *Ranks) send(to int, frame []byte) {
	length := uint64(len(frame))
	if m.leaving.Load() {
		length |= leavingBit
	}
	m.put(to, binary.NativeEndian.AppendUint64(nil, length))
	m.put(to, frame)
}

// receive is the other side of send. It returns nil once an operation has failed.
func (m *Ranks) receive(from int) []byte {
	head := make([]byte, lengthBytes)
	m.take(from, head)
	if m.broken != 0 {
		return nil
	}
	length := binary.NativeEndian.Uint64(head)
	if length&leavingBit != 0 {
		m.asked()
	}
	n := int(length &^ leavingBit)
	m.received[from] = slices.Grow(m.received[from][:0], n)[:n]
	m.take(from, m.received[from])
	return m.received[from]
}
