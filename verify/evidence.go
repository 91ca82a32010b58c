package verify

import (
	"context"

	"bigmkl/dataset"
)

// evidence holds all figures of a model that the data and the dual variables give.
type evidence struct {
	findings    []finding // of each classifier
	rows        int       // rows with a part in some loss
	fingerprint uint64    // of the data as the model scales, labels and weights them
	weighted    bool      // some row has a weight other than 1
	faults      faults    // of what the classifiers share
	wingSums    wingSums  // sums that the wing has
	whole       *finding  // on classifiers that share one set of weights; nil if there are none
}

// recompute reads the data once and returns the evidence. A matrix that was written to in the
// meantime explains every other error, and is therefore asked about first.
func (p *problem) recompute(ctx context.Context, src dataset.Source, o Options) (*evidence, error) {
	s := newSample(p.m, p.classifiers, o.Sample, o.Seed)
	p.sampled = s.active
	src, err := withFlags(p, &o, src)
	if err != nil {
		return nil, reject(o.Ranks, err)
	}
	r, err := newReader(p.m, p.classifiers, p.gates, src, s, newVariances(p, o.Seed))
	if err != nil {
		return nil, reject(o.Ranks, err)
	}
	r.fills = newFills(p)
	t, err := sumRows(ctx, p, r, p.threads, o.Ranks)
	if changed := p.checkMatrices(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	// The data may go on behind the rows that were asked for.
	if err := r.checkEnd(); err != nil {
		return nil, err
	}
	err = r.variances.checkFactors(ctx, o.Threads, &r.faults)
	if changed := p.checkMatrices(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	// What all rows had to be read for: whether kernels are definite, and where the points lie.
	p.minimum, p.centre = r.minimum, r.centre
	e := &evidence{rows: t.rows, wingSums: t.wing, weighted: r.fingerprint.weights != nil, faults: r.faults}
	e.fingerprint = r.fingerprint.sum(p.m, r.decomposition)
	if c, ok := p.wing.(completer); ok {
		c.complete(p.m, t, r)
	}
	indefinite, j := p.indefinites(), &judgement{p, e}
	for k := range p.classifiers {
		lin := r.support.lin[k].value()
		if c, ok := t.wing.(collectiveSums); ok {
			lin = c.finish(p.m, t)
		}
		squares := r.support.squares[k].value()
		p.gates.findScarce(&s.draws[k], &p.classifiers[k], int32(k))
		f := j.certificate(&p.classifiers[k], t.ofClassifier(k), s, &s.draws[k], lin, squares, indefinite)
		f.faults = r.support.classifierFaults[k]
		e.findings = append(e.findings, f)
	}
	for _, x := range p.extensions {
		if err := x.check(ctx, j, t, o.Threads); err != nil {
			return nil, err
		}
	}
	return e, nil
}
