package train

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mixture"
	"bigmkl/model"
	"bigmkl/predict"
)

// Tasks med and mixture solve the problems of package mixture on columns of gradients (package gradient), one
// for each component: the dual variables of a component belong to its column. Of the gradients of a column
// only the gradient of the component's kernel is read. Rows of kernels are computed once for all components.

// Mixture describes the mixtures of tasks med and mixture, and the search for them.
type Mixture struct {
	// Components has the kernels of the components of the positive and of the negative class, counted
	// from 1. Without any, every kernel is a component of both.
	Components [2][]int
	// Entropy is one of model.Entropies, or empty in task mixture.
	Entropy string
	// Restarts is the number of starts and Rounds the largest number of projections, or of steps of EM,
	// from each.
	Restarts, Rounds int
	// Observed has the own component of each row, counted from 1 within its class, and 0 where it is
	// hidden. If it is nil, all are hidden.
	Observed []float64
}

// ParseComponents reads the kernels of the components of both classes, such as 1,2/1,3. Faults are of
// class fail.Usage. An empty text has no components.
func ParseComponents(text string) (list [2][]int, err error) {
	if text == "" {
		return list, nil
	}
	sides := strings.Split(text, "/")
	if len(sides) != 2 {
		return list, fail.New(fail.Usage, "components %s of %d classes, not of two", fail.Quote(text), len(sides)).
			WithHint("such as 1,2/1,3: kernels of the positive class / the negative one")
	}
	for s, side := range sides {
		if side == "" {
			return list, fail.New(fail.Usage, "components %s: a class without any", fail.Quote(text))
		}
		for _, word := range strings.Split(side, ",") {
			k, err := strconv.Atoi(word)
			if err != nil || k < 1 || k > math.MaxInt32 {
				return list, fail.New(fail.Usage, "component %s is no number of a kernel from 1", fail.Quote(word))
			}
			list[s] = append(list[s], k)
		}
		if n := len(list[s]); n > model.MostComponents {
			return list, fail.New(fail.Usage, "%d components of a class, at most %d", n, model.MostComponents)
		}
	}
	return list, nil
}

// dropLimit is log M + log N of M and N components from which on, without the entropy of the other
// class, the problem has its optimum at w = 0.
const dropLimit = 4

// choose completes the components once the kernels are known, and refuses kernels that are not
// known at new rows.
func (x *Mixture) choose(k *kernels.Prepared, task string) error {
	count := k.Len()
	if x.Components[0] == nil {
		if count > model.MostComponents {
			return fail.New(fail.Usage, "%d kernels are components of each class, at most %d", count,
				model.MostComponents).WithHint("--components names some of them")
		}
		for i := range count {
			x.Components[0] = append(x.Components[0], i+1)
		}
		x.Components[1] = x.Components[0]
	}
	product := 1.0
	for _, side := range x.Components {
		product *= float64(len(side))
		for _, component := range side {
			if component > count {
				return fail.New(fail.Usage, "component %d, and there are %d kernels", component, count)
			}
		}
	}
	if x.Entropy == model.EntropyDrop && math.Log(product) >= dropLimit {
		return fail.New(fail.Usage, "%d and %d components without the entropy: the optimum is 0 where the "+
			"logarithms of both sum to 4 or more", len(x.Components[0]), len(x.Components[1])).
			WithHint("--entropy exact")
	}
	for i := range k.Groups {
		if k.Groups[i].Base == kernels.MatrixRow {
			return fail.New(fail.Usage, "precomputed kernels with task %s, whose scores have k(x,x) of new rows",
				task)
		}
	}
	return nil
}

// mixtureTrainer trains the components of a run.
type mixtureTrainer struct {
	*run
	checkpoints *checkpoints // nil if the run writes none
}

// train trains a model of task med or mixture.
func (t *mixtureTrainer) train(ctx context.Context) (*predict.Model, chunking.Status, error) {
	costs, err := t.labelled().classCosts()
	if err != nil {
		return nil, "", err
	}
	if o := t.Options.Mixture.Observed; o != nil && len(o) != t.Store.Len() {
		return nil, "", fail.New(fail.Input, "components of %d rows were observed, and there are %d", len(o),
			t.Store.Len())
	}
	if err := t.prepareKernels(ctx); err != nil {
		return nil, "", err
	}
	if t.Kernels.Expanded.Importance(t.Options.Norm.costPower()) != nil {
		return nil, "", fail.New(fail.Usage, "prior= and cost= of kernels with task %s", t.Options.Problem.Task)
	}
	if err := t.planAndNormalize(ctx); err != nil {
		return nil, "", err
	}
	g, err := t.makeGradients(t.Store, nil)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	p, err := t.problem(ctx, costs)
	if err != nil {
		return nil, "", err
	}
	s, status, err := t.solveFrom(ctx, g, p)
	if err != nil {
		return nil, "", err
	}
	t.result.Iterations, t.result.Gradient = s.Chunks, g.Stats()
	if err := t.releaseGradients(g); err != nil {
		return nil, status, err
	}
	m, err := t.modelOf(p, s)
	return m, status, err
}

