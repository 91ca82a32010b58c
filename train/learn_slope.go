package train

import (
	"context"
	"math"

	"bigmkl/chunking"
	"bigmkl/gating"
	"bigmkl/model"
)

// The slope of what gates minimise, and what is said of gates that have been learned. With
// q_m(i) = theta_m alpha_i g_m(x_i) and the gradients g_m = eta_m u_m in hand, the derivative of D by
// the gate eta_m(x_i), times the gate, is -q_m(i): nothing else of the kernels enters.

// penalty returns what the weights of the gates in hand add to the objective, and adds its slope to
// slope unless that is nil.
func (l *learning) penalty(slope []float64) float64 {
	factor := l.decay()
	if factor == 0 {
		return 0
	}
	return factor * l.gates.learned.Decay(factor, slope)
}

// decay returns the factor of the squares of the weights.
func (l *learning) decay() float64 { return l.Options.Gating.Decay * l.state.First }

// addSlope adds the slope of J at a solution, whose gradients are in hand.
func (l *learning) addSlope(s *chunking.Solution, slope []float64) {
	held := make([]float64, l.Kernels.Len())
	changes := make([]float64, l.gates.learned.Gates())
	l.gates.eachPoint(l.Workspace, s.Alpha, func(variables []int, z, eta []float64) {
		clear(changes)
		for _, i := range variables {
			l.grad.At(i, held)
			for m, x := range held {
				changes[l.gates.of[m]] -= s.Theta[m] * s.Alpha[i] * x
			}
		}
		l.gates.learned.AddSlope(z, eta, changes, slope)
	})
}

// solveGiven solves a machine whose gates are given, and adds the slope of its optimum by them to that
// of the machines before.
func (t *machineTrainer) solveGiven(ctx context.Context, g *gradients, p problem) (*solved, error) {
	if err := t.gates.move(ctx, t.Workspace, t.Options.given, t.Options.closing); err != nil {
		return nil, err
	}
	s, err := t.solve(ctx, t.hard, g, p)
	if err != nil {
		return nil, err
	}
	if t.result.gateSlope == nil {
		t.result.gateSlope = make([]float64, len(t.Options.given))
	}
	l := &learning{machineTrainer: t, grad: g, problem: p, gates: t.gates}
	l.addSlope(&s.solution, t.result.gateSlope)
	return s, nil
}

// measure records how far the gates are from a stationary point.
func (l *learning) measure(solver *chunking.Solver) {
	s, slope := solver.Solution(), make([]float64, len(l.descent.Trial))
	l.penalty(slope)
	l.addSlope(&s, slope)
	sum := 0.0
	for _, x := range slope {
		sum += x * x
	}
	l.sized = true
	if size := math.Abs(s.Certificate.Dual); size > 0 {
		l.state.Stationarity = math.Sqrt(sum) / size
	}
}

// mostOfOneGate is the mean of a gate from which on the others hardly have a part.
const mostOfOneGate = 0.99

// warnOneGate warns of gates of one class that leave all rows to one of them. One class maximises
// -1/2 ||v||^2, which has no loss to weigh against it: J is least where the kernel of the largest
// values has all of the weight that gates share, and the description of the rows is that kernel's.
func (l *learning) warnOneGate() {
	g := l.gates
	if l.Options.Problem.Task != model.TaskOneClass || g.learned.Form == gating.Sigmoid ||
		g.learned.Gates() == 1 {
		return
	}
	n, means := l.Store.Len(), make([]float64, g.learned.Gates())
	for i := range n {
		for m, x := range g.table.Row(i) {
			means[m] += x / float64(n)
		}
	}
	for m, x := range means {
		if x >= mostOfOneGate {
			l.warn("gate %d has %.1f %% of the weight of all rows: one class draws gates to the kernel "+
				"of the largest values", m+1, 100*x)
		}
	}
}
