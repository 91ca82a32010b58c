// Package cluster defines how the processes of one training speak with each other, whoever
// carries their words: goroutines of one process (Local), or MPI (package mpi, behind a build
// tag).
//
// The processes are ranks 0..size-1. Rank 0 leads: it holds the solver, and the others hold shards
// of the points with their gradients. All they exchange is frames of bytes, in three operations in
// which every rank makes at the same moment of the training: rank 0 to all, all to rank 0, and a
// frame for each rank from rank 0. The contents of frames are known to packages shards and gradient
// alone.
package cluster

import (
	"fmt"
	"sync"
)

// Collective is the exchange between ranks as one of them sees it. Every rank has to call the same
// operations in the same order. One call is under way at a time in each rank.
//
// A frame that was handed over may be used again by its owner once the operation has ended. One that was
// received is valid until the next operation has ended, so its memory is used again; what rank 0 gets of
// its own is the frame that it has given. An error ends the exchange: nothing more can be said in it.
type Collective interface {
	// Rank is the number of this process, from 0.
	Rank() int
	// Size is the number of processes.
	Size() int
	// Broadcast gives the frame of rank 0 to all ranks. That of the others is ignored.
	Broadcast(frame []byte) ([]byte, error)
	// Gather gives rank 0 the frames of all ranks, by rank. The others get nil.
	Gather(frame []byte) ([][]byte, error)
	// Scatter gives each rank one of the frames of rank 0. The frames of the others are ignored.
	Scatter(frames [][]byte) ([]byte, error)
	// Abort ends the exchange of all ranks because of err. What waits in one of its operations, or
	// comes to one, gets an error, or its process ends.
	Abort(err error)
}

// Local returns size ranks that live in this process, each for a goroutine of its own. They are for
// tests, and show what ranks do to a training without anything to install. A received frame is overwritten
// once it is no longer valid.
func Local(size int) []Collective {
	h := &hub{size: size, ended: make(chan struct{})}
	ranks := make([]Collective, size)
	for r := range ranks {
		h.down = append(h.down, make(chan []byte))
		h.up = append(h.up, make(chan []byte))
		ranks[r] = &local{hub: h, rank: r}
	}
	return ranks
}

// hub is what the ranks of one process share.
type hub struct {
	size     int
	down, up []chan []byte // from rank 0 to each rank, and back
	once     sync.Once
	ended    chan struct{} // is closed once the exchange has ended, after reason is set
	reason   error
}

// local is one rank of a hub.
type local struct {
	hub   *hub
	rank  int
	stale [][]byte // what the last operation has received
}

// spoiled is what received frames are overwritten with.
const spoiled = 0xa5

// keep spoils what the last operation has received, and keeps what this one has.
func (l *local) keep(frames ...[]byte) {
	for _, frame := range l.stale {
		for i := range frame {
			frame[i] = spoiled
		}
	}
	l.stale = frames
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return l.hub.size }

func (l *local) Broadcast(frame []byte) ([]byte, error) {
	frames := make([][]byte, l.hub.size)
	for r := range frames {
		frames[r] = frame
	}
	return l.Scatter(frames)
}

func (l *local) Scatter(frames [][]byte) ([]byte, error) {
	if l.rank > 0 {
		frame, err := l.receive(l.hub.down[l.rank])
		l.keep(frame)
		return frame, err
	}
	for r := 1; r < l.hub.size; r++ {
		if err := l.send(l.hub.down[r], frames[r]); err != nil {
			return nil, err
		}
	}
	l.keep()
	return frames[0], nil
}

func (l *local) Gather(frame []byte) ([][]byte, error) {
	if l.rank > 0 {
		err := l.send(l.hub.up[l.rank], frame)
		l.keep()
		return nil, err
	}
	frames := make([][]byte, l.hub.size)
	frames[0] = frame
	for r := 1; r < l.hub.size; r++ {
		var err error
		if frames[r], err = l.receive(l.hub.up[r]); err != nil {
			return nil, err
		}
	}
	l.keep(frames[1:]...)
	return frames, nil
}

func (l *local) Abort(err error) {
	l.hub.once.Do(func() {
		l.hub.reason = fmt.Errorf("rank %d: %w", l.rank, err)
		close(l.hub.ended)
	})
}

// send hands a copy of a frame over, so its owner may go on writing to it.
func (l *local) send(to chan<- []byte, frame []byte) error {
	select {
	case to <- append([]byte(nil), frame...):
		return nil
	case <-l.hub.ended:
		return l.hub.reason
	}
}

func (l *local) receive(from <-chan []byte) ([]byte, error) {
	select {
	case frame := <-from:
		return frame, nil
	case <-l.hub.ended:
		return nil, l.hub.reason
	}
}
