// Package shards lets several processes hold the gradients of one training, each a shard of the
// points with its part of every gradient, its kernel rows and its cache.
//
// Rank 0 has the solver. Its Gradient announces each operation with its arguments to all ranks,
// and every rank then calls the same method of its own gradient.Gradient, in which ranks send
// rank 0 what they have found (gradient/team.go). The other ranks do nothing but Serve.
//
// An iteration sends down the numbers of the working set, its change, the weights, and those dual
// variables that have moved; points have their features everywhere. Up come the sums of the units,
// 8 bytes for each unit and kernel, the combined gradient, 8 bytes for each active point, the
// gradients on the working set, 8 bytes for each point of it and kernel, and the columns of the
// quadratic model. While points fall asleep or wake, those that change their rank take 8 bytes for
// each kernel. The model has the bits of one process, for any number of ranks and threads.
//
// An operation that has begun is not cut: a context is looked at before it.
//
// Rows that are predicted or that a model is verified on come in batches, of which every rank computes a share (batches.go).
package shards

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"bigmkl/internal/cluster"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// ErrServed is what a training returns on a rank that has served to its end: the model is rank 0's.
var ErrServed = errors.New("the training was led by rank 0")

// Team is the ranks of one training as one of them sees it. It is used once. A nil Team is one
// process that is alone.
type Team struct {
	cluster.Collective
	joined bool
	begun  atomic.Bool // all ranks have joined and agree
	broken bool        // an operation has not come to its end, and others may wait in it
	ended  bool
	next   int // the number of the next gradients
	// own is what this rank has taken, and ranks what each has, on rank 0 after the end.
	own   Figures
	ranks []Figures
}

// Figures is what the training took of a rank.
type Figures struct {
	Rows    int   // the largest number of rows whose gradients it has had
	PeakRSS int64 // largest resident memory of its process, in bytes
	Sent    int64 // bytes of the frames that it has sent
}

// Figures returns the figures of all ranks, on rank 0 once End has returned nil. One process
// alone has none.
func (t *Team) Figures() []Figures {
	if t == nil {
		return nil
	}
	return t.ranks
}

// Broadcast counts what it sends, as Gather and Scatter do.
func (t *Team) Broadcast(frame []byte) ([]byte, error) {
	if t.Leads() {
		t.own.Sent += int64(t.Size()-1) * int64(len(frame))
	}
	return t.Collective.Broadcast(frame)
}

func (t *Team) Gather(frame []byte) ([][]byte, error) {
	if !t.Leads() {
		t.own.Sent += int64(len(frame))
	}
	return t.Collective.Gather(frame)
}

func (t *Team) Scatter(frames [][]byte) ([]byte, error) {
	for r := 1; r < len(frames) && t.Leads(); r++ {
		t.own.Sent += int64(len(frames[r]))
	}
	return t.Collective.Scatter(frames)
}

// report brings the figures of all ranks to rank 0.
func (t *Team) report() error {
	t.own.PeakRSS = host.PeakRSS()
	w := &writer{}
	w.number(t.own.Rows)
	w.number(int(t.own.PeakRSS))
	w.number(int(t.own.Sent))
	frames, err := t.Gather(w.frame)
	for _, frame := range frames {
		r := &reader{frame: frame}
		t.ranks = append(t.ranks, Figures{r.number(), int64(r.number()), int64(r.number())})
	}
	return err
}

// NewTeam returns the team of a rank.
func NewTeam(c cluster.Collective) *Team { return &Team{Collective: c} }

// Alone reports whether there is no other rank.
func (t *Team) Alone() bool { return t == nil || t.Size() == 1 }

// Leads reports whether this is rank 0.
func (t *Team) Leads() bool { return t == nil || t.Rank() == 0 }