// problem returns the problem of the rows.
func (t *mixtureTrainer) problem(ctx context.Context, costs [2]float64) (*mixture.Problem,
	error) {
	x := &t.Options.Mixture
	p := &mixture.Problem{First: len(x.Components[0]), Drop: x.Entropy == model.EntropyDrop,
		Likelihood: t.Options.Problem.Task == model.TaskMixture, Gap: t.Options.Solver.Gap}
	for _, side := range x.Components {
		for _, k := range side {
			p.Kernels = append(p.Kernels, k-1)
		}
	}
	for i, label := range t.Store.Labels() {
		cost := costs[label]
		if weights := t.Store.Weights(); weights != nil {
			cost *= weights[i]
		}
		p.Positive, p.Cost = append(p.Positive, label == 1), append(p.Cost, cost)
	}
	for i, o := range x.Observed {
		side := x.Components[1]
		if p.Positive[i] {
			side = x.Components[0]
		}
		if int(o) > len(side) {
			return nil, fail.New(fail.Input, "component %g of row %d was observed, and its class has %d", o, i+1,
				len(side))
		}
		p.Observed = append(p.Observed, int32(o))
	}
	diagonals, err := t.diagonals(ctx, p.Kernels)
	p.Diagonal = diagonals
	return p, err
}

// diagonals returns k(x,x) of every row for each of some kernels, kernel by kernel.
func (t *mixtureTrainer) diagonals(ctx context.Context, of []int) ([]float64, error) {
	n, out := t.Store.Len(), make([]float64, len(of)*t.Store.Len())
	f := &gradient.Function{Bank: t.Kernels.Bank}
	ids := make([]int32, len(of))
	for c, k := range of {
		ids[c] = int32(k)
	}
	var buffer kernels.PanelBuffer
	for from := 0; from < n; from += simd.Width {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := gradient.Columns{Len: min(simd.Width, n-from),
			Panels: []kernels.Panel{kernels.PanelOf(t.Store, from/simd.Width, &buffer)}}
		for at, x := range f.Selves(some, ids) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fail.New(fail.Input, "k(x,x) of kernel %d at row %d is %g", of[at/some.Len]+1,
					from+at%some.Len+1, x)
			}
			out[at/some.Len*n+from+at%some.Len] = x
		}
	}
	return out, nil
}

// solveFrom solves the problem from all starts, on gradients at alpha = 0.
func (t *mixtureTrainer) solveFrom(ctx context.Context, g *gradients, p *mixture.Problem) (*mixture.Solution,
	chunking.Status, error) {
	t.setOperation("the mixtures were solved")
	double := t.Options.startsDouble()
	if double {
		t.widen()
	}
	spaces := &componentSpaces{gradients: g, kernels: p.Kernels, n: t.Store.Len(), count: t.Kernels.Len(),
		double: double}
	stop, ended := t.stopFunc(ctx, 1), chunking.Status("")
	uniform := make([]float64, t.Kernels.Len())
	for _, k := range p.Kernels {
		uniform[k] = 1
	}
	var solver *mixture.Solver // Keep refers to it, and is called only after the assignment.
	solver = mixture.NewSolver(p, spaces, mixture.Options{
		Restarts: t.Options.Mixture.Restarts, Rounds: t.Options.Mixture.Rounds,
		Chunks: t.Options.Limits.Iterations, Seed: t.Options.Seed, Along: t.alongFeatures,
		Sequential: t.Options.Solver.Method == MethodSMO,
		Tell: func(q mixture.Progress) error {
			if math.IsNaN(q.Primal) || math.IsInf(q.Primal, 0) || math.IsNaN(q.Dual) {
				return fail.New(fail.Input, "the primal value is %g and the dual value %g", q.Primal, q.Dual).
					WithHint("kernel values may be too large: --normalize spherical")
			}
			return t.tellRecorder(chunking.Progress{
				Iteration: q.Chunks, Certificate: chunking.NewCertificate(q.Primal, q.Dual), Active: spaces.active(),
				Theta: uniform, Double: double,
			}, g.Stats(), place{}, p.Gap)
		},
		Stop: func() bool {
			ended = stop()
			return ended != ""
		},
		Refine: t.refine(spaces),
		Keep: func(stopped bool) {
			t.checkpoints.saveMixture(t.run, g, &mixtureState{State: solver.State(), Double: double}, stopped)
		},
	})
	resumed, err := t.checkpoints.resumeMixture(ctx, t.run, solver, p, spaces)
	if err != nil {
		return nil, "", err
	}
	var s *mixture.Solution
	status := chunking.Converged
	if resumed != nil && resumed.Ended != "" {
		s, status = resumed.Best, resumed.Ended
	} else if s, err = solver.Run(t.hard); err != nil {
		return nil, "", err
	}
	switch {
	case s.Stopped && ended != "":
		return s, ended, nil
	case s.Stopped:
		return s, chunking.IterationLimit, nil
	case !s.Reached && p.Likelihood:
		status = chunking.IterationLimit
	case !s.Reached:
		status = chunking.Stalled
	}
	if !p.Likelihood && status == chunking.Converged && s.Rounds >= t.Options.Mixture.Rounds && s.Change > mixture.SettledChange {
		t.warn("after %d rounds responsibilities still change by %.3g (--rounds)", s.Rounds, s.Change)
	}
	if resumed == nil || resumed.Ended == "" {
		over := &mixtureState{State: &mixture.State{Chunks: s.Chunks, Best: s}, Double: double, Ended: status}
		t.checkpoints.saveMixture(t.run, g, over, true)
	}
	return s, status, nil
}

