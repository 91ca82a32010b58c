package shards

import (
	"cmp"

	"bigmkl/internal/cluster"
	"bigmkl/internal/host"
)

// operation is a request of rank 0 to the others.
type operation int

const (
	opEnd operation = iota // of the training
	opMake
	opClose
	opPass
	opHessian
	opDirections
	opMix
	opRebuild
	opRebuildActive
	opShrink
	opWake
	opLook
	opRouse
	opAfresh
	opDeviations
	opAlong
	opAdvance
	opScale
	opState
	opPrepare
	opResume
	opBatch // of rows to predict, see Announce
	opAt
	opMoveGates
	opPrepareProblem // of a path
	opConfirm
	opTraining // with a team of its own
)

// Figures is what the training took of a rank.
type Figures struct {
	Rows    int   // the largest number of rows whose gradients it has had
	PeakRSS int64 // largest resident memory of its process, in bytes
	Sent    int64 // bytes of the frames that it has sent
}

// exchange is the frames between rank 0 and the others, which it counts. Rank 0 asks for operations, and the others
// listen.
type exchange struct {
	cluster.Collective
	broken bool    // an operation has not come to its end, and others may wait in it
	own    Figures // of this rank
}

// leads reports whether this is rank 0.
func (x *exchange) leads() bool { return x.Rank() == 0 }

// ask sends an operation with its arguments from rank 0 to the other ranks.
func (x *exchange) ask(op operation, arguments func(w *writer)) error {
	w := &writer{}
	w.number(int(op))
	if arguments != nil {
		arguments(w)
	}
	_, err := x.Broadcast(w.frame)
	return err
}

// begin is ask for an operation in which the ranks exchange results. Until end is called for it without an error,
// other ranks may be in its midst.
func (x *exchange) begin(op operation, arguments func(w *writer)) error {
	x.broken = true
	return x.ask(op, arguments)
}

// end notes whether the operation that began last is done on this rank, and returns err.
func (x *exchange) end(err error) error {
	x.broken = err != nil
	return err
}

// listen waits, on the other ranks, for the next operation, and returns the rest of its frame. Once rank 0 has ended the
// training, the error is ErrServed.
func (x *exchange) listen() (operation, *reader, error) {
	frame, err := x.Broadcast(nil)
	if err != nil {
		return 0, nil, err
	}
	r := &reader{frame: frame}
	op := operation(r.number())
	if op == opEnd && r.err == nil {
		_, err = x.report()
		return op, r, cmp.Or(err, ErrServed)
	}
	return op, r, nil
}

// Broadcast counts what it sends, as Gather and Scatter do.
func (x *exchange) Broadcast(frame []byte) ([]byte, error) {
	if x.leads() {
		x.own.Sent += int64(x.Size()-1) * int64(len(frame))
	}
	return x.Collective.Broadcast(frame)
}

func (x *exchange) Gather(frame []byte) ([][]byte, error) {
	if !x.leads() {
		x.own.Sent += int64(len(frame))
	}
	return x.Collective.Gather(frame)
}

func (x *exchange) Scatter(frames [][]byte) ([]byte, error) {
	for r := 1; r < len(frames) && x.leads(); r++ {
		x.own.Sent += int64(len(frames[r]))
	}
	return x.Collective.Scatter(frames)
}

// report brings the figures of all ranks to rank 0.
func (x *exchange) report() (ranks []Figures, err error) {
	x.own.PeakRSS = host.PeakRSS()
	w := &writer{}
	w.number(x.own.Rows)
	w.number(int(x.own.PeakRSS))
	w.number(int(x.own.Sent))
	frames, err := x.Gather(w.frame)
	for _, frame := range frames {
		r := &reader{frame: frame}
		ranks = append(ranks, Figures{r.number(), int64(r.number()), int64(r.number())})
	}
	return ranks, err
}
