package command

import (
	"context"
	"io"
)

// newInterruptibleReader reads r until ctx is done, even while a read of r blocks. The goroutine
// that blocks in such a read lives until the process ends.
// An error of r comes after all bytes that were read before it.
func newInterruptibleReader(ctx context.Context, r io.Reader) io.Reader {
	p := &interruptibleReader{ctx: ctx, filled: make(chan filledBuffer, 1),
		empty: make(chan []byte, 2)}
	// 128 KiB is twice the buffer of a pipe on Linux, so one read takes all that has arrived.
	for range cap(p.empty) {
		p.empty <- make([]byte, 128<<10)
	}
	// A read of a terminal or a pipe cannot be cancelled, so it has a goroutine of its own, which a
	// signal leaves behind.
	go func() {
		for b := range p.empty {
			n, err := r.Read(b)
			p.filled <- filledBuffer{b, n, err}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// interruptibleReader hands on what a goroutine reads. Two buffers go round between the goroutine
// and the reader: reading overlaps with parsing.
// Only one goroutine may call Read.
type interruptibleReader struct {
	ctx    context.Context
	filled chan filledBuffer
	empty  chan []byte
	// now is the buffer in use, and rest its bytes that Read has not returned yet.
	now  filledBuffer
	rest []byte
}

// filledBuffer is the result of one read: n bytes, and the error that came with them.
type filledBuffer struct {
	buffer []byte
	n      int
	err    error
}

// Read returns bytes that have arrived, or waits for some.
func (p *interruptibleReader) Read(to []byte) (int, error) {
	// An empty read without an error is followed by another one.
	for len(p.rest) == 0 {
		if p.now.err != nil {
			return 0, p.now.err
		}
		if p.now.buffer != nil {
			// The channel has room for both buffers, so this never waits.
			p.empty <- p.now.buffer
			p.now.buffer = nil
		}
		select {
		case p.now = <-p.filled:
			p.rest = p.now.buffer[:p.now.n]
		case <-p.ctx.Done():
			p.now.err = p.ctx.Err()
		}
	}
	n := copy(to, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
