package kernels

import (
	"context"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// FindScales finds the scales of the kernels that are normalised multiplicatively. double asks for
// their variances in double precision. warn is told which kernels have no variance and so get the
// weight 0; scales that are not finite are an error of class fail.Input.
func (p *Prepared) FindScales(ctx context.Context, store *dataset.Store, double bool,
	warn func(string, ...any)) error {
	o := &p.options
	if o.Normalizer != kernelspec.Multiplicative && !kernelspec.Multiplicative.AskFor(p.Specs) {
		return nil
	}
	n, err := p.normalization(ctx, store, double)
	if err != nil {
		return err
	}
	p.Normalization, p.Bank.Scale = *n, n.Scale
	for i, s := range p.plain {
		p.Skeletons[i] = s.Normalised()
	}
	var flat []int
	for id, s := range n.Scale {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return p.Overflow(id, "on these data")
		}
		if s == 0 {
			flat = append(flat, id)
		}
	}
	if len(flat) > 0 {
		warn("%s without variance on these data: weight 0", p.List(flat))
	}
	return nil
}

// normalization returns the normalisation that is given, or else finds that of the points.
func (p *Prepared) normalization(ctx context.Context, store *dataset.Store, double bool) (
	*Normalization, error) {
	o := &p.options
	if o.Given == nil || o.Given.Normalization == nil {
		if n := o.Scales.find(p, store.Len(), double); n != nil {
			return n, nil
		}
		n, err := p.Bank.normalize(ctx, store, p.Shape, p.plain[1], double, o.Threads, o.Seed, o.Scratch)
		if err == nil {
			o.Scales.keep(p, n, double)
		}
		return n, err
	}
	n := *o.Given.Normalization
	if len(n.Scale) != p.Bank.Len() {
		return nil, fail.New(fail.Corrupt, "%d factors are given for %d kernels", len(n.Scale),
			p.Bank.Len())
	}
	return &n, nil
}
