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
	"errors"
	"sync/atomic"

	"bigmkl/internal/cluster"
)

// ErrServed is what a training returns on a rank that has served to its end: the model is rank 0's.
var ErrServed = errors.New("the training was led by rank 0")

// Team is the ranks of one training as one of them sees it. It is used once. A nil Team is one
// process that is alone.
type Team struct {
	*exchange
	joined bool
	begun  atomic.Bool // all ranks have joined and agree
	ended  bool
	next   int       // the number of the next gradients
	ranks  []Figures // what each rank has taken, on rank 0 after the end
}

// Figures returns the figures of all ranks, on rank 0 once End has returned nil. One process
// alone has none.
func (t *Team) Figures() []Figures {
	if t == nil {
		return nil
	}
	return t.ranks
}

// NewTeam returns the team of a rank.
func NewTeam(c cluster.Collective) *Team { return &Team{exchange: &exchange{Collective: c}} }

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
		err = judge(frames, err)
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
		e := t.ask(opEnd, nil)
		if e == nil {
			t.ranks, e = t.report()
		}
		if err == nil {
			err = e
		}
	}
	return err
}
