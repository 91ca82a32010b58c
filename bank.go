package bigmkl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// bank is the kernels of a run: what was asked for, its expansion, and its arithmetic.
type bank struct {
	specs         []string // unexpanded, files replaced by their number
	expanded      *kernelspec.Bank
	kernels       *kernels.Bank
	normalization kernels.Normalization
	matrices      []*npy.Matrix
	shape         kernels.Shape
}

// newBank makes the kernels of a run, not normalised yet.
func newBank(ctx context.Context, store *dataset.Store, o *Options) (*bank, error) {
	if !o.countable(store) {
		if err := o.refuse(store); err != nil {
			return nil, err
		}
	}
	b := &bank{}
	if err := b.expand(ctx, store, o); err != nil {
		if errors.Is(err, fail.Budget) { // which budget does, it cannot say
			err = cmp.Or(o.refuse(store), err)
		}
		return nil, err
	}
	if err := b.open(ctx, store.Len(), o.normalizer()); err != nil {
		b.close()
		return nil, err
	}
	var err error
	if b.shape, err = kernels.Survey(ctx, store, store.Mean(), o.Threads); err != nil {
		b.close()
		return nil, err
	}
	b.shape.Uncentred = o.Task == TaskOneClass
	if b.kernels, err = kernels.NewBank(b.expanded, b.shape, o.normalizer(), b.matrices, o.UserKernels); err != nil {
		b.close()
		return nil, err
	}
	if err := b.kernels.CheckUsers(store); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// normalize finds the scales of the kernels.
func (b *bank) normalize(ctx context.Context, store *dataset.Store, o *Options, warn func(string, ...any)) error {
	if o.normalizer() != kernelspec.Multiplicative && !kernelspec.Multiplicative.AskFor(b.specs) {
		return nil
	}
	n, err := b.kernels.Normalize(ctx, store, b.shape, o.double(), o.Threads, o.Seed, o.Scratch)
	if err != nil {
		return err
	}
	b.normalization, b.kernels.Scale = *n, n.Scale
	return b.scales(n.Scale, warn)
}

// normalizer is that of the kernels which do not have their own.
func (o *Options) normalizer() kernelspec.Normalizer {
	n, _ := kernelspec.ParseNormalizer(o.Normalize) // has been validated
	return n
}

// double tells whether the run will end up in double precision because of what was asked for.
func (o *Options) double() bool {
	auto := o.Precision == string(chunking.Auto)
	return o.Precision == string(chunking.Double) || auto && (o.Gap < chunking.WidenBelow || o.delicate())
}

// specs is what kernels are asked for.
func (o *Options) specs() ([]string, error) {
	if o.Kernels == "" {
		return kernelspec.Default(len(o.Views) > 0, o.Sequences), nil
	}
	return kernelspec.Split(o.Kernels)
}

func (b *bank) expand(ctx context.Context, store *dataset.Store, o *Options) error {
	specs, err := o.specs()
	if err != nil {
		return err
	}
	if err := model.CheckText(specs, o.Views); err != nil {
		return err
	}
	if slices.ContainsFunc(specs, model.NeedsFeatures) {
		switch {
		case store.Columns():
			return fail.New(fail.Input, "no row has a feature").WithHint(dataset.ColumnsHint)
		case store.Dim() == 0:
			return fail.New(fail.Input, "no row has a feature")
		}
	}
	median := kernels.NewMedians(store, o.Seed)
	b.expanded, err = kernelspec.Expand(specs, kernelspec.Context{
		Features: store.Dim(), Views: o.Views, Sequences: o.Sequences, Seed: o.Seed, Memory: allowance(o.Memory),
		Median: func(set []int32, kind kernelspec.Kind) (float64, error) { return median.Distance(ctx, set, kind) },
		Mean:   func(set []int32, kind kernelspec.Kind) (float64, error) { return median.Mean(ctx, set, kind) },
	})
	if err != nil {
		return err
	}
	b.specs = specs
	for i, s := range b.specs {
		suffix := kernelspec.Suffix(s)
		if file, ok := strings.CutPrefix(strings.TrimSuffix(s, suffix), "precomputed:"); ok {
			for k, f := range b.expanded.Files {
				if f == file {
					b.specs[i] = fmt.Sprintf("precomputed:%d%s", k+1, suffix)
				}
			}
		}
	}
	return nil
}

// open maps the matrices of precomputed kernels.
func (b *bank) open(ctx context.Context, n int, normalizer kernelspec.Normalizer) error {
	for id, k := range b.expanded.Kernels {
		if k.Kind == kernelspec.Precomputed && k.Normalizer.Or(normalizer) == kernelspec.Spherical {
			return fail.New(fail.Usage, "kernel %d (%s): spherical normalisation needs k(x,x) of unseen rows, which a precomputed matrix does not have",
				id+1, b.describe(id)).WithHint("normalise the matrix itself, and write norm=none or norm=multiplicative behind the kernel")
		}
	}
	for _, file := range b.expanded.Files {
		m, err := npy.Load(file, n)
		if err != nil {
			return err
		}
		b.matrices = append(b.matrices, m)
		if m.Rows != n {
			return fail.New(fail.Input, "the matrix is %d x %d, the data have %d rows", m.Rows, m.Cols, n).At(file, 0, 0)
		}
		if err := checkMatrix(ctx, m, file); err != nil {
			return err
		}
	}
	return nil
}

const (
	checkedRows = 1000 // rows of a matrix that are read before training
	asymmetry64 = 1e-8 // relative to the diagonal, of matrices stored in double precision

	// The same of matrices in single precision: the two values of a kernel for a pair of points are rounded each for itself, and
	// squared distances of points that are far from the mean may lose as many digits as kernels.directAbove32 allows.
	asymmetry32 = 1e-4
)

// checkMatrix reads evenly spread rows of a square matrix: numbers must be finite and the matrix symmetric.
func checkMatrix(ctx context.Context, m *npy.Matrix, file string) error {
	n := m.Cols
	row, other := make([]float64, n), make([]float64, 1)
	step, asymmetry := max(1, n/checkedRows), asymmetry32
	if m.Float64s {
		asymmetry = asymmetry64
	}
	for i := 0; i < n; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.Row64(i, 0, row)
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return cmp.Or(m.Err(), error(fail.New(fail.Input, "matrix entry (%d, %d) is %g", i+1, j+1, v).At(file, 0, 0)))
			}
			if (j-i)%step != 0 {
				continue
			}
			m.Row64(j, i, other)
			if math.Abs(v-other[0]) > asymmetry*max(math.Abs(v), math.Abs(row[i])) {
				return fail.New(fail.Input, "the matrix is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", i+1, j+1, v, j+1, i+1, other[0]).At(file, 0, 0)
			}
		}
	}
	return nil
}

