package shards

import (
	"context"
	"math"
)

// announcer announces operations on the gradients of one number to the other ranks, if there are any. Dual variables
// are sent only where they have changed.
type announcer struct {
	team   *Team // nil: none
	number int
	alpha  []float64 // the dual variables that the other ranks have
}

// begin announces an operation to the other ranks, unless ctx has ended. An operation that has
// begun is not cut: the context that it returns belongs to the operation.
func (a *announcer) begin(ctx context.Context, op operation, arguments func(w *writer)) (
	context.Context, error) {
	if a.team.Alone() {
		return ctx, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return context.WithoutCancel(ctx), a.tell(op, arguments)
}

// tell is begin without a context.
func (a *announcer) tell(op operation, arguments func(w *writer)) error {
	if a.team.Alone() {
		return nil
	}
	return a.team.begin(op, func(w *writer) {
		w.number(a.number)
		if arguments != nil {
			arguments(w)
		}
	})
}

// told notes whether the operation that the ranks were told of is done. One that has failed, or was
// left by a panic, leaves other ranks in its midst.
func (a *announcer) told(err error) error {
	if a.team.Alone() {
		return err
	}
	return a.team.end(err)
}

// variables writes the dual variables: those that are others than the ranks know.
func (a *announcer) variables(w *writer, alpha []float64) {
	var places []int32
	var values []float64
	for i, x := range alpha {
		if math.Float64bits(x) != math.Float64bits(a.alpha[i]) {
			places, values = append(places, int32(i)), append(values, x)
			a.alpha[i] = x
		}
	}
	w.integers(places)
	w.reals(values)
}

// MoveGates announces to the other ranks the gates that move, as Run.MoveGates has them, and moves the gates
// of rank 0 by own.
func MoveGates(ctx context.Context, t *Team, rows []int32, parameters []float64, closing bool,
	own func(ctx context.Context) error) error {
	a := &announcer{team: t}
	ctx, err := a.begin(ctx, opMoveGates, func(w *writer) {
		w.integers(rows)
		w.reals(parameters)
		w.flag(closing)
	})
	if err != nil {
		return err
	}
	return a.told(own(ctx))
}

// PrepareProblem announces to the other ranks a problem of a path for which kernels have to be normalised
// again, as Run.PrepareProblem has it, and prepares rank 0 by own.
func PrepareProblem(ctx context.Context, t *Team, problem int, own func(ctx context.Context) error) error {
	a := &announcer{team: t, number: problem}
	ctx, err := a.begin(ctx, opPrepareProblem, nil)
	if err != nil {
		return err
	}
	return a.told(own(ctx))
}
