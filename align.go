package bigmkl

import (
	"context"
	"errors"
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
)

// AlignOptions says which alignments are computed.
type AlignOptions struct {
	Sample int  // points, drawn by Options.Seed, whose pairs stand for all pairs; 0 is all points, exactly
	Plain  bool // of the matrices as they are, not centred
}

// leastSample is what the estimates take.
const leastSample = 4

// Validate lists every fault of the options.
func (a AlignOptions) Validate() error {
	if a.Sample < 0 || a.Sample > 0 && a.Sample < leastSample {
		return fail.New(fail.Usage, "a sample of %d points (0 for all, or at least %d)", a.Sample, leastSample)
	}
	return nil
}

// Alignments is how much kernels are alike (Kloft 2011, eq. 5.1): the cosine of the angle between their matrices, or between
// HKH where they are centred. Where a matrix vanishes, as that of a kernel that is constant does once it is centred, it is NaN.
type Alignments struct {
	Specs          []string
	Kernels        [][]float64 // between kernels, M x M
	Labels         []float64   // of each with the labels' kernel: yy', of more than two classes the sum of those one-against-rest
	Points, Sample int         // points there are, and those whose pairs were summed
}

// Align reads the data and gives the alignments of the kernels of o with each other and with the labels. A multiplicative
// normalisation changes none of them and is not made. Memory grows with M^2 and not with n; a training's other options are left
// unread.
func Align(ctx context.Context, src dataset.Source, o Options, a AlignOptions) (*Alignments, error) {
	if err := errors.Join(o.Validate(), a.Validate()); err != nil {
		return nil, err
	}
	o.setDefaults()
	if err := o.setBudgets(); err != nil {
		return nil, err
	}
	o.purpose = func(o *Options, points kernels.Points, b *kernels.Bank) Share {
		s, _ := o.alignMemory(points, b)
		return s
	}
	store, err := o.build(ctx, src)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	b, err := newBank(ctx, store, &o)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if a.Sample >= store.Len() {
		a.Sample = 0
	}
	threads, err := o.alignThreads(store, b.kernels, a.Sample)
	if err != nil {
		return nil, err
	}
	if a.Plain {
		b.kernels.Plain()
	}
	products, err := kernels.Align(ctx, b.kernels, store, kernels.AlignOptions{
		Sample: a.Sample, Seed: o.Seed, Plain: a.Plain, Classes: store.Labels(), Threads: threads, Scratch: o.Scratch,
	})
	if changed := b.changed(); changed != nil {
		return nil, changed
	}
	if err != nil {
		return nil, err
	}
	return b.alignments(products, store, a.Sample)
}

// alignThreads is the number of threads that the budgets allow.
func (o *Options) alignThreads(store *dataset.Store, b *kernels.Bank, sample int) (int, error) {
	if need := store.Size().Points + 4*int64(sample)*int64(store.Dim()); !store.Sparse() && need > o.mostDisk {
		return 0, fail.New(fail.Budget, "the points and the sample's features take %s of disk; --disk is %s", bytesize.Text(need), bytesize.Text(o.mostDisk)).
			WithHint("at least --disk %s", bytesize.Flag(need))
	}
	s, thread := o.alignMemory(store, b)
	if err := s.refuse("memory"); err != nil {
		return 0, err
	}
	threads := 1
	for threads < o.Threads && s.Least+int64(slack*float64(int64(threads)*thread)) <= o.Memory {
		threads++
	}
	o.limitHeap(s.Least + int64(slack*float64(int64(threads-1)*thread)))
	return threads, nil
}

// alignMemory is what alignments take of the memory with one thread, and with each further one.
func (o *Options) alignMemory(points kernels.Points, b *kernels.Bank) (Share, int64) {
	result, thread := kernels.AlignBytes(b, points)
	m := int64(b.Len())
	return o.simply([]Part{
		{"points", "28 n", bytesRead * int64(points.Len())}, {"features", "100 d", bytesPerFeature * int64(points.Dim())},
		{"kernels", "300 M + 800 groups", kernelBytes(b) + o.omitted}, {"alignments", "8 M^2 and sums", result + 8*m*m}, {"sums and tiles of a thread", "", thread},
	}), thread
}

// alignments makes cosines of products.
func (b *bank) alignments(products []float64, store *dataset.Store, sample int) (*Alignments, error) {
	m := b.kernels.Len()
	side := m + 1
	for id := range m {
		if v := products[id*side+id]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, b.overflow(id, "on these data once they are squared and summed")
		}
	}
	r := &Alignments{Points: store.Len(), Sample: store.Len(), Labels: make([]float64, m)}
	if sample > 0 {
		r.Sample = sample
	}
	cosine := func(i, j int) float64 {
		a, b := products[i*side+i], products[j*side+j]
		if a <= 0 || b <= 0 {
			return math.NaN()
		}
		if i == j {
			return 1
		}
		return products[i*side+j] / (math.Sqrt(a) * math.Sqrt(b))
	}
	for i := range m {
		row := make([]float64, m)
		for j := range row {
			row[j] = cosine(i, j)
		}
		r.Specs, r.Kernels, r.Labels[i] = append(r.Specs, b.expanded.Describe(i)), append(r.Kernels, row), cosine(i, m)
	}
	return r, nil
}