// Join compares the ranks before they begin: each sends the values that the bits of its run depend
// on, or the error that keeps it from beginning. A rank that has failed, or that would train
// another model than rank 0, ends all: rank 0 returns its own error, or states which rank is to
// blame. The others return ErrServed then.
func (t *Team) Join(identity string, err error) error {
	if t.Alone() || t.joined {
		return err
	}
	t.joined = true
	w := &writer{}
	w.flag(err == nil)
	w.text(identity)
	w.number(classOf(err))
	if err != nil {
		w.text(err.Error())
	} else {
		w.text("")
	}
	frames, e := t.Gather(w.frame)
	if e != nil {
		return e
	}
	verdict := &writer{}
	if t.Leads() {
		err = t.judge(frames, err)
		verdict.flag(err == nil)
	}
	frame, e := t.Broadcast(verdict.frame)
	switch {
	case e != nil:
		return e
	case t.Leads():
		t.ended = err != nil
		t.begun.Store(err == nil)
		return err
	case !(&reader{frame: frame}).flag():
		t.ended = true
		return ErrServed
	}
	t.begun.Store(true)
	return nil
}

// Begun reports whether all ranks have joined and agree, from where on rank 0 ends the others. It may be
// called by any goroutine.
func (t *Team) Begun() bool { return t != nil && t.begun.Load() }

// judge returns what keeps the ranks from beginning, or nil. frames are what they have said, and
// own is the error of this rank.
func (t *Team) judge(frames [][]byte, own error) error {
	if own != nil {
		return own
	}
	first := ""
	for rank, frame := range frames {
		r := &reader{frame: frame}
		ok, identity, class, text := r.flag(), r.text(), r.number(), r.text()
		switch {
		case r.err != nil:
			return r.err
		case !ok:
			return failed(class, rank, text)
		case rank == 0:
			first = identity
		case identity != first:
			return fail.New(fail.Version, "rank %d would train another model than rank 0: %s", rank,
				strings.Join(differences(first, identity), ", ")).
				WithHint("all ranks need the same data, options, program and instruction set")
		}
	}
	return nil
}

// differences lists the lines of one identity that the other has not.
func differences(first, other string) []string {
	has := map[string]bool{}
	for line := range strings.Lines(first) {
		has[line] = true
	}
	var list []string
	for line := range strings.Lines(other) {
		if !has[line] {
			list = append(list, fail.Quote(strings.TrimSpace(line)))
		}
	}
	return list
}

// End ends the training of all ranks, and returns err. It is called once by every rank, with what
// its training has come to, and does nothing more if it is called again.
func (t *Team) End(err error) error {
	if t.Alone() || t.ended {
		return err
	}
	if !t.joined {
		return t.Join("", err)
	}
	t.ended = true
	switch {
	case t.broken || !t.Leads() && !errors.Is(err, ErrServed):
		t.Abort(err)
	case t.Leads():
		w := &writer{}
		w.number(int(opEnd))
		_, e := t.Broadcast(w.frame)
		if e == nil {
			e = t.report()
		}
		if err == nil {
			err = e
		}
	}
	return err
}

// classes are the classes of errors, of which a frame has the number.
var classes = []error{fail.Usage, fail.Input, fail.Corrupt, fail.Version, fail.Budget, context.Canceled, context.DeadlineExceeded}

// classOf is the number of the class of an error, -1 for none.
func classOf(err error) int {
	return slices.IndexFunc(classes, func(class error) bool { return errors.Is(err, class) })
}

// failed is the error of another rank.
func failed(class, rank int, text string) error {
	if class < 0 || class >= len(classes) {
		return fmt.Errorf("rank %d: %s", rank, text)
	}
	switch c := classes[class]; {
	case c == context.Canceled && text == c.Error():
		return &Cut{rank, "interrupted", c}
	case c == context.DeadlineExceeded && text == c.Error():
		return &Cut{rank, "the time limit was reached", c}
	case c == context.Canceled || c == context.DeadlineExceeded:
		return &Cut{rank, text, c}
	}
	return fail.New(classes[class], "rank %d: %s", rank, text)
}

// Cut is the error of another rank that was interrupted or came to its time limit before all had joined.
type Cut struct {
	Rank  int
	Text  string // what that rank reports of it
	cause error
}

func (e *Cut) Error() string { return fmt.Sprintf("rank %d: %s", e.Rank, e.Text) }

// Unwrap returns context.Canceled or context.DeadlineExceeded.
func (e *Cut) Unwrap() error { return e.cause }
