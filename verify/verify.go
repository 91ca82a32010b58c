package verify

import (
	"context"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// Report is the recomputed certificate. Of several machines it has the sum of their primal and of their dual values, the largest
// of their gaps, and the faults of all; if these have one set of weights, the values of all together.
type Report struct {
	Primal, Dual, RelativeGap float64
	Rows                      int             // rows that the loss was summed over
	Sampled                   bool            // estimates from a sample, not bounds
	Faults                    []string        // what is not as the model says or must be; empty when all conditions hold
	Machines                  []MachineReport // of several, in the order of the model; nil for one
}

// MachineReport is the certificate of one of several machines.
type MachineReport struct {
	Name                      string // the class that it knows, or the two that it tells apart
	Primal, Dual, RelativeGap float64
	Rows                      int      // with a part in its loss
	Faults                    []string // its own: not those of data, kernels or support vectors
}

// Run recomputes the certificate of the model on its training data. Data that cannot be the model's is fail.Input; conditions
// that are merely violated become Report.Faults.
func Run(ctx context.Context, m *model.Model, src dataset.Source, o Options) (*Report, error) {
	if o.Sample < 0 || o.Threads < 0 {
		return nil, fail.New(fail.Usage, "a sample of %d rows with %d threads", o.Sample, o.Threads)
	}
	var r *Report
	err := m.Guard(func() error {
		p, err := newProblem(m, &o)
		if err != nil {
			return err
		}
		defer p.close()
		e, err := p.recompute(ctx, src, o)
		if err != nil {
			return err
		}
		p.judge(e)
		r = newReport(p, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// report puts the findings together. What is wrong with many machines alike is one line: that of the first of them.
func newReport(p *problem, e *evidence) *Report {
	r := &Report{RelativeGap: math.Inf(-1), Rows: e.rows, Sampled: p.sampled}
	all := &e.faults
	for k := range e.machines {
		f := &e.machines[k]
		r.Primal, r.Dual, r.RelativeGap = r.Primal+f.primal, r.Dual+f.dual, max(r.RelativeGap, f.gap)
		if p.m.Several() {
			r.Machines = append(r.Machines, MachineReport{p.machines[k].name, f.primal, f.dual, f.gap, f.rows, f.faults.lines()})
		}
		all.join(&f.faults, p.machines[k].prefix())
	}
	if w := e.whole; w != nil {
		r.Primal, r.Dual, r.RelativeGap = w.primal, w.dual, w.gap
		all.join(&w.faults, "all machines together: ")
	}
	r.Faults = all.lines()
	return r
}
