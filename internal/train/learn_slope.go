package train

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/internal/cluster/shards"
)

// The slope of what gates minimise, and what is said of gates that have been learned. With
// q_m(i) = theta_m alpha_i g_m(x_i) and the gradients g_m = eta_m u_m in hand, the derivative of D by
// the gate eta_m(x_i), times the gate, is -q_m(i): nothing else of the kernels enters.

// penalty returns what the weights of the gates in hand add to the objective, and adds its slope to
// slope unless that is nil.
func (l *learning) penalty(slope []float64) float64 {
	factor := l.course.decay()
	if factor == 0 {
		return 0
	}
	return factor * l.gates.learned.Decay(factor, slope)
}

// supportPoint is a point that has dual variables other than 0, with their numbers.
type supportPoint struct {
	point     int
	variables []int
}

// supportOf lists those of n points that have dual variables other than 0. alpha has a variable of each
// point, or columns of them.
func supportOf(alpha []float64, n int) (list []supportPoint) {
	for point := range n {
		var variables []int
		for i := point; i < len(alpha); i += n {
			if alpha[i] != 0 {
				variables = append(variables, i)
			}
		}
		if variables != nil {
			list = append(list, supportPoint{point, variables})
		}
	}
	return list
}

// heldNumbers bounds how many numbers of gradients are asked for at a time.
const heldNumbers = 1 << 19

// addSlope adds the slope of J at a solution, whose gradients are in hand. Gates count as they are before any
// is closed.
func (l *learning) addSlope(ctx context.Context, s *chunking.Solution, slope []float64) error {
	g, kernels := l.gates, l.Kernels.Len()
	x, z := make([]float32, g.seen.Dim()), make([]float64, g.features.Len())
	eta, changes := make([]float64, g.learned.Gates()), make([]float64, g.learned.Gates())
	var held []float64
	for part := range slices.Chunk(supportOf(s.Alpha, g.points().Len()), max(1, heldNumbers/kernels)) {
		var variables []int
		for _, p := range part {
			variables = append(variables, p.variables...)
		}
		if size := len(variables) * kernels; len(held) < size {
			held = make([]float64, size)
		}
		if err := l.grad.At(ctx, variables, held[:len(variables)*kernels]); err != nil {
			return err
		}
		next := held
		for _, p := range part {
			clear(changes)
			for _, i := range p.variables {
				for m, x := range next[:kernels] {
					changes[g.of[m]] -= s.Theta[m] * s.Alpha[i] * x
				}
				next = next[kernels:]
			}
			g.seen.Row(g.row(p.point), x)
			g.features.Standardise(x, z)
			g.learned.Values(z, eta)
			g.learned.AddSlope(z, eta, changes, slope)
		}
	}
	return nil
}

// moveGates gives the gates of all ranks other parameters.
func (l *learning) moveGates(ctx context.Context) error {
	return l.classifierTrainer.moveGates(ctx, l.gates, l.course.descent.Trial, l.course.Final)
}

// moveGates gives gates of all ranks the parameters.
func (t *classifierTrainer) moveGates(ctx context.Context, g *gates, parameters []float64, closing bool) error {
	return shards.MoveGates(ctx, t.Options.Team, g.rows, parameters, closing, func(ctx context.Context) error {
		return g.move(ctx, t.Options.Budget.Threads, parameters, closing)
	})
}

// solveGiven solves a classifier whose gates are given, and adds the slope of its optimum by them to
// that of the classifiers before.
func (t *classifierTrainer) solveGiven(ctx context.Context, g *gradients, p problem) (*solved, error) {
	if err := t.moveGates(ctx, t.gates, t.Options.given, t.Options.closing); err != nil {
		return nil, err
	}
	s, err := t.solve(ctx, t.hard, g, p)
	if err != nil {
		return nil, err
	}
	if t.result.gateSlope == nil {
		t.result.gateSlope = make([]float64, len(t.Options.given))
	}
	return s, newLearning(t, g, p, t.gates).addSlope(context.WithoutCancel(t.hard), &s.solution, t.result.gateSlope)
}

// measure records how far the gates are from a stationary point. No context cuts it: the run may have been
// cut already, and its model is to have this figure.
func (l *learning) measure(solver *chunking.Solver) error {
	s, slope := solver.Solution(), make([]float64, len(l.course.descent.Trial))
	l.penalty(slope)
	if err := l.addSlope(context.WithoutCancel(l.during), &s, slope); err != nil {
		return err
	}
	l.gates.learned.Free(slope)
	l.sized = true
	if size := math.Abs(s.Certificate.Dual); size > 0 {
		l.stationarity = length(slope) / size
	}
	return nil
}
