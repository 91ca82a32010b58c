//go:build mpi && linux

package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"bigmkl/cluster"
)

var _ cluster.Collective = (*Ranks)(nil)

// Ranks is the processes that mpirun has started, as one of them sees them.
type Ranks struct {
	library    *library
	calls      chan func()
	rank, size int
	failed     func(err error) (code int)
	broken     int32 // what the library returned when an operation failed; 0 if none has
}

const (
	piece = 1 << 28 // bytes of one message: the library counts in 32 bits
	tag   = 7

	// grace is how long a rank whose exchange failed leaves it to others to say why: where one was
	// lost, its launcher ends this rank within it.
	grace = 2 * time.Second
)

// ErrLost is the error of a rank that cannot exchange with another.
var ErrLost = errors.New("the exchange with another rank failed")

// Open begins the exchange. failed is called before Abort ends all processes: it says what has
// happened, and gives the exit code.
func Open(failed func(err error) (code int)) (*Ranks, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	m := &Ranks{library: l, calls: make(chan func()), failed: failed}
	go func() {
		runtime.LockOSThread()
		for f := range m.calls {
			f()
		}
	}()
	m.call(func() {
		var rank, size int32
		l.init(0, 0)
		l.handle(l.world, l.errorsReturn)
		l.rank(l.world, &rank)
		l.size(l.world, &size)
		m.rank, m.size = int(rank), int(size)
	})
	return m, nil
}

// call runs f on the thread of the library.
func (m *Ranks) call(f func()) {
	done := make(chan struct{})
	m.calls <- func() {
		f()
		close(done)
	}
	<-done
}

// exchange runs f, which exchanges with other ranks, on the thread of the library. Where that fails
// all ranks are ended.
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

// note keeps what the library returned. After a failure nothing more is exchanged.
func (m *Ranks) note(code int32) {
	if m.broken == 0 {
		m.broken = code
	}
}

// Version is what the library says of itself.
func (m *Ranks) Version() string { return m.library.version }

func (m *Ranks) Rank() int { return m.rank }
func (m *Ranks) Size() int { return m.size }

// Close ends the exchange once all ranks have come to it.
func (m *Ranks) Close() { m.call(func() { m.library.finalize() }) }

// Abort ends the processes of all ranks, this one included.
func (m *Ranks) Abort(err error) {
	code := m.failed(err)
	m.call(func() { m.library.abort(m.library.world, int32(code)) })
}

func (m *Ranks) Broadcast(frame []byte) ([]byte, error) {
	err := m.exchange(func() {
		var head [8]byte
		binary.NativeEndian.PutUint64(head[:], uint64(len(frame)))
		m.broadcast(head[:])
		if m.rank > 0 && m.broken == 0 {
			frame = make([]byte, binary.NativeEndian.Uint64(head[:]))
		}
		m.broadcast(frame)
	})
	if m.rank == 0 {
		frame = append([]byte(nil), frame...)
	}
	return frame, err
}

func (m *Ranks) Gather(frame []byte) (frames [][]byte, err error) {
	err = m.exchange(func() {
		if m.rank > 0 {
			m.send(0, frame)
			return
		}
		frames = append(frames, append([]byte(nil), frame...))
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
		frame = append([]byte(nil), frames[0]...)
	})
	return frame, err
}

// pieces visits a buffer in messages that the library can count, until one fails.
func (m *Ranks) pieces(buffer []byte, visit func(at unsafe.Pointer, count int32) int32) {
	for len(buffer) > 0 && m.broken == 0 {
		n := min(len(buffer), piece)
		m.note(visit(unsafe.Pointer(unsafe.SliceData(buffer)), int32(n)))
		buffer = buffer[n:]
	}
	runtime.KeepAlive(buffer)
}

func (m *Ranks) broadcast(buffer []byte) {
	l := m.library
	m.pieces(buffer, func(at unsafe.Pointer, n int32) int32 { return l.bcast(at, n, l.bytes, 0, l.world) })
}

// send sends the length of a frame, and then the frame.
func (m *Ranks) send(to int, frame []byte) {
	l := m.library
	head := binary.NativeEndian.AppendUint64(nil, uint64(len(frame)))
	send := func(at unsafe.Pointer, n int32) int32 { return l.send(at, n, l.bytes, int32(to), tag, l.world) }
	m.pieces(head, send)
	m.pieces(frame, send)
}

// receive is the other side of send. It returns nil once an operation has failed.
func (m *Ranks) receive(from int) []byte {
	l := m.library
	receive := func(at unsafe.Pointer, n int32) int32 {
		return l.recv(at, n, l.bytes, int32(from), tag, l.world, l.noStatus)
	}
	head := make([]byte, 8)
	m.pieces(head, receive)
	if m.broken != 0 {
		return nil
	}
	frame := make([]byte, binary.NativeEndian.Uint64(head))
	m.pieces(frame, receive)
	return frame
}
