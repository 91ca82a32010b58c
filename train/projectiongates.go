package train

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl/gating"
	"bigmkl/internal/fail"
	"bigmkl/projection"
)

// Gates that several machines share, or that stand beside projections (Gönen 2010, Algorithm 4.2), move
// in the descent of the projections: its point is (W_1, .., W_P, V), and every trial is a training with
// the gates of V as they are. The optimum of several machines is the sum of theirs, and so is its
// slope. With a decay the descent minimises J(W, V) + decay/2 |V|^2.

// sharedGates are the gates of a descent beside its projections. nil stands for none.
type sharedGates struct {
	*gates             // as a trial has them, but for its parameters
	starts [][]float64 // parameters of each start
}

// openGates finds what the starts and the bounds of the gates are.
func (p *projecting) openGates(ctx context.Context) error {
	if !p.options.Gating.Learned() {
		return nil
	}
	matrices, ok := p.bank.Make(p.d, p.bank.Start(p.d, p.options.Seed, 0))
	if !ok {
		return fail.New(fail.Input, "a projection has no start")
	}
	src, specs, err := p.trialRows(matrices)
	if err != nil {
		return err
	}
	w, err := Open(p.trialOptions(specs, p.options.Solver.Gap))
	if err != nil {
		return err
	}
	// The rows take as much of the disk as a trial does, which begins once they are gone.
	defer w.Close()
	if err := w.Read(ctx, src); err != nil {
		return err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return err
	}
	p.gates = &sharedGates{gates: w.gates}
	starts := p.options.Gating.Starts
	if p.options.Gating.Kind == gating.KindGauss {
		starts += mostRestarts
	}
	for number := range starts {
		v, err := w.gates.start(ctx, w, number)
		if err != nil {
			return err
		}
		p.gates.starts = append(p.gates.starts, v)
	}
	w.gates.table = nil
	return nil
}

// count returns the number of parameters. It is 0 for nil.
func (g *sharedGates) count() int {
	if g == nil {
		return 0
	}
	return len(g.learned.Parameters)
}

// startPoint returns the point of a start.
func (p *projecting) startPoint(number int) []float64 {
	a := p.bank.Start(p.d, p.options.Seed, number)
	if p.gates != nil {
		a = append(a, p.gates.starts[number]...)
	}
	return a
}

// split returns the matrices and the parameters of the gates of a point. It is false where the columns
// of a matrix are not independent.
func (p *projecting) split(point []float64) (projection.Matrices, []float64, bool) {
	at := len(point) - p.gates.count()
	matrices, ok := p.bank.Make(p.d, point[:at])
	return matrices, point[at:], ok
}

// bounds returns those of a point, nil if there are none.
func (p *projecting) bounds() (lower, upper []float64) {
	if p.gates == nil {
		return nil, nil
	}
	g := p.gates
	lower, upper = g.learned.Bounds()
	if lower == nil {
		return nil, nil
	}
	free := len(p.bank.Start(p.d, 0, 0))
	low, high := make([]float64, free), make([]float64, free)
	for k := range free {
		low[k], high[k] = -math.MaxFloat64, math.MaxFloat64
	}
	return append(low, lower...), append(high, upper...)
}

// held says which variables of a point the descent in hand holds, nil if none.
func (p *projecting) held() []bool {
	if !p.state.Held {
		return nil
	}
	return append(make([]bool, len(p.bank.Start(p.d, 0, 0))), p.gates.learned.Spreads()...)
}

// penalty returns what the weights of the gates of a trial add to the objective, and adds its slope to
// slope unless that is nil.
func (p *projecting) penalty(v, slope []float64) float64 {
	factor := p.decay()
	if factor == 0 || p.gates == nil {
		return 0
	}
	l := *p.gates.learned
	l.Parameters = v
	return factor * l.Decay(factor, slope)
}

// decay returns the factor of the squares of the weights.
func (p *projecting) decay() float64 { return p.options.Gating.Decay * p.state.First }

// gatesOfRow returns a function that writes the gates of a row of the trials to eta, one for each kernel,
// those of the parameters of a trial. Without gates they are 1.
func (p *projecting) gatesOfRow(t *trial) func(row []float64, eta []float64) {
	if p.gates == nil {
		return func(_, eta []float64) {
			for k := range eta {
				eta[k] = 1
			}
		}
	}
	g := p.gates
	l := *g.learned
	l.Parameters, l.Floor = t.parameters, 0
	if t.closing {
		l.Floor = p.options.Gating.Floor
	}
	x, z, all := make([]float32, 0), make([]float64, g.features.Len()), make([]float64, l.Gates())
	return func(row, eta []float64) {
		x = x[:0]
		for _, v := range row {
			x = append(x, float32(v))
		}
		g.features.Standardise(x, z)
		l.Values(z, all)
		l.Closed(all)
		for k := range eta {
			eta[k] = all[g.of[k]]
		}
	}
}

// describeGates completes what the model of a trial says of its gates.
func (p *projecting) describeGates(t *trial) {
	g := t.model.Gates()
	g.Decay, g.Steps, g.Trials = p.decay(), p.state.Steps, max(p.state.Trials, p.state.Steps)
	g.Stationarity = t.ofGates
	t.model.SetGates(g)
}

// gateOn returns the features that gates of the trials look at: those of the data, which come before the
// projected ones. What says it in another way than by numbers is of class fail.Usage.
func (p *projecting) gateOn() (string, error) {
	on := p.options.Gating.On
	switch {
	case len(p.bank.Forms) == 0:
		return on, nil
	case on == "" && p.d == 1:
		return "1", nil
	case on == "":
		return fmt.Sprintf("1-%d", p.d), nil
	}
	for _, number := range strings.FieldsFunc(on, func(c rune) bool { return c == '+' || c == '-' }) {
		if j, err := strconv.Atoi(number); err != nil || j > p.d {
			return "", fail.New(fail.Usage, "gates on %s beside a projection, of rows of %d features",
				fail.Quote(on), p.d).WithHint("numbers of features, as in --gate-on 1-76")
		}
	}
	return on, nil
}
