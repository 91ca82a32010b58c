package train

import (
	"context"
	"errors"

	"bigmkl/cluster/shards"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/projection"
)

// Several processes may train projections, or gates that several machines share. Rank 0 has the descent. It tells the
// others the point of each trial, and all train that trial together as any training, with a team of its own: each projects the
// rows for itself.

// trialKind says what is trained.
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

// trialOf returns the rows, the options and the point of a trial.
func (p *projecting) trialOf(c *trialCall) (dataset.Source, Options, *trial, error) {
	if c.kind == trialOfInner {
		return p.source(), p.trialOptions(p.bank.Forms[0].Inner, c.gap), &trial{}, nil
	}
	matrices, parameters, ok := p.split(c.point)
	if !ok {
		return nil, Options{}, nil, errDependent
	}
	src, specs, err := p.trialRows(matrices)
	if err != nil {
		return nil, Options{}, nil, err
	}
	o := p.trialOptions(specs, c.gap)
	o.ridge = c.ridge
	if p.gates != nil {
		o.given, o.closing = append([]float64(nil), parameters...), c.closing
	}
	return src, o, &trial{matrices: matrices, parameters: o.given, closing: o.closing}, nil
}

// narrowToDirection makes the only projection one of one column.
func (p *projecting) narrowToDirection() {
	one := *p.bank.Forms[0]
	one.Columns = 1
	p.bank = &projection.Bank{Forms: []*projection.Form{&one}}
}

// serve does what a rank other than 0 has to do for the trials until rank 0 has ended. It returns shards.ErrServed then.
func (p *projecting) serve(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for {
		team, list, err := p.options.Team.AwaitTraining()
		if err != nil {
			return err
		}
		c, err := readTrialCall(list)
		if err != nil {
			return err
		}
		if c.kind == trialOfDirection {
			p.narrowToDirection()
		}
		src, o, _, err := p.trialOf(c)
		if err == nil {
			o.Team, o.Limits = team, Limits{} // Rank 0 ends the trial.
			_, _, err = runRank(ctx, src, o)
		}
		err = team.End(err)
		p.options.Team.Absorb(team)
		if !errors.Is(err, shards.ErrServed) {
			return err
		}
	}
}
