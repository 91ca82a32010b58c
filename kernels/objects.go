package kernels

import (
	"context"
	"fmt"
	"math"
	"strings"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/mmap"
)

// Rows may name objects in place of features: n rows of few objects. A kernel of objects then has as many different
// values as pairs of objects. They are computed once, in float64, and every kernel value of rows is looked up: a
// factor k_c[o_c(i), o_c(j)] for each column c, with o_c(i) the object of row i. Values take m^2 numbers of 8 bytes
// for m objects and each kernel, or product of kernels on one column.

// Lookups are the values of the kernels of objects. The zero of a Shape, nil, is for rows with features.
type Lookups struct {
	set      *objects.Set
	bank     *kernelspec.Bank
	matrices []*npy.Matrix
	users    map[string]UserKernel
	threads  int
	outline  bool // no value is known
	scratch  string
	memory   int64 // bytes of values that are in memory; beyond it they are in mapped files
	tables   map[string]*valueTable
	maps     []*mmap.Map
	bytes    int64 // of values in memory
}

// valueTable is the values of a kernel of objects, count x count.
type valueTable struct {
	count    int
	values   []float64
	definite bool
	resident bool // the values are in memory and not in a mapped file
}

// row returns the values of an object with all objects.
func (t *valueTable) row(i int) []float64 { return t.values[i*t.count : (i+1)*t.count] }

// LookupOptions set how values of kernels of objects are computed.
type LookupOptions struct {
	// Matrices has an entry for each precomputed file of the bank, and Users the code of kernels of the user.
	Matrices []*npy.Matrix
	Users    map[string]UserKernel
	Threads  int
	// Scratch is the folder of the files of values that take more than so many bytes of Memory.
	Scratch string
	Memory  int64
	// Outline computes no value.
	Outline bool
}

// NewLookups returns the values of the kernels of objects that a bank names, none of which is computed yet. NewBank
// computes them. close frees the values.
func NewLookups(set *objects.Set, bank *kernelspec.Bank, o LookupOptions) *Lookups {
	return &Lookups{set: set, bank: bank, matrices: o.Matrices, users: o.Users, threads: o.Threads, scratch: o.Scratch,
		memory: o.Memory, outline: o.Outline, tables: map[string]*valueTable{}}
}

// close frees the values.
func (l *Lookups) close() {
	if l == nil {
		return
	}
	for _, m := range l.maps {
		m.Close()
	}
	l.maps, l.tables = nil, nil
}

// ofObjects is a kernel of the objects of one column to a power.
type ofObjects struct {
	kernel kernelspec.Kernel
	own    []int32 // its features among all features of the objects; nil for all
	power  int
}

// placed returns the column of a kernel of objects, with the kernel.
func (l *Lookups) placed(k *kernelspec.Kernel, power int) (column int, of ofObjects, err error) {
	column, own := l.set.Find(l.bank.Features(k.Set))
	if column < 0 {
		return 0, of, fail.New(fail.Usage, "kernel %s is over features of several objects", l.describe(k)).
			WithHint("write @%s behind it, or prod(A@%s,B@..)", l.set.Columns[0].Name, l.set.Columns[0].Name)
	}
	kind := l.set.Kind(column)
	if k.Kind != kernelspec.Precomputed && kind.Dim == 0 {
		name := l.set.Columns[column].Name
		return 0, of, fail.New(fail.Usage, "kernel %s: the objects %s have no features", l.describe(k), name).
			WithHint("precomputed:FILE@%s takes a matrix of them", name)
	}
	return column, ofObjects{*k, own, power}, nil
}

// describe is the specification of a kernel of the bank, also of a factor.
func (l *Lookups) describe(k *kernelspec.Kernel) string {
	one := *l.bank
	one.Kernels = []kernelspec.Kernel{*k}
	return fail.Cut(one.Brief(0))
}

