package train

import (
	"context"
	"math"
	"slices"
	"time"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/model"
)

// Weights that a rule gives are found once the kernels are normalised, and are fixed weights from
// then on. They are a function of the data, the kernels, the seed and the sample, so that a run that
// is resumed finds the same again.

// applyRule finds the weights of the rule of the options, if there is one.
func (r *run) applyRule(ctx context.Context) error {
	o := &r.Options.Norm
	if o.Rule == nil || o.Weights != nil {
		return nil
	}
	r.setOperation("the weights of the kernels were found")
	sums, err := r.ruleSums(ctx)
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
	labels, several := o.labeling(), o.Problem.Multiclass
	switch {
	case labels == dataset.Ignored:
		return fail.New(fail.Usage, "the rule %s needs labels, and task %s has none", rule,
			o.Problem.Task)
	case several == model.MultiLabel:
		return fail.New(fail.Usage, "the rule %s is for classes, and rows have sets of labels", rule)
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

// ruleSums returns what WeightRule.Weigh takes of the kernels in hand.
func (r *run) ruleSums(ctx context.Context) ([]float64, error) {
	o := &r.Options.Norm
	if o.Rule.HoldsOut() {
		return r.singleFigures(ctx)
	}
	sample := o.RuleSample
	if sample >= r.Store.Len() {
		sample = 0
	}
	threads, err := r.AlignThreads(sample)
	if err != nil {
		return nil, err
	}
	return r.Workspace.RuleSums(ctx, o.Rule, sample, threads)
}

// RuleSums returns the sums of a rule that looks at pairs of rows, from a sample of so many rows or
// from all if it is 0. The kernels have to be normalised.
func (w *Workspace) RuleSums(ctx context.Context, rule *WeightRule, sample, threads int) (
	[]float64, error) {
	b := w.Kernels.Bank
	o := kernels.AlignOptions{
		Sample: sample, Seed: w.Options.Seed, Plain: !rule.Centred(), Classes: w.Store.Labels(),
		Threads: threads, Scratch: w.Options.Budget.Scratch,
	}
	if o.Plain {
		b = b.Plainly()
	}
	if rule.Name == "fsm" {
		if len(w.Store.Classes()) != 2 {
			return nil, fail.New(fail.Usage, "the rule fsm is for two classes")
		}
		spreads, err := kernels.Spreads(ctx, b, w.Store, o)
		if err := w.Check(err); err != nil {
			return nil, err
		}
		m := b.Len()
		sums := make([]float64, 3*m)
		for k, s := range spreads {
			sums[k], sums[m+k], sums[2*m+k] = s.First, s.Second, s.Distance
		}
		return sums, w.checkSums(sums, m)
	}
	products, err := kernels.Align(ctx, b, w.Store, o)
	if err := w.Check(err); err != nil {
		return nil, err
	}
	return w.sumsOfProducts(rule, products)
}

// sumsOfProducts returns the sums of a rule from the products of all kernels and the labels, which
// lack the factors of the multiplicative normalisation.
func (w *Workspace) sumsOfProducts(rule *WeightRule, products []float64) ([]float64, error) {
	b, m := w.Kernels.Bank, w.Kernels.Len()
	side := m + 1
	for i := range m {
		for j := range side {
			products[i*side+j] *= b.Factor(i)
			products[j*side+i] *= b.Factor(i)
		}
	}
	if rule.Name != "align" {
		return products, w.checkSums(products, m+1)
	}
	sums := make([]float64, 0, 2*m+1)
	for i := range m {
		sums = append(sums, products[i*side+m])
	}
	for i := range side {
		sums = append(sums, products[i*side+i])
	}
	return sums, w.checkSums(sums, m)
}

// checkSums refuses sums that are not finite. Element i belongs to kernel i % kernels.
func (w *Workspace) checkSums(sums []float64, kernels int) error {
	for i, x := range sums {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return w.Kernels.Overflow(min(i%kernels, w.Kernels.Len()-1),
				"on these data once they are squared and summed")
		}
	}
	return nil
}

// AlignThreads returns the number of threads for products of kernel matrices that the budgets allow,
// and limits the heap to what they take. Budgets that are too small for one thread are of class
// fail.Budget. Those of a training whose weights come from a rule have been refused before.
func (w *Workspace) AlignThreads(sample int) (int, error) {
	r, store := w.BudgetRun(), w.Store
	// A sample of dense points is copied to a scratch file, 4 bytes for each feature.
	need := store.Size().Points + 4*int64(sample)*int64(store.Dim())
	if !r.Aligned && !store.Sparse() && need > r.MostDisk {
		return 0, fail.New(fail.Budget,
			"the points and the sample's features take %s of disk; --disk is %s",
			bytesize.Text(need), bytesize.Text(r.MostDisk)).
			WithHint("at least --disk %s", bytesize.Flag(need))
	}
	s, thread := AlignMemory(r, store, w.Kernels.Bank)
	if err := s.Refuse("memory"); err != nil && !r.Aligned {
		return 0, err
	}
	with := func(threads int) int64 {
		return s.Least + int64(budget.Slack*float64(int64(threads-1)*thread))
	}
	threads := 1
	for threads < r.Threads && with(threads+1) <= r.Memory {
		threads++
	}
	w.LimitHeap(with(threads))
	return threads, nil
}

// AlignMemory returns what products of kernel matrices take of the memory with one thread, and what
// each further thread adds.
func AlignMemory(r *budget.Run, points kernels.Points, b *kernels.Bank) (budget.Share, int64) {
	result, thread := kernels.AlignBytes(b, points)
	m := int64(b.Len())
	parts := append(r.Tables(points, b),
		budget.Part{Name: "alignments", Formula: "8 M^2 and sums", Bytes: result + 8*m*m},
		budget.Part{Name: "sums and tiles of a thread", Bytes: thread})
	return budget.Fixed(r.Memory, parts), thread
}

// singleFigures trains a machine of each kernel alone without each fold of the rows, and returns
// what the rule measures on the rows that were held out.
func (r *run) singleFigures(ctx context.Context) ([]float64, error) {
	w := *r.Workspace
	o := &w.Options
	o.Norm, o.Solver.Rule = Norm{P: 2}, nil
	o.Problem.OneTheta, o.Init, o.Recorder = false, nil, nil
	o.Checkpoint, o.Budget.Checkpoint = Checkpoint{}, ""
	// A run that is resumed may have another limit, and has to find the same weights.
	o.Limits.Iterations = 0
	// Every rank of a team finds the figures by itself.
	o.Team = nil
	o.Folds = 1 // The budget has room for a loss without some rows.
	// No model is made, and no dual variables are kept: a training takes no more than that of the
	// run itself, whose budget has room for a loss without some rows.
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
	if h.decomposition, err = newDecomposition(newRun(&w, ctx, time.Now())); err != nil {
		return nil, err
	}
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

// singles collects what machines of one kernel predict for rows that were held out.
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
			shape.Machines[k].Certificate.RelativeGap = math.Inf(1)
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
