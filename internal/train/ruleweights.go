package train

import (
	"context"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// Weights that a rule gives are found once the kernels are normalised, and are fixed weights from
// then on. They are a function of the data, the kernels, the seed and the sample. A run that is
// resumed therefore finds the same weights.

// weighing finds the weights of the rule of a workspace, whose kernels are normalised.
type weighing struct{ *Workspace }

// find finds the weights and sets them in the options.
func (r weighing) find(ctx context.Context) error {
	o := &r.Options.Norm
	sums, err := r.sums(ctx)
	if err != nil {
		return err
	}
	if o.Weights, err = o.Rule.Weigh(r.Kernels.Len(), sums); err != nil {
		return err
	}
	o.ruleSums = sums
	return nil
}

// checkRule finds rules that do not go with the task.
func (o *Options) checkRule() error {
	rule := o.Norm.Rule
	if rule == nil {
		return nil
	}
	labels, several := o.Problem.labeling(), o.Problem.Multiclass
	switch {
	case labels == dataset.Ignored:
		return fail.New(fail.Usage, "the rule %s needs labels, and task %s has none", rule,
			o.Problem.Task)
	case several == model.MultiLabel:
		return fail.New(fail.Usage, "the rule %s is for classes, and rows have sets of labels", rule)
	case several == model.Quantiles:
		return fail.New(fail.Usage, "the rule %s is for one prediction of a row, and there are several quantiles", rule).
			WithHint("one --tau, or weights that are learned")
	case rule.Name == "fsm" && several != "":
		return fail.New(fail.Usage, "the rule fsm is for two classes")
	}
	ofTargets := rule.Name == "correlation" || rule.Name == "mse"
	if ofTargets != (labels == dataset.Targets) {
		what, hint := "classes", "correlation and mse are for numbers"
		if ofTargets {
			what, hint = "numbers", "align, alignf, kandola:L, frobenius, fsm and accuracy:T are for classes"
		}
		return fail.New(fail.Usage, "the rule %s is for %s, and the labels of task %s are others", rule,
			what, o.Problem.Task).WithHint("%s", hint)
	}
	return nil
}

// sums returns what WeightRule.Weigh takes of the kernels in hand.
func (r weighing) sums(ctx context.Context) ([]float64, error) {
	o := &r.Options.Norm
	if o.Rule.HoldsOut() {
		return r.singleFigures(ctx)
	}
	sample := o.RuleSample
	if sample >= r.Store.Len() {
		sample = 0
	}
	threads, heap, err := AlignThreads(r.BudgetRun(), r.Store, r.Kernels.Bank, sample)
	if err != nil {
		return nil, err
	}
	r.LimitHeap(heap)
	of := &RuleSample{r.Store, r.Kernels, kernels.AlignOptions{
		Sample: sample, Seed: r.Options.Seed, Classes: r.Store.Labels(),
		Threads: threads, Scratch: r.Options.Budget.Scratch,
	}, r.Check}
	return of.Sums(ctx, o.Rule)
}

// singleFigures trains a classifier of each kernel alone without each fold of the rows, and returns
// what the rule measures on the rows that were held out.
func (r weighing) singleFigures(ctx context.Context) ([]float64, error) {
	w := *r.Workspace
	o := &w.Options
	o.Norm, o.Solver.Rule = Norm{P: 2}, nil
	o.Problem.OneTheta, o.Init, o.Recorder = false, nil, nil
	o.Checkpoint, o.Budget.Checkpoint = Checkpoint{}, ""
	// A run that is resumed may have another limit, and has to find the same weights.
	o.Limits.Iterations = 0
	// Every rank of a team finds the figures by itself.
	o.Team = nil
	// Groups are of the folds of probabilities.
	o.Folds, o.FoldGroups = 1, nil // The budget has room for a loss without some rows.
	// No model is made, and no dual variables are kept: a training takes no more than the training
	// of the run itself, whose budget has room for a loss without some rows.
	w.Kernels, w.Path, w.KeepsAlpha = nil, false, false
	h := &HeldOut{workspace: &w, path: &pathRun{workspace: &w}, method: MethodChunking,
		tuning: o.Solver.Tuning}
	defer func() {
		h.path.grad.Close()
		if w.Kernels != nil {
			w.Kernels.Close()
		}
	}()
	var err error
	nobody := &warnings{result: &Result{}}
	if h.decomposition, err = w.labelled().decompose(nobody); err != nil {
		return nil, err
	}
	w.split(h.decomposition, w.Store)
	folds := &calibration{}
	classes, labels := max(1, len(w.Store.Classes())), w.Store.Labels()
	if labels == nil {
		labels = make([]int32, w.Store.Len())
	}
	o.Folds = r.Options.Norm.RuleFolds
	folds.assignFolds(labels, classes, o)
	o.Folds = 1
	figures := make([]float64, r.Kernels.Len())
	for id := range figures {
		if err := h.UseKernels(ctx, r.Kernels.Expanded.Describe(id)); err != nil {
			return nil, err
		}
		found := newSingles(h)
		for k := range folds.count {
			var out []int32
			for i, f := range folds.of {
				if int(f) == k {
					out = append(out, int32(i))
				}
			}
			held, err := h.Train(ctx, out, Point{Norm: o.Norm.P, C: o.Problem.C}, nil)
			if err != nil {
				return nil, err
			}
			found.add(held)
		}
		figures[id] = found.figure(r.Options.Norm.Rule.Name)
		if math.IsNaN(figures[id]) {
			figures[id] = 0 // Predictions that are all the same have no correlation.
		}
	}
	return figures, nil
}

// singles collects what classifiers of one kernel predict for rows that were held out.
type singles struct {
	data             *HeldOut
	rows, right      int
	targets, decided []float64
}

// newSingles returns an empty collection.
func newSingles(h *HeldOut) *singles { return &singles{data: h} }

// add adds the rows of a training.
func (s *singles) add(held *Held) {
	shape, store := s.data.Shape(), s.data.Store()
	for _, k := range held.Untrained {
		if shape.Several() {
			shape.Classifiers[k].Certificate.RelativeGap = math.Inf(1)
		}
	}
	decider, decisions := shape.NewDecider(), make([]float64, len(held.Decisions))
	for at, i := range held.Rows {
		for k := range decisions {
			decisions[k] = held.Decisions[k][at]
		}
		s.rows++
		if !shape.HasClasses() {
			s.targets, s.decided = append(s.targets, store.Targets()[i]), append(s.decided, decisions[0])
			continue
		}
		if decider.Decide(slices.Clone(decisions)).Label == store.Classes()[store.Labels()[i]] {
			s.right++
		}
	}
}

// figure returns the accuracy, the correlation or the mean squared error.
func (s *singles) figure(rule string) float64 {
	n := float64(s.rows)
	if rule == "accuracy" {
		return float64(s.right) / n
	}
	meanY, meanF := 0.0, 0.0
	for i, y := range s.targets {
		meanY, meanF = meanY+y/n, meanF+s.decided[i]/n
	}
	yy, ff, yf, squares := 0.0, 0.0, 0.0, 0.0
	for i, y := range s.targets {
		f := s.decided[i]
		yy += (y - meanY) * (y - meanY)
		ff += (f - meanF) * (f - meanF)
		yf += (y - meanY) * (f - meanF)
		squares += (y - f) * (y - f)
	}
	if rule == "mse" {
		return squares / n
	}
	return yf / math.Sqrt(yy*ff)
}
