//go:build mpi && linux

package mpi

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wire moves buffers between two ranks, or from rank 0 to all, in messages of the library. After a failure it moves
// nothing more.
type wire struct {
	library *library
	patient bool  // waiting leaves the processor to other ranks
	broken  int32 // what the library returned when an operation failed; 0 if none has
}

const (
	piece = 1 << 28 // bytes of one message: the library counts in 32 bits
	tag   = 7

	// Libraries wait busily. Where a computer has fewer processors than ranks, a rank that has waited for
	// this long naps between its looks, as another rank may need the processor to come to what it waits for.
	impatience = 20 * time.Microsecond
	nap        = 50 * time.Microsecond
)

// note keeps what the library returned. After a failure nothing more is exchanged.
func (w *wire) note(code int32) {
	if w.broken == 0 {
		w.broken = code
	}
}

// pieces exchanges a buffer in messages that the library can count, until one fails. begin begins with one.
func (w *wire) pieces(buffer []byte, begin func(at unsafe.Pointer, count int32, r *request) int32) {
	for len(buffer) > 0 && w.broken == 0 {
		n := min(len(buffer), piece)
		w.exchangePiece(func(r *request) int32 { return begin(unsafe.Pointer(unsafe.SliceData(buffer)), int32(n), r) })
		runtime.KeepAlive(buffer)
		buffer = buffer[n:]
	}
}

// exchangePiece begins an operation and waits for its end.
func (w *wire) exchangePiece(begin func(r *request) int32) {
	l, r := w.library, new(request)
	w.note(begin(r))
	for at := time.Now(); w.patient && w.broken == 0; {
		ended := int32(0)
		if w.note(l.test(r, &ended, l.noStatus)); ended != 0 {
			return
		}
		if time.Since(at) > impatience {
			// The runtime's timers are as coarse as a millisecond.
			_ = unix.Nanosleep(&unix.Timespec{Nsec: nap.Nanoseconds()}, nil) // An early end does no harm.
		}
	}
	if w.broken == 0 {
		w.note(l.wait(r, l.noStatus))
	}
}

// broadcast sends a buffer from rank 0, and fills it on the other ranks.
func (w *wire) broadcast(buffer []byte) {
	l := w.library
	w.pieces(buffer, func(at unsafe.Pointer, n int32, r *request) int32 { return l.bcast(at, n, l.bytes, 0, l.world, r) })
}

// put sends a buffer to a rank, which takes as many bytes.
func (w *wire) put(to int, buffer []byte) {
	l := w.library
	w.pieces(buffer, func(at unsafe.Pointer, n int32, r *request) int32 {
		return l.send(at, n, l.bytes, int32(to), tag, l.world, r)
	})
}

// take fills a buffer with what a rank puts.
func (w *wire) take(from int, buffer []byte) {
	l := w.library
	w.pieces(buffer, func(at unsafe.Pointer, n int32, r *request) int32 {
		return l.recv(at, n, l.bytes, int32(from), tag, l.world, r)
	})
}
