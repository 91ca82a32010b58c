package predict

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// Predict streams rows through the model and calls emit for each in order. Features beyond the model's are an error,
// missing ones are zero.
func (m *Model) Predict(ctx context.Context, src dataset.Source, o Options, emit func(Prediction) error) error {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Probability && m.Sigmoids == nil {
		return fail.New(fail.Usage, "the model gives no probabilities").WithHint("train --probability")
	}
	o.setMemory()
	p := predictor{model: m, files: o.Gram, options: &o}
	if err := m.Guard(p.ready); err != nil {
		return err
	}
	grams, err := m.openTest(o.Gram)
	if err != nil {
		return err
	}
	for _, g := range grams {
		defer g.Close()
	}
	p.grams = grams
	if m.Several() {
		p.vote = newVote(m)
	}
	if o.Probability {
		p.estimate = m.estimator()
	}
	for {
		n, err := p.fill(src)
		if n > 0 {
			if e := p.flush(ctx, n, emit); e != nil {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	for i, g := range grams {
		if err := g.Err(); err != nil {
			return err
		}
		if g.Rows != p.done {
			return fail.New(fail.Input, "the matrix has %d rows, the data %d", g.Rows, p.done).At(o.Gram[i], 0, 0)
		}
	}
	return nil
}

// ready prepares the decision functions, within the memory budget.
func (p *predictor) ready() error {
	m, o := p.model, p.options
	if o.share(m.known()).Least > budget.Allowance(o.Memory) {
		if err := m.refuse(o); err != nil {
			return err
		}
	}
	o.limitHeap()
	var err error
	if p.function, p.bias, err = m.function(o); errors.Is(err, fail.Budget) {
		err = cmp.Or(m.refuse(o), err)
	}
	if err != nil {
		return err
	}
	if p.memory, err = m.memory(o, p.function.Bank); err != nil {
		return err
	}
	p.function.Threads, p.function.Guard = p.memory.threads, m.Guard
	if o.Left != nil {
		o.Left(p.memory.left)
	}
	switch {
	case m.Sequences != dataset.Numbers:
		p.rows = &letterRows{alphabet: m.Sequences}
	case !m.Seen():
		p.rows = unseenRows(m.Features)
	case p.function.Points.Sparse:
		p.rows = &sparseRows{scaling: &m.Scaling, d: m.Features, most: p.memory.rows}
	default:
		p.rows = &denseRows{scaling: &m.Scaling, row: make([]float32, m.Features)}
	}
	return nil
}

// openTest maps the test rows of precomputed kernels.
func (m *Model) openTest(files []string) ([]*npy.Matrix, error) {
	distinct := map[string]bool{}
	for _, k := range m.Kernels {
		if k = strings.TrimSuffix(k, kernelspec.Suffix(k)); strings.HasPrefix(k, "precomputed:") {
			distinct[k] = true
		}
	}
	needed := len(distinct)
	if needed != len(files) {
		return nil, fail.New(fail.Usage, "the model has %d precomputed kernels and %d matrices of test rows were given", needed, len(files)).
			WithHint("--gram-test FILE, n_test x n_train, once for each kernel in order")
	}
	var grams []*npy.Matrix
	for _, file := range files {
		g, err := npy.Load(file, m.Points)
		if err != nil {
			for _, g := range grams {
				g.Close()
			}
			return nil, err
		}
		grams = append(grams, g)
	}
	return grams, nil
}

// predictor holds one batch of rows.
type predictor struct {
	model    *Model
	options  *Options
	memory   *predictMemory
	function *gradient.Function
	bias     []float64 // of each output
	vote     *vote     // of several machines
	estimate estimator // nil where no probabilities are wanted
	grams    []*npy.Matrix
	files    []string // of the matrices
	rows     rows
	known    []string
	targets  []float64
	values   []float64
	done     int // rows of earlier batches
}

// fill takes as many rows as there is memory for, one at least, and returns how many there were.
func (p *predictor) fill(src dataset.Source) (int, error) {
	p.known, p.targets = p.known[:0], p.targets[:0]
	for len(p.known) < predictRows*p.memory.threads && (len(p.known) == 0 || p.taken() < p.memory.rows) {
		r, err := src.Next()
		if err != nil {
			return len(p.known), err
		}
		if err := p.rows.put(len(p.known), r); err != nil {
			return len(p.known), err
		}
		label, err := p.model.class(r.Label)
		if err != nil {
			return len(p.known), err
		}
		p.known, p.targets = append(p.known, label), append(p.targets, r.Target)
	}
	return len(p.known), nil
}

// taken is the bytes of the batch.
func (p *predictor) taken() int64 { return p.rows.bytes() + int64(len(p.known))*8*int64(1+len(p.bias)) }

// label is what a decision value says.
func (m *Model) label(f float64) string {
	switch {
	case m.Task == model.TaskOneClass && f >= 0:
		return "1"
	case m.Task == model.TaskOneClass:
		return "-1"
	case f > 0:
		return m.Positive
	}
	return m.Negative
}

// class is a row's label as the model sees it.
func (m *Model) class(label string) (string, error) {
	if label != "" && m.Multiclass == model.MultiLabel {
		return dataset.CanonicalSet(label)
	}
	if label == "" || m.PositiveLabels == nil {
		return label, nil
	}
	for _, l := range m.PositiveLabels {
		if c, err := dataset.CanonicalLabel(l); err == nil && c == label {
			return m.Positive, nil
		}
	}
	return m.Negative, nil
}

// flush evaluates the batch and emits it.
func (p *predictor) flush(ctx context.Context, n int, emit func(Prediction) error) error {
	p.values = append(p.values[:0], make([]float64, len(p.bias)*n)...)
	c := gradient.Columns{Len: n}
	for from := 0; from < n; from += simd.Width {
		c.Panels = append(c.Panels, p.rows.panel(from, min(simd.Width, n-from)))
	}
	if err := p.function.Values(ctx, c, p.model.Double, p.values); err != nil {
		return err
	}
	if err := p.addGrams(n); err != nil {
		return err
	}
	decisions := make([]float64, len(p.bias))
	for i := range n {
		for k, b := range p.bias {
			f := p.values[k*n+i] + b
			if math.IsNaN(f) || math.IsInf(f, 0) { // which would be the negative class without a word
				return fail.New(fail.Input, "the decision value of row %d is %g", p.done+i+1, f).WithHint("are its features scaled as those of the training were?")
			}
			decisions[k] = f
		}
		r := Prediction{Decision: decisions[0], Known: p.known[i], Target: p.targets[i]}
		if p.vote != nil {
			r.Decisions = decisions
			r.Label, r.Decision = p.vote.decide(decisions)
		} else {
			r.Label = p.model.label(r.Decision)
		}
		if p.estimate != nil {
			r.Probabilities = p.estimate(decisions)
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	p.done += n
	return nil
}

// addGrams adds the precomputed kernels: row i of a test matrix holds k(x_i, .) against the training points.
func (p *predictor) addGrams(n int) error {
	var row []float64
	next := 0
	for g := range p.function.Bank.Groups {
		group := &p.function.Bank.Groups[g]
		if group.Base != kernels.MatrixRow {
			continue
		}
		matrix := p.grams[next]
		next++
		if p.done+n > matrix.Rows {
			return fail.New(fail.Input, "the matrix has %d rows, the data more", matrix.Rows).At(p.files[next-1], 0, 0)
		}
		row = slices.Grow(row[:0], matrix.Cols)[:matrix.Cols]
		weights := make([]float64, len(p.bias))
		for o := range p.function.Outputs {
			for _, k := range group.Members {
				weights[o] += p.function.Outputs[o].Theta[k.ID] * p.function.Bank.Factor(int(k.ID))
			}
		}
		for i := range n {
			matrix.Row64(p.done+i, 0, row)
			if j := slices.IndexFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); j >= 0 {
				return cmp.Or(matrix.Err(), error(fail.New(fail.Input, "matrix entry (%d, %d) is %g", p.done+i+1, j+1, row[j]).At(p.files[next-1], 0, 0)))
			}
			for k, w := range weights {
				o := &p.function.Outputs[k]
				for s, a := range o.Alpha {
					if o.Rows != nil {
						s = int(o.Rows[s])
					}
					p.values[k*n+i] += w * a * row[p.model.Support[s]]
				}
			}
		}
	}
	return nil
}
