package chunking

import "context"

// What the tests of package chunking_test see of the inside of a solver. They stand outside the
// package because the norms and losses that they use import it.

const (
	Chances     = chances
	SmallestSet = smallestSet
	TrustValues = trustValues
)

var Lowered = lowered

func (s *Solver) Loss() Loss            { return s.loss }
func (s *Solver) Norm() Norm            { return s.norm }
func (s *Solver) Alpha() []float64      { return s.alpha }
func (s *Solver) Theta() []float64      { return s.theta }
func (s *Solver) Combined() []float64   { return s.combined }
func (s *Solver) Set() []int            { return s.set }
func (s *Solver) SetActive(a []int)     { s.active = a }
func (s *Solver) SetSet(set []int)      { s.set = set }
func (s *Solver) Mistaken() int         { return s.mistaken }
func (s *Solver) Spread(size int) []int { return s.spread(size) }
func (s *Solver) Certify()              { s.certify() }
func (s *Solver) AssertState()          { s.assertState() }

// Resumable reports whether a driver resumes with these dual variables, as far as they are concerned.
func (s *Solver) Resumable(alpha []float64) bool { return s.feasible(alpha, s.wayOf()) }

func (s *Solver) AssertSet(set []int, size int) { s.assertSet(set, size) }

func (s *Solver) AssertAscent(delta, before []float64) { s.assertAscent(delta, before) }

func (s *Solver) CommonFactor(last *Solver, same bool) float64 {
	return s.commonFactor(&last.iterate, same)
}

func (s *Solver) Drift(ctx context.Context, c Checker, values int, most float64) (float64, error) {
	return rounding{&s.evaluation}.drift(ctx, c, values, most)
}

// Model gives the quadratic model of the dual on a set of points.
func (s *Solver) Model(ctx context.Context, set []int) ([]float64, error) {
	s.set = set
	h, err := setStep{&s.evaluation, s.workingModel, s.line, s.rank}.model(ctx, nil)
	if err != nil {
		return nil, err
	}
	for k := range set {
		h.row(k)
	}
	return h.at, nil
}

// Scale is what theta was divided by.
func (c *Certificate) Scale() float64 { return c.scale }

// ExpandAt gives the weights of an expansion, the V that they belong to, and the weights of its ascent.
func (s *Solver) ExpandAt(before []float64) (theta, V, ascent []float64) {
	x := expandAt(s.norm, s.V, before)
	if x == nil {
		return nil, nil, nil
	}
	for m, c := range x.change {
		ascent = append(ascent, before[m]+c)
	}
	return x.theta, x.V, ascent
}
