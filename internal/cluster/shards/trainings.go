package shards

import "bigmkl/internal/fail"

// A run may consist of many trainings, as trials of a descent. Each has a team of its own over the same
// exchange, which begins and ends as the team of any training does. Between them the other ranks wait for the
// next.

// BeginTraining announces a training from rank 0 to the other ranks, by numbers that they can read, and returns its
// team. One process alone is its own team.
func (t *Team) BeginTraining(numbers []float64) (*Team, error) {
	if t.Alone() {
		return t, nil
	}
	err := t.end(t.begin(opTraining, func(w *writer) { w.reals(numbers) }))
	return NewTeam(t.Collective), err
}

// AwaitTraining waits, on the other ranks, for the next training, and returns its team and its numbers. Once rank 0
// has ended the run, the error is ErrServed.
func (t *Team) AwaitTraining() (*Team, []float64, error) {
	op, r, err := t.listen()
	if err != nil {
		return nil, nil, err
	}
	if op != opTraining {
		return nil, nil, fail.New(fail.Corrupt, "rank 0 asks for operation %d between trainings", op)
	}
	numbers := r.reals()
	return NewTeam(t.Collective), numbers, r.err
}

// Absorb adds the time and memory that a training of the run has taken of this rank. Where that has left ranks within an
// operation the exchange of the run is broken, too.
func (t *Team) Absorb(training *Team) {
	if t.Alone() {
		return
	}
	t.own.Rows = max(t.own.Rows, training.own.Rows)
	t.own.Sent += training.own.Sent
	t.broken = t.broken || training.broken
}

// Confirm returns the first error that a rank has about what its gradients refer to, on rank 0, once the ranks
// have joined. Before, each has its own.
func (t *Team) Confirm() error {
	if t.Alone() || !t.Leads() || !t.joined || t.ended || t.broken {
		return nil
	}
	if err := t.begin(opConfirm, func(w *writer) { w.number(0) }); err != nil { // 0: of no gradients
		return err
	}
	_, err := t.Collect(nil, nil)
	return err
}
