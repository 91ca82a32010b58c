//go:build mpi && linux

package mpi

import (
	"encoding/binary"
	"runtime"
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
}

const (
	piece = 1 << 28 // bytes of one message: the library counts in 32 bits
	tag   = 7
)

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
	m.call(func() {
		var head [8]byte
		binary.NativeEndian.PutUint64(head[:], uint64(len(frame)))
		m.broadcast(head[:])
		if m.rank > 0 {
			frame = make([]byte, binary.NativeEndian.Uint64(head[:]))
		}
		m.broadcast(frame)
	})
	if m.rank == 0 {
		frame = append([]byte(nil), frame...)
	}
	return frame, nil
}

func (m *Ranks) Gather(frame []byte) (frames [][]byte, err error) {
	m.call(func() {
		if m.rank > 0 {
			m.send(0, frame)
			return
		}
		frames = append(frames, append([]byte(nil), frame...))
		for r := 1; r < m.size; r++ {
			frames = append(frames, m.receive(r))
		}
	})
	return frames, nil
}

func (m *Ranks) Scatter(frames [][]byte) (frame []byte, err error) {
	m.call(func() {
		if m.rank > 0 {
			frame = m.receive(0)
			return
		}
		for r := 1; r < m.size; r++ {
			m.send(r, frames[r])
		}
		frame = append([]byte(nil), frames[0]...)
	})
	return frame, nil
}

// pieces visits a buffer in messages that the library can count.
func pieces(buffer []byte, visit func(at unsafe.Pointer, count int32)) {
	for len(buffer) > 0 {
		n := min(len(buffer), piece)
		visit(unsafe.Pointer(unsafe.SliceData(buffer)), int32(n))
		buffer = buffer[n:]
	}
	runtime.KeepAlive(buffer)
}

func (m *Ranks) broadcast(buffer []byte) {
	l := m.library
	pieces(buffer, func(at unsafe.Pointer, n int32) { l.bcast(at, n, l.bytes, 0, l.world) })
}

// send sends the length of a frame, and then the frame.
func (m *Ranks) send(to int, frame []byte) {
	l := m.library
	head := binary.NativeEndian.AppendUint64(nil, uint64(len(frame)))
	send := func(at unsafe.Pointer, n int32) { l.send(at, n, l.bytes, int32(to), tag, l.world) }
	pieces(head, send)
	pieces(frame, send)
}

// receive is the other side of send.
func (m *Ranks) receive(from int) []byte {
	l := m.library
	receive := func(at unsafe.Pointer, n int32) {
		l.recv(at, n, l.bytes, int32(from), tag, l.world, l.noStatus)
	}
	head := make([]byte, 8)
	pieces(head, receive)
	frame := make([]byte, binary.NativeEndian.Uint64(head))
	pieces(frame, receive)
	return frame
}
