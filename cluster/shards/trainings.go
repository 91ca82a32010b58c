package shards

import (
	"cmp"

	"bigmkl/internal/fail"
)

// A run may consist of many trainings, as trials of a descent. Each has a team of its own over the same
// exchange, which begins and ends as that of any training does. Between them the other ranks wait for the next.

// BeginTraining tells the other ranks, on rank 0, of a training, by numbers that they know to read, and returns its
// team. One process alone is its own team.
func (t *Team) BeginTraining(numbers []float64) (*Team, error) {
	if t.Alone() {
		return t, nil
	}
	w := &writer{}
	w.number(int(opTraining))
	w.reals(numbers)
	_, err := t.Broadcast(w.frame)
	t.broken = err != nil
	return NewTeam(t.Collective), err
}

// AwaitTraining waits, on the other ranks, for the next training, and returns its team and its numbers. Once rank 0
// has ended the run, the error is ErrServed.
func (t *Team) AwaitTraining() (*Team, []float64, error) {
	frame, err := t.Broadcast(nil)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{frame: frame}
	switch op := operation(r.number()); {
	case op == opEnd && r.err == nil:
		return nil, nil, cmp.Or(t.report(), ErrServed)
	case op != opTraining:
		return nil, nil, fail.New(fail.Corrupt, "rank 0 asks for operation %d between trainings", op)
	}
	numbers := r.reals()
	return NewTeam(t.Collective), numbers, r.err
}

// Absorb adds what a training of the run has taken of this rank. Where that has left ranks in the midst of an operation the
// exchange of the run is broken, too.
func (t *Team) Absorb(training *Team) {
	if t.Alone() {
		return
	}
	t.own.Rows = max(t.own.Rows, training.own.Rows)
	t.own.Sent += training.own.Sent
	t.broken = t.broken || training.broken
}
