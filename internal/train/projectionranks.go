package train

import (
	"context"
	"errors"

	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/fail"
)

// Several processes may train projections, or gates that several classifiers share. Rank 0 has the descent. It sends
// the others the point of each trial, and all train that trial together as any training, with a team of its own: each
// projects the rows for itself.

// trialKind is the kind of training of a trial.
type trialKind int

const (
	trialAtPoint     trialKind = iota // of the descent
	trialOfInner                      // the kernel of the only projection on the rows as they are
	trialOfDirection                  // that projection with one column
)

// trialCall is a trial as ranks are told of it.
type trialCall struct {
	kind    trialKind
	gap     float64
	ridge   float64
	closing bool // gates below the floor are closed
	point   []float64
}

// numbers returns the call as a list.
func (c *trialCall) numbers() []float64 {
	closing := 0.0
	if c.closing {
		closing = 1
	}
	return append([]float64{float64(c.kind), c.gap, c.ridge, closing}, c.point...)
}

// readTrialCall returns the call of a list.
func readTrialCall(list []float64) (*trialCall, error) {
	if len(list) < 4 {
		return nil, fail.New(fail.Corrupt, "rank 0 asks for a trial by %d numbers", len(list))
	}
	return &trialCall{kind: trialKind(list[0]), gap: list[1], ridge: list[2], closing: list[3] != 0, point: list[4:]}, nil
}

// serve does what a rank other than 0 has to do for the trials until rank 0 has ended. It returns shards.ErrServed then.
func (t *trialTrainer) serve(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for {
		team, list, err := t.options.Team.AwaitTraining()
		if err != nil {
			return err
		}
		c, err := readTrialCall(list)
		if err != nil {
			return err
		}
		if c.kind == trialOfDirection {
			t.space.narrowToDirection()
		}
		src, o, _, err := t.of(c)
		if err == nil {
			o.Team, o.Limits = team, Limits{} // Rank 0 ends the trial.
			_, _, err = runRank(ctx, src, o)
		}
		err = team.End(err)
		t.options.Team.Absorb(team)
		if !errors.Is(err, shards.ErrServed) {
			return err
		}
	}
}
