package verify

import (
	"context"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Report is the certificate that Run computed, in the unit of the objective.
//
// For a model of several classifiers Primal and Dual are the sums over the classifiers and
// RelativeGap is the largest of their gaps. If the classifiers share one set of weights, they are
// one problem, and all three are its values.
type Report struct {
	// Primal and Dual bound the optimum from above and from below if Faults is empty and Sampled
	// is false. RelativeGap is (Primal - Dual) / max(|Primal|, |Dual|), and 0 where both are
	// rounding of 0.
	Primal, Dual, RelativeGap float64

	// Rows is the number of training rows that the losses were summed over.
	Rows int

	// Sampled means that the values are estimates from a sample. Estimates bound nothing. GapRange is then the
	// least and the largest relative gap within six standard errors of the estimates, which is at least 0.
	Sampled  bool
	GapRange [2]float64

	// Faults has a line for each kind of condition that the model violates: what a model claims,
	// and what has to hold for its gap to be a proof. It is empty if all conditions hold.
	Faults []string
	// OtherData means that the data are not the training data. Faults then begins with that.
	OtherData bool

	// Unchecked has a line for each claim of the model that was not checked, which begins with its key
	// in the settings or the name of its array, and a colon.
	Unchecked []string

	// Classifiers has the certificate of each of several classifiers, in their order in the model.
	// It is nil for a model of one classifier.
	Classifiers []ClassifierReport
}

// ClassifierReport is the certificate of one of several classifiers.
type ClassifierReport struct {
	// Name is the class that the classifier separates from the others, or the two classes that it
	// separates from each other, joined by " and ".
	Name string

	Primal, Dual, RelativeGap float64 // as in Report, of this classifier alone

	// Rows is the number of training rows with a part in the loss of this classifier.
	Rows int

	// Faults are the faults of this classifier. Faults of the data, the kernels and the support
	// vectors, which the classifiers share, are in Report.Faults alone.
	Faults []string
}

// Run recomputes the certificate of the model m from its training data and holds the model to all
// that it claims. The rows of src have to come in the order of the training.
//
// Conditions that the model violates become Report.Faults and are not an error. An error is of
// class usage if an option makes no sense or the code of a kernel is missing, input if the data
// cannot be the model's, corrupt if the parts of the model do not fit each other, and budget if
// Options.Memory is too small. If ctx ends, Run returns ctx's error. It leaves no goroutine
// behind.
func Run(ctx context.Context, m *model.Model, src dataset.Source, o Options) (*Report, error) {
	if o.Sample < 0 || o.Threads < 0 {
		return nil, fail.New(fail.Usage, "a sample of %d rows with %d threads", o.Sample, o.Threads)
	}
	if o.Sample > 0 && wingOf(m).traits(m).whole {
		return nil, fail.New(fail.Usage, "a sample of the rows of a model of task %s: not yet", m.Task).
			WithHint("verify without --sample")
	}
	var r *Report
	err := m.Guard(func() error {
		p, err := newProblem(m, &o)
		if err != nil {
			return reject(o.Ranks, err)
		}
		defer p.close()
		// Rows that calibrate are not in the training.
		if c := m.Conformal; c.Split() {
			// The order of all rows and a mark for each, whose number is a claim of the file.
			if need := 9 * int64(c.Rows); need > o.Memory {
				return fail.New(fail.Budget, "verifying takes %s for the %d rows of which some were held out; --memory is %s",
					bytesize.Text(need), c.Rows, bytesize.Text(o.Memory))
			}
			src = &without{src, holdout.Mark(c.Rows, c.Share, m.Seed), m.Limit > 0}
		}
		e, err := p.recompute(ctx, src, o)
		if err != nil {
			return err
		}
		j := &judgement{p, e}
		if err := j.checkCentre(&e.faults); err != nil {
			return err
		}
		j.judge()
		r = newReport(j)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// newReport puts the findings together. A kind of fault that many classifiers have is one line,
// with the words of the first of them.
func newReport(p *judgement) *Report {
	e := p.evidence
	r := &Report{RelativeGap: math.Inf(-1), Rows: e.rows, Sampled: p.sampled, Unchecked: p.unchecked()}
	all := &e.faults
	for k := range e.findings {
		f := &e.findings[k]
		r.Primal, r.Dual = r.Primal+f.primal, r.Dual+f.dual
		r.RelativeGap = max(r.RelativeGap, f.gap)
		if p.sampled {
			r.widen(f)
		}
		if p.m.Several() {
			r.Classifiers = append(r.Classifiers, ClassifierReport{
				Name: p.classifiers[k].name, Primal: f.primal, Dual: f.dual, RelativeGap: f.gap,
				Rows: f.rows, Faults: f.faults.lines(),
			})
		}
		all.join(&f.faults, p.classifiers[k].prefix())
	}
	if w := e.whole; w != nil {
		r.Primal, r.Dual, r.RelativeGap = w.primal, w.dual, w.gap
		if p.sampled {
			r.GapRange = [2]float64{}
			r.widen(w)
		}
		all.join(&w.faults, w.prefix)
	}
	r.Faults, r.OtherData = all.lines(), all.count[otherData] > 0
	return r
}

// widen takes the gaps that a finding allows into the range of the report. The largest gap of several classifiers is
// at least the largest of their least gaps.
func (r *Report) widen(f *finding) {
	low, high := math.Inf(1), 0.0
	for _, primal := range []float64{f.primalSpan.low, f.primalSpan.high} {
		// A dual value far below 0 is the denominator of the gap, which then falls where the dual value falls.
		for _, dual := range []float64{f.dualSpan.low, f.dualSpan.high} {
			gap := relativeGap(primal, dual)
			low, high = min(low, gap), max(high, gap)
		}
	}
	// Between the ends the gap is largest where the values are opposite numbers.
	if least, most := max(f.primalSpan.low, -f.dualSpan.high), min(f.primalSpan.high, -f.dualSpan.low); most > 0 && least <= most {
		high = max(high, 2)
	}
	r.GapRange = [2]float64{max(r.GapRange[0], low, 0), max(r.GapRange[1], high)}
}
