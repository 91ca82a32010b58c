package kernels

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// expansion is the list of kernels that specifications ask for, with the files that they name.
type expansion struct {
	// Specs are the specifications before the expansion, with files replaced by their numbers.
	Specs    []string
	Expanded *kernelspec.Bank // one entry for each kernel
	Matrices []*npy.Matrix    // matrices of precomputed kernels, which stay open until Close

	options PrepareOptions
	lookups *Lookups // nil unless points name objects
	columns []int    // of the objects of each matrix
}

// expand makes the list of kernels from the specifications.
func (p *expansion) expand(ctx context.Context, store *dataset.Store, specs []string) (err error) {
	o := &p.options
	median := newDistances(store, o)
	c := kernelspec.Context{
		Features: o.PlainFeatures(store.Dim()), Flags: o.Flags, Views: o.Views, Sequences: o.Sequences,
		Seed: o.Seed, Memory: o.Memory, Regions: o.Regions, Gated: o.Gated,
		Objects: o.Objects != nil,
		Median: func(set []int32, kind kernelspec.Kind) (float64, error) {
			return median.distance(ctx, set, kind)
		},
		Mean: func(set []int32, kind kernelspec.Kind) (float64, error) {
			return median.mean(ctx, set, kind)
		},
		Nearest:   func(set []int32) (float64, error) { return median.nearest(ctx, set) },
		CostPower: o.CostPower,
	}
	if o.Given != nil {
		next := 0
		given := func() (float64, error) {
			if next == len(o.Given.Medians) {
				return 0, fail.New(fail.Corrupt, "%d distances are given and the kernels need more", next)
			}
			next++
			return o.Given.Medians[next-1], nil
		}
		c.Median = func([]int32, kernelspec.Kind) (float64, error) { return given() }
		c.Mean = c.Median
		c.Nearest = func([]int32) (float64, error) { return given() }
	}
	p.Expanded, err = kernelspec.Expand(specs, c)
	if err != nil {
		return err
	}
	p.Specs = slices.Clone(specs)
	for i, s := range p.Specs {
		if o.Objects != nil {
			p.Specs[i] = kernelspec.NumberMatrices(s, p.Expanded.Files)
			continue
		}
		suffix := kernelspec.Suffix(s)
		if file, ok := strings.CutPrefix(strings.TrimSuffix(s, suffix), "precomputed:"); ok {
			for k, f := range p.Expanded.Files {
				if f == file {
					p.Specs[i] = fmt.Sprintf("precomputed:%d%s", k+1, suffix)
				}
			}
		}
	}
	return nil
}

// open maps the matrices of precomputed kernels, which must be n x n, or have a row for each object.
func (p *expansion) open(ctx context.Context, n int) error {
	if p.options.Objects != nil {
		return p.openOfObjects(ctx)
	}
	for id, k := range p.Expanded.Kernels {
		own := k.Normalizer.Or(p.options.Normalizer)
		if own == kernelspec.Centred {
			if err := p.checkCentred(id, &k); err != nil {
				return err
			}
		}
		if own == kernelspec.Spherical && k.Kind == kernelspec.Precomputed {
			return fail.New(fail.Usage, "kernel %d (%s): spherical normalisation needs k(x,x) of "+
				"unseen rows, which a precomputed matrix does not have", id+1, p.Describe(id)).
				WithHint("normalise the matrix itself, and write norm=none or " +
					"norm=multiplicative behind the kernel")
		}
	}
	for _, file := range p.Expanded.Files {
		if err := p.load(ctx, file, n, "rows"); err != nil {
			return err
		}
	}
	return nil
}

// load maps a matrix of n rows and columns, of which a message names the rows.
func (p *expansion) load(ctx context.Context, file string, n int, rows string) error {
	m, err := npy.Load(file, n)
	if err != nil {
		return err
	}
	p.Matrices = append(p.Matrices, m)
	if m.Rows != n {
		return fail.New(fail.Input, "the matrix is %d x %d, the data have %d %s", m.Rows, m.Cols, n, rows).At(file, 0, 0)
	}
	return checkMatrix(ctx, m, file)
}

// openOfObjects maps the matrices of kernels of objects, and makes room for the values of all kernels.
func (p *expansion) openOfObjects(ctx context.Context) error {
	o, b := &p.options, p.Expanded
	columns := make([]int, len(b.Files))
	p.columns = columns
	note := func(k *kernelspec.Kernel) error {
		if k.Kind != kernelspec.Precomputed {
			return nil
		}
		column, own := o.Objects.Find(b.Features(k.Set))
		if column < 0 || own != nil {
			return fail.New(fail.Usage, "a matrix of objects belongs to one of their columns").
				WithHint("write precomputed:FILE@%s", o.Objects.Columns[0].Name)
		}
		columns[k.Index] = column
		return nil
	}
	for id := range b.Kernels {
		if err := note(&b.Kernels[id]); err != nil {
			return err
		}
	}
	for _, product := range b.Products {
		for i := range product {
			if err := note(&product[i].Kernel); err != nil {
				return err
			}
		}
	}
	for i, file := range b.Files {
		c := columns[i]
		if err := p.load(ctx, file, o.Objects.Kind(c).Count, "objects "+o.Objects.Columns[c].Name); err != nil {
			return err
		}
	}
	p.lookups = NewLookups(o.Objects, b, LookupOptions{Matrices: p.Matrices, Users: o.Users, Threads: o.Threads,
		Scratch: o.Scratch, Memory: LookupMemory(o.Memory)})
	return nil
}

// checkCentred rejects kernels that cannot be centred: what they are at unseen rows is not known, or
// they are products.
func (p *expansion) checkCentred(id int, k *kernelspec.Kernel) error {
	switch k.Kind {
	case kernelspec.Precomputed:
		return fail.New(fail.Usage, "kernel %d (%s): norm=centred needs the values of unseen rows with "+
			"the training rows, which a precomputed matrix does not have", id+1, p.Describe(id)).
			WithHint("centre the matrix itself, and write norm=none or norm=multiplicative behind the kernel")
	case kernelspec.Product:
		return fail.New(fail.Usage, "kernel %d (%s): norm=centred of a product of kernels: not yet",
			id+1, p.Describe(id))
	}
	return nil
}

// List names kernels by number and specification, the first few of them.
func (p *expansion) List(ids []int) string {
	const named = 3
	var names []string
	for _, id := range ids[:min(named, len(ids))] {
		names = append(names, fmt.Sprintf("%d (%s)", id+1, p.Describe(id)))
	}
	s := "kernel " + strings.Join(names, ", ")
	if len(ids) > named {
		s += fmt.Sprintf(" and %d more", len(ids)-named)
	}
	return s
}

// Describe is a kernel's specification, cut where it lists many features.
func (p *expansion) Describe(id int) string { return fail.Cut(p.Expanded.Brief(id)) }

// Overflow is the error of a kernel whose values are not finite; where names the data.
func (p *expansion) Overflow(id int, where string) error {
	return fail.New(fail.Input, "kernel %d (%s) takes values that are not finite %s",
		id+1, p.Describe(id), where).
		WithHint("scale the data, or lower the degree")
}

// Changed is an error if a matrix was written to since it was opened. Its numbers may then come
// from two matrices, or not finite, so whatever was computed of them is worth nothing.
func (p *expansion) Changed() error {
	for _, m := range p.Matrices {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the matrices.
func (p *expansion) Close() {
	for _, m := range p.Matrices {
		m.Close()
	}
	p.Matrices = nil
	p.lookups.close()
}