// scales looks at what the normalisation found: kernels without variance are named, values that are no numbers refused.
func (b *bank) scales(scale []float64, warn func(string, ...any)) error {
	var flat []int
	for id, s := range scale {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return b.overflow(id, "on these data")
		}
		if s == 0 {
			flat = append(flat, id)
		}
	}
	if len(flat) > 0 {
		warn("%s without variance on these data: weight 0", b.list(flat))
	}
	return nil
}

// list names kernels by number and specification, the first few of them.
func (b *bank) list(ids []int) string {
	const named = 3
	var names []string
	for _, id := range ids[:min(named, len(ids))] {
		names = append(names, fmt.Sprintf("%d (%s)", id+1, b.describe(id)))
	}
	s := "kernel " + strings.Join(names, ", ")
	if len(ids) > named {
		s += fmt.Sprintf(" and %d more", len(ids)-named)
	}
	return s
}

// describe is a kernel's specification, cut where it lists many features.
func (b *bank) describe(id int) string {
	return fail.Cut(b.expanded.Describe(id))
}

// blame finds the kernel that made the numbers overflow. energies: V_m.
func (b *bank) blame(energies []float64, points kernels.Points, double bool) error {
	overflow := kernels.Overflow[float32]
	if double {
		overflow = kernels.Overflow[float64]
	}
	if id, i, found := overflow(b.kernels, points); found {
		return b.overflow(id, fmt.Sprintf("on these data, such as k(x,x) of row %d", i+1))
	}
	for id, v := range energies {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return b.overflow(id, "on these data")
		}
	}
	return fail.New(fail.Input, "the kernels take values whose sums are not finite on these data").WithHint("scale the data, or normalise the kernels")
}

func (b *bank) overflow(id int, where string) error {
	return fail.New(fail.Input, "kernel %d (%s) takes values that are not finite %s", id+1, b.describe(id), where).
		WithHint("scale the data, or lower the degree")
}

// changed is an error if a matrix was written to since it was opened: numbers that are not finite come from there, then, and
// those that are may be of two matrices.
func (b *bank) changed() error {
	for _, m := range b.matrices {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (b *bank) close() {
	for _, m := range b.matrices {
		m.Close()
	}
}

// listCounts formats classes with their sizes.
func listCounts(names []string, count []int) string {
	return fail.List(func(i int) string { return fmt.Sprintf("%s (%d)", fail.Label(names[i]), count[i]) }, len(names))
}