// table returns the values of a product of kernels of the objects of a kind. If unit is set, they are divided by the
// roots of the values of the objects with themselves (Kloft 2011, eq. 3.7).
func (l *Lookups) table(ctx context.Context, kind int, product []ofObjects, unit bool) (*valueTable, error) {
	var key strings.Builder
	fmt.Fprint(&key, kind, unit)
	for _, f := range product {
		k := f.kernel
		k.Set, k.Normalizer = 0, 0
		fmt.Fprint(&key, " ", k, f.own, f.power)
	}
	if t := l.tables[key.String()]; t != nil {
		return t, nil
	}
	count := l.set.Kinds[kind].Count
	t := &valueTable{count: count, definite: true}
	bytes := 8 * int64(count) * int64(count)
	if l.outline {
		for i := range product {
			k := product[i].kernel.Kind
			t.definite = t.definite && k != kernelspec.Sigmoid && k != kernelspec.Precomputed
		}
		t.resident = l.count(bytes)
		l.tables[key.String()] = t
		return t, nil
	}
	var err error
	if err = l.allocate(t, bytes); err != nil {
		return nil, err
	}
	for i := range product {
		definite, err := l.fill(ctx, t, kind, &product[i], i == 0)
		if err != nil {
			return nil, err
		}
		t.definite = t.definite && definite
	}
	if unit {
		t.divide()
	}
	l.tables[key.String()] = t
	return t, nil
}

// count reports whether so many bytes of values are to be in memory, and counts them then.
func (l *Lookups) count(bytes int64) bool {
	if l.memory != 0 && l.bytes+bytes > l.memory {
		return false
	}
	l.bytes += bytes
	return true
}

// LookupMemory returns how many bytes of values are in memory if the kernels may take so many.
func LookupMemory(memory int64) int64 {
	if memory == 0 {
		return 0 // without a bound
	}
	return max(1, memory/4)
}

// LookupBytes is what the values of kernels of objects take in memory, in bytes.
func (gs Groups) LookupBytes() (bytes int64) {
	seen := map[*valueTable]bool{}
	for i := range gs {
		gs[i].eachFactor(func(_ int, f *lookFactor) {
			if t := f.table; t.resident && !seen[t] {
				seen[t] = true
				bytes += 8 * int64(t.count) * int64(t.count)
			}
		})
	}
	return bytes
}

// allocate returns memory for values, in a mapped file if they are too many.
func (l *Lookups) allocate(t *valueTable, bytes int64) error {
	var m *mmap.Map
	var err error
	if t.resident = l.count(bytes); t.resident {
		m, err = mmap.Anonymous(bytes)
	} else {
		m, err = mmap.Array(l.scratch, "objects-*", bytes)
	}
	if err != nil {
		return err
	}
	l.maps, t.values = append(l.maps, m), mmap.View[float64](m)
	return nil
}

// divide divides values by the roots of the diagonal. Objects whose value is 0 have no values at all.
func (t *valueTable) divide() {
	inner := make([]float64, t.count)
	for i := range inner {
		inner[i] = math.Sqrt(inverse(t.row(i)[i]))
	}
	for i := range inner {
		row := t.row(i)
		for j := range row {
			row[j] *= inner[i] * inner[j]
		}
	}
}