// refine returns what makes the spaces compute in double precision, or nil if they do: what is
// claimed of a run in single precision is to hold without its rounding.
func (t *mixtureTrainer) refine(spaces *componentSpaces) func() {
	if spaces.double {
		return nil
	}
	return func() {
		t.widen()
		spaces.double = true
	}
}

// alongFeatures orders the rows along a random direction of standardised features.
func (t *mixtureTrainer) alongFeatures(random *rand.Rand, to []float64) {
	n, d := t.Store.Len(), t.Store.Dim()
	direction, mean, square := make([]float64, d), make([]float64, d), make([]float64, d)
	row := make([]float32, d)
	each := func(i int, visit func(j int, x float64)) {
		if t.Store.Sparse() {
			index, value := t.Store.Nonzeros(i)
			for e, j := range index {
				visit(int(j), float64(value[e]))
			}
			return
		}
		t.Store.Row(i, row)
		for j, x := range row {
			visit(j, float64(x))
		}
	}
	for i := range n {
		each(i, func(j int, x float64) {
			mean[j] += x / float64(n)
			square[j] += x * x / float64(n)
		})
	}
	for j := range direction {
		if v := square[j] - mean[j]*mean[j]; v > 0 {
			direction[j] = random.NormFloat64() / math.Sqrt(v)
		}
	}
	for i := range n {
		to[i] = 0
		each(i, func(j int, x float64) { to[i] += direction[j] * x })
	}
}

// modelOf returns the model of a solution.
func (t *mixtureTrainer) modelOf(p *mixture.Problem, s *mixture.Solution) (*predict.Model, error) {
	t.setOperation("the model was put together")
	o, m, n := &t.Options, t.assembler().newModel(nil), t.Store.Len()
	m.Double = o.startsDouble()
	names := t.Store.Classes()
	m.Negative, m.Positive = names[0], names[1]
	m.NegativeWeight, m.PositiveWeight = o.Problem.classWeight(names[0]), o.Problem.classWeight(names[1])
	x := &model.Mixture{
		Components: o.Mixture.Components, Entropy: o.Mixture.Entropy, Objective: s.Objective, Change: s.Change,
		Rounds: s.Rounds, Start: s.Start, Restarts: o.Mixture.Restarts, Multipliers: s.Multipliers,
		Responsibilities: s.Q, Observed: o.Mixture.Observed,
	}
	for i, l := range s.Totals {
		if l == 0 {
			continue
		}
		if !p.Positive[i] {
			l = -l
		}
		m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, l)
	}
	m.Theta, m.WNorms = make([]float64, t.Kernels.Len()), make([]float64, t.Kernels.Len())
	for c, k := range p.Kernels {
		for _, i := range m.Support {
			x.Weights = append(x.Weights, s.Weights[c*n+int(i)])
		}
		m.Theta[k] = 1
		m.WNorms[k] = math.Hypot(m.WNorms[k], math.Sqrt(s.Norms[c]))
	}
	if x.Weights == nil {
		x.Weights = []float64{}
	}
	m.Family = x.Family()
	c := chunking.NewCertificate(s.Primal, s.Dual)
	m.Certificate = model.Certificate{Kind: Stationary, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap}
	if p.AllObserved() {
		m.Certificate.Kind = ProvenGap
	}
	for id, theta := range m.Theta {
		if theta > 0 && !t.Kernels.Definite(id) {
			m.Certificate.Kind = Stationary
		}
	}
	_, err := t.assembler().gatherSupport(m)
	return m, err
}
