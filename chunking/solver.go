package chunking

import "math"

// Certificate is the duality gap of one (alpha, theta, b), with what goes with it.
type Certificate struct {
	Primal, Dual, RelativeGap float64
	Bias                      float64
	// Rounding is the part of Primal that rounding may have added to the gap, of a result that was
	// not accepted: without it, Primal and Dual are the values that were computed.
	Rounding float64

	smooth    float64 // relative gap of the smoothed problem
	level     float64 // the bias at the theta in use, which scale may differ from
	violation float64 // largest violation of the optimality conditions by a pair of points
	scale     float64 // theta is reported divided by this
	linear    float64 // lin(alpha)
	energy    float64 // sum_m theta_m V_m
}

// NewCertificate gives the certificate of a primal and a dual value, without a bias.
func NewCertificate(primal, dual float64) Certificate {
	return Certificate{Primal: primal, Dual: dual, RelativeGap: relative(primal, dual)}
}

// relative is |P - D| / max(|P|, |D|), with 0/0 = 0. A dual value above the primal one is rounding,
// and as large as that.
func relative(primal, dual float64) float64 {
	if primal == dual {
		return 0
	}
	return math.Abs(primal-dual) / max(math.Abs(primal), math.Abs(dual))
}

// Gap is P - D. Progress is told by it: while the dual value is far off, the relative gap hardly
// falls.
func (c *Certificate) Gap() float64 { return c.RelativeGap * c.size() }

// size is what the relative gap is relative to.
func (c *Certificate) size() float64 { return max(math.Abs(c.Primal), math.Abs(c.Dual)) }

// Solver holds the state of one problem. Between steps alpha, theta, the combined gradient, V and
// the certificate belong together; every function that changes one of them ends by renewing the
// others.
type Solver struct {
	selection // with the dual variables
	weights
	*workingModel
	schedule

	grad    Gradient
	gap     float64 // relative gap to reach
	tuning  Tuning
	kernels int   // without the identity of a Joint loss, which is behind them
	joint   Joint // the loss, if it is one

	combined []float64 // ghat = sum_m theta_m g_m
	// delta is the change on the working set while its pass has not ended; nil means that no pass
	// is under way.
	delta      []float64
	iterations int
	rebuilt    int // iteration at which the gradients were computed again
	// largest is the largest sum_m theta_m V_m since then. See fallen.
	largest    float64
	double     bool // the gradients are in double precision
	noisy      bool // the last step's prediction of V was off
	stuck      int  // steps in a row that moved nothing
	asleep     int  // times shrunk since all points were active
	mistaken   int  // times that points had to wake because they held up the gap
	awakeUntil int  // iteration before which shrinking rests
	looked     int  // iteration at which the combined gradient of sleeping points became known
	// ratio is the least gap of alpha, divided by the largest violation, since the first of the
	// sleeping points fell asleep; 0 before it is known. See stale.
	ratio float64
	cert  Certificate

	// shift is by how much rounding of the combined gradient has moved the best bias, as drift
	// measured it last.
	shift float64
	// doubt is what rounding may add to the primal value of a result whose gap was not accepted.
	doubt float64

	rank       []float64 // of the quadratic model: how the weights answer to a step
	b, c, line []float64 // of the line search: V_m(t) = V_m + 2 t b_m + t^2 c_m, and that V

	uncancelled float64 // sum of |alpha_i| (H_ii)^(1/2) over the last working set

	columns int // of dual variables with points in common; 0 where every variable is a point

	expansion *expansion // of the next step's model; nil where that is expanded at the state in hand

	levels []float64 // biases of the classes at the weights in hand, of a loss of Contrasts

	overall *overallStep // takes the place of working sets; nil if there are working sets
}

// workingModel is the quadratic model of the dual on the working set. Nothing of it is left from one
// step to the next but memory.
type workingModel struct {
	inner         subproblem
	hessian       []float64 // q x q, row-major
	mixed, formed []float64 // scratch of a coupling
}

// Memory holds quadratic models, which several solvers may share. The zero value can be used.
// While one of them takes a step no other may.
type Memory struct{ model workingModel }

// Lend makes a solver use the memory from its next step on.
func (m *Memory) Lend(s *Solver) { s.workingModel = &m.model }

// schedule is what the solver notes of weights that move in other ways than with every step.
type schedule struct {
	moves int       // times that a Mover has moved its weights
	held  float64   // least gap at the weights that are held now
	bold  int       // steps left for a norm as sharp as the norm of another problem, see Follow
	foot  NormState // where the norm goes back to if they are not enough
}

// overallStep is what a solver with a Stepper has in place of a working set.
type overallStep struct {
	stepper Stepper
	grad    Far
	all     []int     // every point
	d       []float64 // direction and step
}

// Double reports whether the solver works in double precision.
func (s *Solver) Double() bool { return s.double }

// Certificate gives the certificate of the state in hand. That of a Solution may differ from it by
// what rounding is found to do at the end.
func (s *Solver) Certificate() Certificate { return s.cert }

// Linear gives lin(alpha).
func (s *Solver) Linear() float64 { return s.loss.Linear(s.alpha) }

// Energies gives V_m = alpha'K_m alpha of every kernel. A negative value means an indefinite kernel
// or rounding. The slice is the solver's own.
func (s *Solver) Energies() []float64 { return s.V[:s.kernels] }

// Excludes reports whether the norm gives kernel m no part at the V in hand.
func (s *Solver) Excludes(m int) bool { return excludes(s.norm, m, s.V[m]) }

// Refine sets the relative gap that the solver is to reach.
func (s *Solver) Refine(gap float64) { s.gap = gap }
