package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/spec"
	"bigmkl/model"
)

// Options say how to verify; the zero value is an exact run on all cores.
type Options struct {
	Sample  int      // rows for the loss, and support rows for the norms; 0 = all
	Seed    uint64   // of the sample
	Threads int      // 0 = as many as the process may use
	Gram    []string // matrices of precomputed kernels over the training rows, in the order of Bank.Files; nil = the files in the model
}

// Report is the recomputed certificate.
type Report struct {
	Primal, Dual, RelativeGap float64
	Rows                      int      // rows that the loss was summed over
	Sampled                   bool     // estimates from a sample, not bounds
	Faults                    []string // why the values certify nothing; empty when all conditions hold
}

// Run recomputes the certificate of the model on its training data. Data that cannot be the model's is fail.Input; conditions
// that are merely violated become Report.Faults.
func Run(ctx context.Context, m *model.Model, src dataset.Source, o Options) (*Report, error) {
	if o.Sample < 0 || o.Threads < 0 {
		return nil, fail.New(fail.Usage, "a sample of %d rows with %d threads", o.Sample, o.Threads)
	}
	p, err := newPlan(m, o.Gram)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	r, err := newReader(m, src, newSample(m, o.Sample, o.Seed))
	if err != nil {
		return nil, err
	}
	t, err := p.sum(ctx, r, o.Threads)
	if err != nil {
		return nil, err
	}
	if err := r.checkEnd(); err != nil {
		return nil, err
	}
	checkDual(m, &r.faults)
	report := certificate(p, t)
	report.Rows, report.Sampled = t.rows, r.sample.active
	if !finite(report.Primal) || !finite(report.Dual) {
		r.faults.add("finite", "the certificate is not finite: primal %v, dual %v", report.Primal, report.Dual)
	}
	report.Faults = r.faults.lines()
	return report, nil
}

// totals are sums over the rows.
type totals struct {
	loss neumaier
	v    []neumaier // V_m
	rows int        // in the loss
}

// sum runs the rows through the kernels. Batches are computed in parallel and added in order: a batch waits for the one
// before it, which has started earlier and so cannot be waiting for a free goroutine.
func (p *plan) sum(ctx context.Context, r *reader, threads int) (*totals, error) {
	t := &totals{v: make([]neumaier, len(p.bank.Kernels))}
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
				if err := w.process(ctx, b); err != nil {
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

// certificate puts the sums together.
func certificate(p *plan, t *totals) *Report {
	m := p.m
	w := make([]float64, len(t.v))
	v := make([]float64, len(t.v))
	for k := range t.v {
		v[k] = t.v[k].value()
	}
	p.linear.lengths(m, p.bank, v)
	for k := range v {
		if m.Theta[k] == 0 && mayBeIndefinite(p.bank.Kernels[k]) {
			v[k] = 0 // left out of the problem by its weight
		}
		v[k] = math.Sqrt(max(v[k], 0)) // an indefinite kernel may give a negative V
		w[k] = m.Theta[k] * v[k]
	}
	var lin neumaier
	for _, a := range m.Alpha {
		lin.add(math.Abs(a))
	}
	nw, nv := norm(w, m.Norm), norm(v, conjugate(m.Norm))
	r := &Report{Primal: nw*nw/2 + t.loss.value(), Dual: lin.value() - nv*nv/2}
	if scale := max(math.Abs(r.Primal), math.Abs(r.Dual)); scale != 0 { // a NaN is to stay one
		r.RelativeGap = (r.Primal - r.Dual) / scale
	}
	return r
}

// mayBeIndefinite names the kernels that training leaves out when alpha'K alpha becomes negative.
func mayBeIndefinite(k spec.Kernel) bool {
	switch k.Kind {
	case spec.Sigmoid, spec.Precomputed, spec.Intersection:
		return true
	case spec.Poly:
		return k.Gamma < 0 || k.Coef < 0
	}
	return false
}

// checkDual looks for what the model alone shows: signs of theta, its norm, and the sum of alpha.
func checkDual(m *model.Model, f *faults) {
	power := m.Norm / (2 - m.Norm)
	var norm neumaier
	positive := false
	for k, t := range m.Theta {
		if !finite(t) || t < 0 {
			f.add("theta", "theta[%d] is %v", k, t)
		}
		if t > 0 {
			positive = true
			norm.add(math.Pow(t, power))
		}
	}
	// Above 2 the exponent is negative and tiny weights dominate the sum; any theta >= 0 gives a valid primal anyway.
	if s := norm.value(); m.Norm < 2 && positive && !(math.Abs(s-1) <= 1e-6) {
		f.add("norm", "sum theta^%.6g is %.9g, not 1", power, s)
	}
	var sum neumaier
	for _, a := range m.Alpha {
		sum.add(a)
	}
	if s := sum.value(); !(math.Abs(s) <= 1e-9*m.C*float64(m.Points)) {
		f.add("sum", "the sum of alpha is %g, not 0", s)
	}
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
	kernels, support := len(m.Theta), len(m.Support)
	ok := len(m.Alpha) == support && m.Points >= support && m.Features >= 0 && m.Norm >= 1
	ok = ok && (m.Vectors == nil || len(m.Vectors) == support*m.Features)
	ok = ok && (m.Normalization.Kind != "multiplicative" || len(m.Normalization.Scale) == kernels)
	last := int32(-1)
	for _, row := range m.Support {
		ok = ok && row > last && int(row) < m.Points
		last = row
	}
	if !ok {
		return fail.New(fail.Corrupt, "the parts of the model do not fit each other")
	}
	if err := m.Scaling.Validate(m.Features); err != nil {
		return fail.New(fail.Corrupt, "%w", err)
	}
	return nil
}

var errNoVectors = errors.New("kernels need the support vectors, and the model has none")

func finite(x float64) bool { return x-x == 0 }
