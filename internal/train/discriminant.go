package train

import (
	"context"
	"fmt"
	"math"

	"bigmkl/chunking"
	"bigmkl/internal/budget"
	"bigmkl/internal/discriminant"
	"bigmkl/internal/fail"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Regularised kernel discriminant analysis (Ye, Ji and Chen 2008, equations 29, 34 and 37 alike):
// the weights theta >= 0 with sum theta = 1 that maximise the ratio of the scatter between the
// classes to that of all rows, with a ridge lambda. In the terms of this program that is the squared
// loss at p = 1 with a column of dual variables for each class c and C = 1/(n lambda),
//
//	max over alpha, 1'alpha_c = 0, of  sum_c h_c'alpha_c - |alpha_c|^2 / (2C) - 1/2 max_m V_m,
//
// V_m = sum_c alpha_c'K_m alpha_c; other p in [1, 2] have another norm of the V_m^(1/2). If lambda is
// found along with the weights, theta_0 = 1/C is the weight of one more kernel, the identity. Package
// loss has the targets h_c. One solver moves all columns, and each kernel value is computed once for
// all of them.

// discriminantWing is the wing of task rkda.
type discriminantWing struct{}

func (discriminantWing) traits(*Problem) wingTraits {
	return wingTraits{name: "discriminant analysis", stream: "task rkda, whose targets change with every row", kind: model.OneVsRest,
		decompose: labelledRows.discriminantClasses, classColumns: true}
}

func (discriminantWing) facts(o *Options) []Fact {
	lambda := fmt.Sprint(o.Problem.Lambda)
	if o.Problem.JointCost {
		lambda = "joint"
	}
	return []Fact{{"lambda", lambda}, {"rule", o.Problem.DiscriminantRule}}
}

func (discriminantWing) account(o *Options, e *Extent, r *budget.Run) {
	r.Columns, r.Several = true, e.several
	if o.byProgram() {
		r.Program = func(points, kernels, classifiers int) int64 {
			return discriminant.Bytes(o.Solver.Method, points, kernels, max(2, classifiers), o.Problem.JointCost)
		}
	}
}

func (discriminantWing) train(ctx context.Context, t *classifierTrainer) (*predict.Model, chunking.Status, error) {
	return t.trainDecomposed(ctx, func(ctx context.Context, d *decomposition) (*predict.Model, chunking.Status, error) {
		return (&columnsTrainer{t, d}).trainDiscriminant(ctx)
	})
}

// discriminantClasses returns the classes as classifiers of one against the rest, which the columns
// become in the model, and sets the cost.
func (r labelledRows) discriminantClasses() (*decomposition, error) {
	names, p := r.store.Classes(), r.problem
	switch {
	case r.store.Weights() != nil:
		return nil, fail.New(fail.Usage, "row weights with task rkda: scatter matrices have none")
	case len(names) < 2:
		return nil, fail.New(fail.Input, "only one class: all %d rows are %s", r.store.Len(),
			fail.Word(names[0]))
	case len(names) > model.MostColumns:
		return nil, fail.New(fail.Input, "%d classes, at most %d in task rkda", len(names),
			model.MostColumns)
	}
	if p.JointCost {
		p.C = 1
	} else if p.C = 1 / (float64(r.store.Len()) * p.Lambda); !(p.C > 0) || math.IsInf(p.C, 0) {
		return nil, fail.New(fail.Usage, "lambda = %g with %d rows", p.Lambda, r.store.Len())
	}
	// Every classifier has a column of the gradients and of the means, however few rows it has.
	d := &decomposition{
		kind: model.OneVsRest, columns: true, classes: names, pairs: model.Pairs(model.OneVsRest, len(names)),
	}
	for k := range names {
		d.of = append(d.of, []int32{int32(k)})
	}
	return d, nil
}

// trainDiscriminant trains all columns and makes a model of them.
func (t *columnsTrainer) trainDiscriminant(ctx context.Context) (
	*predict.Model, chunking.Status, error) {
	norm, err := t.norms().regularizer()
	if err != nil {
		return nil, "", err
	}
	if t.Kernels.Expanded.Importance(t.Options.Norm.costPower()) != nil {
		return nil, "", fail.New(fail.Usage, "prior= and cost= of kernels with task rkda")
	}
	g, err := t.makeGradients(t.Store, nil)
	if err != nil {
		return nil, "", err
	}
	defer g.Close()
	l := loss.NewDiscriminant(t.Store.Labels(), len(t.d.classes), t.Options.Problem.C)
	var columns chunking.Loss = l
	if t.Options.Problem.JointCost {
		columns = loss.NewJointDiscriminant(l)
	}
	var found *columnsSolution
	var status chunking.Status
	var s *solved
	if t.Options.byProgram() {
		found, status, err = t.solveProgram(ctx, g, l)
	} else if s, err = t.trainOne(ctx, g, problem{loss: columns, norm: norm, start: t.makeStart(g, problem{loss: columns}, nil)}, nil); err == nil {
		found, status = &columnsSolution{s.solution, s.solver.Decisions(), s.solver.Double()}, s.status
	}
	if err != nil {
		return nil, "", err
	}
	classifiers, about := t.asClassifiers(l, found, g.ColumnEnergies())
	if err := t.releaseGradients(g); err != nil {
		return nil, status, err
	}
	m, err := t.assembler().modelOfSeveral(t.d, classifiers, nil)
	if err != nil {
		return nil, status, err
	}
	m.OneTheta, m.Discriminant, m.Certificate = true, about, t.assembler().certificate(&found.solution)
	if t.Options.Problem.JointCost {
		m.CostWeight, about.Lambda = &found.solution.CostWeight, found.solution.CostWeight
	}
	about.Criterion = about.CriterionOf(m.Certificate.Dual, m.CostWeight != nil)
	if s != nil {
		t.doubts().classifier(s, s.solution.Theta, "", len(m.Support) == 0 && status != chunking.Converged)
	}
	t.doubts().jointCost(m)
	return m, status, nil
}

// asClassifiers returns each column as a classifier of its class, and what the model has beside
// them. energies has V_m of each column, [column][kernel]. The certificate of a classifier alone is
// one at the weights in hand, which it takes for fixed; if lambda is found, the errors have the
// price |alpha_c| for their length, as at the optimum of a column.
func (t *columnsTrainer) asClassifiers(l *loss.Discriminant, s *columnsSolution,
	energies []float64) ([]model.Classifier, *model.Discriminant) {
	n, k, classes := t.Store.Len(), len(t.d.classes), t.Store.Labels()
	o, f := &t.Options.Problem, s.decisions
	bias, losses := l.Biases(f)
	squares := l.ColumnSquares(s.solution.Alpha)
	about := &model.Discriminant{
		Lambda: o.Lambda, Rule: o.DiscriminantRule, Rows: make([]int, k), Means: make([]float64, k*k),
	}
	for i, class := range classes {
		about.Rows[class]++
		for c := range k {
			about.Means[int(class)*k+c] += f[c*n+i] + bias[c]
		}
	}
	for at := range about.Means {
		about.Means[at] /= float64(about.Rows[at/k])
	}
	classifiers := s.classifiers(t.d, n, bias, energies)
	for c, linear := range l.ColumnLinear(s.solution.Alpha) {
		a, energy := &classifiers[c], 0.0
		for m, theta := range s.solution.Theta {
			// With an indefinite kernel the sum over the columns alone is at least 0.
			energy += theta * energies[c*len(s.solution.Theta)+m]
		}
		if o.JointCost {
			// The loss is the length of the errors times that of alpha, and lin has no quadratic term.
			losses[c], linear = math.Sqrt(squares[c]*2*losses[c]), linear+squares[c]/2
		}
		own := chunking.NewCertificate(energy/2+losses[c], linear-energy/2)
		a.Certificate = model.Certificate{
			Kind: t.assembler().certificate(&s.solution).Kind, Primal: own.Primal, Dual: own.Dual,
			RelativeGap: own.RelativeGap,
		}
	}
	return classifiers, about
}