// fill multiplies values by a kernel to its power, or sets them if it is the first.
func (l *Lookups) fill(ctx context.Context, t *valueTable, kind int, f *ofObjects, first bool) (definite bool,
	err error) {
	put := func(i int, values []float64) {
		row := t.row(i)
		for j, v := range values {
			x := v
			for range f.power - 1 {
				x *= v
			}
			if first {
				row[j] = x
			} else {
				row[j] *= x
			}
		}
	}
	if f.kernel.Kind == kernelspec.Precomputed {
		return false, l.eachRow(ctx, int(f.kernel.Index), t.count, put)
	}
	bank, points, err := l.inner(ctx, kind, f)
	if err != nil {
		return false, err
	}
	all := numbersTo(t.count)
	group, member := bank.find(0)
	tasks, ctx := errgroup.WithContext(ctx)
	tasks.SetLimit(max(1, l.threads))
	for from := 0; from < t.count; from += chunk {
		tasks.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			e := NewEvaluator[float64](bank)
			some := all[from:min(from+chunk, t.count)]
			var set Set
			set.Gather(points, some)
			set.brief = true
			var rows Rows[float64]
			var cols Columns[float64]
			var buf PanelBuffer
			e.PackRows(&rows, group, &set)
			base := make([]float64, group.TileSize(len(some)))
			value := make([]float64, group.Used(len(some)))
			whole := make([]float64, len(some)*t.count)
			for p := range panelsOf(t.count) {
				if p%panelsBetween == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				panel := PanelOf(points, p, &buf)
				e.PackColumns(&cols, group, &panel, t.count)
				e.Base(base, group, &rows, 0, len(some), &cols, nil)
				e.Transform(value, base[:group.Used(len(some))], member)
				for i := range some {
					copy(whole[i*t.count+p*width:(i+1)*t.count], value[i*width:i*width+panel.Len])
				}
			}
			for i, id := range some {
				put(int(id), whole[i*t.count:(i+1)*t.count])
			}
			return nil
		})
	}
	return bank.Definite(0), tasks.Wait()
}

// panelsBetween is the number of panels between two looks at the context.
const panelsBetween = 64

// eachRow visits the rows of a matrix. Files are symmetric to some digits only, and the upper triangle counts.
func (l *Lookups) eachRow(ctx context.Context, file, count int, visit func(i int, values []float64)) error {
	if len(l.set.Matrices) > 0 {
		for i := range count {
			visit(i, l.set.Matrices[file].Values[i*count:(i+1)*count])
		}
		return nil
	}
	row, one := make([]float64, count), make([]float64, 1)
	for i := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.matrices[file].Row64(i, 0, row)
		for j := range i {
			l.matrices[file].Row64(j, i, one)
			row[j] = one[0]
		}
		visit(i, row)
	}
	return nil
}

// Objects returns the objects of the kernels with the matrices between them, as a model has them. It is nil if
// points have features.
func (p *Prepared) Objects() *objects.Set {
	if p.lookups == nil {
		return nil
	}
	s := *p.options.Objects
	s.Matrices = nil
	for i := range p.Matrices {
		kind := s.Columns[p.columns[i]].Kind
		count := s.Kinds[kind].Count
		x := objects.Matrix{Kind: kind, Values: make([]float64, 0, count*count)}
		// Without a context nothing fails.
		_ = p.lookups.eachRow(context.Background(), i, count, func(_ int, values []float64) {
			x.Values = append(x.Values, values...)
		})
		s.Matrices = append(s.Matrices, x)
	}
	return &s
}

// inner returns a bank of one kernel of objects, and the objects as points.
func (l *Lookups) inner(ctx context.Context, kind int, f *ofObjects) (*Bank, Points, error) {
	k, b := f.kernel, *l.bank
	k.Normalizer, k.Set = kernelspec.Unnormalized, kernelspec.AllFeatures
	b.Sets, b.SetViews = nil, nil
	if f.own != nil {
		k.Set, b.Sets, b.SetViews = 0, [][]int32{f.own}, []string{""}
	}
	b.Kernels = []kernelspec.Kernel{k}
	points := objects.Points{Kind: l.set.Kinds[kind]}
	shape, err := Survey(ctx, points, points.Mean(), l.threads)
	if err != nil {
		return nil, nil, err
	}
	shape.Uncentred = true
	bank, err := NewBank(ctx, &b, shape, kernelspec.Unnormalized, nil, l.users)
	return bank, points, err
}

// numbersTo lists the numbers from 0 to n-1.
func numbersTo(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
