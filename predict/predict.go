package predict

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/simd"
)

// Predict reads src to its end and calls emit for each row in order. It does not close src. A
// feature that the model does not know is an error of class fail.Input, and missing features are 0.
// A memory budget that is too small is of class fail.Budget. An error of emit ends the prediction,
// and so does the end of ctx.
func (m *Model) Predict(ctx context.Context, src dataset.Source, o Options,
	emit func(Prediction) error) error {
	r, err := m.prepareOnce(ctx, o)
	if err != nil {
		return err
	}
	defer r.gates.close()
	grams, err := newTestMatrices(m, o.Gram)
	if err != nil {
		return err
	}
	for _, g := range grams.matrices {
		defer g.Close()
	}
	missing, err := o.missingOf(m)
	if err != nil {
		return err
	}
	p := r.newPredictor()
	p.grams, p.ranks = grams, o.Ranks
	src = o.objectsOf(m).Check(m.Input().Source(src, missing))
	if err := p.predictRows(ctx, src, emit); err != nil {
		return err
	}
	// A matrix that changed under the run has given wrong values without an error at the time.
	for i, g := range grams.matrices {
		if err := g.Err(); err != nil {
			return err
		}
		if g.Rows != p.done {
			return fail.New(fail.Input, "the matrix has %d rows, the data %d", g.Rows, p.done).
				At(o.Gram[i], 0, 0)
		}
	}
	return r.gates.checkEnd(p.done)
}

// predictor holds the state of a prediction and one batch of rows. Its memory is used again for the
// next batch.
type predictor struct {
	*prepared
	decider  *Decider
	estimate Estimator // nil if no probabilities are wanted
	// gates is nil if the kernels have none.
	gates *rowGates
	// ranks are the processes that share the rows; nil is one.
	ranks Ranks
	// grams holds the test rows of precomputed kernels.
	grams *testMatrices

	// rows holds the rows of the batch, known their classes or sets of labels, and targets their
	// targets in regression.
	rows    rows
	known   []string
	targets []float64
	// uppers holds the upper bounds of times.
	uppers []float64
	// values holds the decision values of the batch without the bias, [output][row].
	values []float64
	// done is the number of rows in earlier batches, for messages and the rows of matrices.
	done int
}

// newPredictor returns a predictor for one goroutine, which has no matrices of test rows yet.
func (r *prepared) newPredictor() *predictor {
	m := r.model
	p := &predictor{prepared: r, decider: m.NewDecider(), grams: &testMatrices{}}
	p.gates = r.gates.newRowGates(m)
	if r.probability {
		p.estimate = m.Estimator()
	}
	switch {
	case m.Sequences != dataset.Numbers && m.Sequences.Before() == 0:
		p.rows = &letterRows{alphabet: m.Sequences}
	case !m.Seen():
		p.rows = unseenRows(m.Features)
	case r.function.Points.Sparse:
		p.rows = &sparseRows{scaling: &m.Scaling, d: m.Features, most: r.memory.rows}
	default:
		p.rows = &denseRows{scaling: &m.Scaling, row: make([]float32, m.Features)}
	}
	return p
}

