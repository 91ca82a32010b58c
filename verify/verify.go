package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
)

// Options say how to verify; the zero value is an exact run on all cores.
type Options struct {
	Sample      int                   // rows for the loss, and support rows for the norms; 0 = all
	Seed        uint64                // of the sample
	Threads     int                   // 0 = as many as the process may use
	Memory      int64                 // budget in bytes; 0 = 70 % of what the process may use
	Heap        func(bytes int64)     // is to keep the Go heap to so much; nil: nobody does
	UserKernels map[string]UserKernel // the code of kernels user:NAME
	Gram        []string              // matrices of precomputed kernels over the training rows, in the order of Bank.Files; nil = the files in the model
}

// UserKernel is the code of a kernel user:NAME, which no model holds; its methods are those of the library's interface of that name.
type UserKernel = interface {
	Values(dst []float64, x []float32, z [][]float32)
	Definite() bool
}

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
		p, err := newPlan(m, &o)
		if err != nil {
			return err
		}
		defer p.close()
		e, err := p.recompute(ctx, src, o)
		if err != nil {
			return err
		}
		p.judge(e)
		r = p.report(e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// evidence is what data and model give, and what the model is held to.
type evidence struct {
	machines    []finding
	rows        int
	fingerprint uint64
	weighted    bool     // some row has a weight other than 1
	faults      faults   // of what the machines share
	whole       *finding // on machines with one set of weights together; nil if there are none
}

// finding is the evidence on a machine.
type finding struct {
	primal, dual, gap    float64
	primalSpan, dualSpan span      // what the solver's arithmetic may have found
	own                  float64   // what one rounding of every term in double precision can make of primal - dual here
	norms                []span    // what it may have found for ||w_m||
	length               span      // and for the norm of theta, where it is in the objective
	lengths              []float64 // ||v_m||
	definite             bool      // no kernel in use can be indefinite
	rows                 int
	faults               faults
}

// recompute reads the data and sums.
func (p *plan) recompute(ctx context.Context, src dataset.Source, o Options) (*evidence, error) {
	s := newSample(p.m, p.machines, o.Sample, o.Seed)
	p.sampled = s.active
	r, err := newReader(p.m, p.machines, src, s, newVariances(p, o.Seed))
	if err != nil {
		return nil, err
	}
	t, err := p.sum(ctx, r, p.threads)
	if changed := p.changed(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	if err := r.checkEnd(); err != nil {
		return nil, err
	}
	err = r.spread.check(ctx, o.Threads, &r.faults)
	if changed := p.changed(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	p.minimum, p.centre = r.minimum, r.centre
	e := &evidence{rows: t.rows, fingerprint: r.print.sum(p.m, r.contest), weighted: r.print.weights != nil, faults: r.faults}
	indefinite := p.indefinites()
	for k := range p.machines {
		f := p.certificate(&p.machines[k], t.of(k), s, &s.draws[k], r.lin[k].value(), indefinite)
		f.faults = r.own[k]
		e.machines = append(e.machines, f)
	}
	return e, nil
}

// report puts the findings together. What is wrong with many machines alike is one line: that of the first of them.
func (p *plan) report(e *evidence) *Report {
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

// sum runs the rows through the kernels. Batches are computed in parallel and added in order: a batch waits for the one
// before it, which has started earlier and so cannot be waiting for a free goroutine.
func (p *plan) sum(ctx context.Context, r *reader, threads int) (*totals, error) {
	t := newTotals(len(p.machines), len(p.bank.Kernels))
	pool := make(chan *worker, threads)
	for range threads {
		pool <- &worker{plan: p}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	turn := make(chan struct{})
	close(turn)
	readErr := func() error {
		for {
			b, err := r.next()
			if err == io.EOF {
				return nil
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			mine, done := turn, make(chan struct{})
			turn = done
			g.Go(func() error {
				w := <-pool
				defer func() { pool <- w }()
				if err := p.m.Guard(func() error { return w.process(ctx, b) }); err != nil {
					return err
				}
				select {
				case <-mine:
				case <-ctx.Done():
					return ctx.Err()
				}
				w.addTo(t)
				close(done)
				return nil
			})
		}
	}()
	// A failed batch cancels ctx, which then is all the reader sees: the batch's own error says more.
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return t, readErr
}

// faults collects violated conditions, one line for each kind.
type faults struct {
	kinds []string
	first map[string]string
	count map[string]int
}

func (f *faults) add(kind, format string, args ...any) {
	if f.first == nil {
		f.first, f.count = map[string]string{}, map[string]int{}
	}
	if f.count[kind]++; f.count[kind] == 1 {
		f.kinds = append(f.kinds, kind)
		f.first[kind] = fmt.Sprintf(format, args...)
	}
}

// join adds those of a machine.
func (f *faults) join(o *faults, prefix string) {
	for _, kind := range o.kinds {
		f.add(kind, "%s%s", prefix, o.first[kind])
		f.count[kind] += o.count[kind] - 1
	}
}

func (f *faults) lines() []string {
	var out []string
	for _, k := range f.kinds {
		line := f.first[k]
		if n := f.count[k]; n > 1 {
			line += fmt.Sprintf(" (and %d more like it)", n-1)
		}
		out = append(out, line)
	}
	return out
}

// structure checks the lengths that the computation relies on; a model from a file has passed stricter checks.
func structure(m *model.Model) error {
	kernels, support := m.Len(), len(m.Support)
	ok := m.Points >= support && m.Features >= 0 && m.Norm >= 1 && (m.Weights == nil || len(m.Weights) == kernels) && (m.Interaction == nil || len(m.Interaction) == kernels*kernels)
	ok = ok && (m.Vectors == nil || len(m.Vectors) == support*m.Features) && (m.Sparse == nil || m.Vectors == nil && m.Sparse.Sound(support, m.Features))
	ok = ok && (m.Normalization.Scale == nil || len(m.Normalization.Scale) == kernels)
	ok = ok && ascending(m.Support, m.Points) && (m.Sigmoids == nil || len(m.Sigmoids) == max(1, len(m.Machines)))
	if m.Several() {
		ok = ok && machinesFit(m)
	} else {
		ok = ok && len(m.Alpha) == support
	}
	if !ok {
		return fail.New(fail.Corrupt, "the parts of the model do not fit each other")
	}
	if err := m.Scaling.Validate(m.Features); err != nil {
		return fail.New(fail.Corrupt, "%w", err)
	}
	return nil
}

// ascending tells whether a list holds different numbers below n in order.
func ascending(list []int32, n int) bool {
	last := int32(-1)
	for _, i := range list {
		if i <= last || int(i) >= n {
			return false
		}
		last = i
	}
	return true
}

var errNoVectors = errors.New("kernels need the support vectors, and the model has none")

func finite(x float64) bool { return x-x == 0 }
