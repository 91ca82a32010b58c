package train

import (
	"context"
	"fmt"
	"math"

	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/mixture"
	"bigmkl/internal/model"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// mixtureWing is the wing of tasks med and mixture. A component is a column of dual variables in
// the gradients, so the budget counts columns.
type mixtureWing struct{}

func (mixtureWing) traits(p *Problem) wingTraits {
	name := "task " + p.Task
	return wingTraits{name: name, stream: name + ", whose rows have responsibilities of their own", componentColumns: true}
}

func (mixtureWing) facts(o *Options) []Fact { return o.Mixture.facts() }

func (mixtureWing) account(o *Options, e *Extent, r *budget.Run) {
	r.Columns, r.Several, r.Mixture = true, e.several, o.mixtureBytes
}

func (mixtureWing) train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error) {
	return (&mixtureTrainer{t.run, t.checkpoints}).train(ctx)
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
	// A prior scales the weight of a kernel in a sum of kernels. Each component has one kernel,
	// so there is no sum.
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

// problem returns the problem of package mixture: the signs, costs C_t, observed components and
// k(x,x) of all rows, and the kernel of each component.
func (t *mixtureTrainer) problem(ctx context.Context, costs [2]float64) (*mixture.Problem,
	error) {
	x := &t.Options.Mixture
	p := &mixture.Problem{First: len(x.Components[0]), Drop: x.Entropy == model.EntropyDrop,
		Likelihood: model.MaximisesLikelihood(t.Options.Problem.Task), Gap: t.Options.Solver.Gap}
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

// diagonals returns k(x,x) of every row, kernel by kernel, len(of) x n. Scores of components
// need it, in contrast to other decision functions: they are logarithms of Gaussian densities.
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
				return nil, t.Kernels.Overflow(of[at/some.Len],
					fmt.Sprintf("on these data, such as k(x,x) of row %d", from+at%some.Len+1))
			}
			out[at/some.Len*n+from+at%some.Len] = x
		}
	}
	return out, nil
}

// modelOf returns the model of a solution. Alpha has the totals l_t with the sign of the class,
// and the family has the weights w_tc of the components. Both are of the support vectors alone.
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
		// Several components may have one kernel. Its norm is the root of the sum of their
		// squared norms.
		m.WNorms[k] = math.Hypot(m.WNorms[k], math.Sqrt(s.Norms[c]))
	}
	if x.Weights == nil {
		x.Weights = []float64{}
	}
	m.Family = x.Family()
	c := chunking.NewCertificate(s.Primal, s.Dual)
	m.Certificate = model.Certificate{Kind: Stationary, Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap}
	// Without a hidden component the problem is convex, and the gap proves the optimum.
	// Otherwise it proves the optimum of the last projection alone.
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