// predictRows reads src to its end and calls emit for each row.
func (p *predictor) predictRows(ctx context.Context, src dataset.Source,
	emit func(Prediction) error) error {
	for {
		// A batch may end with an error. The rows before it are predicted first.
		n, err := p.nextBatch(src)
		if n > 0 {
			if e := p.emitBatch(ctx, n, emit); e != nil {
				return e
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readBatch reads as many rows as there is memory for, and one at least. It returns their number,
// also together with an error.
func (p *predictor) readBatch(src dataset.Source) (int, error) {
	most := predictRows * p.memory.threads
	if p.ranks != nil {
		most *= p.ranks.Size()
	}
	return p.readRows(src, func() bool {
		return len(p.known) < most && (len(p.known) == 0 || p.batchBytes() < p.memory.rows)
	})
}

// readRows reads rows for a batch as long as there is to be another one, and finds their gates.
func (p *predictor) readRows(src dataset.Source, another func() bool) (int, error) {
	n, err := p.takeRows(src, another)
	if e := p.gates.addLandmarks(p.rows, p.grams, p.done, n); e != nil {
		return 0, e
	}
	return n, err
}

// takeRows adds rows to a batch as long as there is to be another one.
func (p *predictor) takeRows(src dataset.Source, another func() bool) (int, error) {
	p.known, p.targets, p.uppers = p.known[:0], p.targets[:0], p.uppers[:0]
	for another() {
		r, err := src.Next()
		if err != nil {
			return len(p.known), err
		}
		if err := p.rows.addRow(len(p.known), r); err != nil {
			return len(p.known), err
		}
		if err := p.gates.addRow(p.done, len(p.known), &p.model.Scaling, r); err != nil {
			return len(p.known), err
		}
		label, err := p.classOf(r.Label)
		if err != nil {
			return len(p.known), err
		}
		p.known, p.targets, p.uppers = append(p.known, label), append(p.targets, r.Target), append(p.uppers, r.Upper)
	}
	return len(p.known), nil
}

// batchBytes returns the memory that the batch takes: rows, labels and decision values.
func (p *predictor) batchBytes() int64 {
	return p.rows.bytes() + int64(len(p.known))*(8*int64(1+len(p.bias))+p.gates.bytes())
}

// classOf returns the label of a row as the model sees it: a set of labels in its canonical form,
// and the two classes of the model where labels were grouped by --positive.
func (p *predictor) classOf(label string) (string, error) {
	m := p.model
	if label != "" && m.Multiclass == model.MultiLabel {
		return labeltext.CanonicalSet(label)
	}
	if label == "" || m.PositiveLabels == nil {
		return label, nil
	}
	for _, l := range m.PositiveLabels {
		if c, err := labeltext.Canonical(l); err == nil && c == label {
			return m.Positive, nil
		}
	}
	return m.Negative, nil
}

// columns returns the rows from one on, which is a multiple of 32, to another of the batch.
func (p *predictor) columns(from, to int) gradient.Columns {
	c := gradient.Columns{Len: to - from}
	for ; from < to; from += simd.Width {
		c.Panels = append(c.Panels, p.rows.panel(from, min(simd.Width, to-from)))
	}
	return c
}

// compute writes the functions at the columns to values, [output][column].
func (p *predictor) compute(ctx context.Context, c gradient.Columns, values []float64) error {
	functions := p.gates.functions(p.function)
	each := len(values) / len(functions)
	for k, f := range functions {
		if err := f.Values(ctx, c, p.double, values[k*each:(k+1)*each]); err != nil {
			return err
		}
	}
	return nil
}

// emitBatch computes the decision values of the batch and calls emit for each of its n rows.
func (p *predictor) emitBatch(ctx context.Context, n int, emit func(Prediction) error) error {
	c, leads, err := p.evaluate(ctx, n)
	if err != nil || !leads {
		p.done += n
		return err
	}
	if err := p.grams.addTo(p.values, p.function, p.model.Support, p.done, n, p.gates); err != nil {
		return err
	}
	if err := p.subtractSelves(c, n, p.function); err != nil {
		return err
	}
	decisions := make([]float64, len(p.bias))
	for i := range n {
		for k, b := range p.bias {
			f := p.values[k*n+i] + b
			// NaN is not above 0, and would silently count as the negative class.
			if math.IsNaN(f) || math.IsInf(f, 0) {
				return fail.New(fail.Input, "the decision value of row %d is %g", p.done+i+1, f).
					WithHint("are its features scaled as those of the training were?")
			}
			decisions[k] = f
		}
		if p.sorted {
			slices.Sort(decisions)
		}
		r := p.decider.Decide(decisions)
		r.Decision = model.Predicted(p.model.Task, r.Decision)
		r.Known, r.Target, r.Upper = p.known[i], p.targets[i], p.uppers[i]
		if p.gates != nil {
			r.Gates = p.gates.row(i)
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
