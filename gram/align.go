package gram

import (
	"context"
	"errors"
	"math"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/internal/bytesize"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/train"
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
func Align(ctx context.Context, src dataset.Source, o train.Options, a AlignOptions) (*Alignments, error) {
	w, err := train.Open(o)
	if err := errors.Join(err, a.Validate()); err != nil {
		return nil, err
	}
	defer w.Close()
	w.Account = func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share {
		s, _ := alignMemory(r, points, b)
		return s
	}
	if err := w.Read(ctx, src); err != nil {
		return nil, err
	}
	if err := w.PrepareKernels(ctx); err != nil {
		return nil, err
	}
	if a.Sample >= w.Store.Len() {
		a.Sample = 0
	}
	threads, err := alignThreads(w, a.Sample)
	if err != nil {
		return nil, err
	}
	if a.Plain {
		w.Kernels.Plain()
	}
	products, err := kernels.Align(ctx, w.Kernels.Bank, w.Store, kernels.AlignOptions{
		Sample: a.Sample, Seed: o.Seed, Plain: a.Plain, Classes: w.Store.Labels(), Threads: threads, Scratch: w.Options.Budget.Scratch,
	})
	if err := w.Check(err); err != nil {
		return nil, err
	}
	return alignments(w.Kernels, products, w.Store.Len(), a.Sample)
}

// alignThreads is the number of threads that the budgets allow.
func alignThreads(w *train.Workspace, sample int) (int, error) {
	r, store := w.BudgetRun(), w.Store
	if need := store.Size().Points + 4*int64(sample)*int64(store.Dim()); !store.Sparse() && need > r.MostDisk {
		return 0, fail.New(fail.Budget, "the points and the sample's features take %s of disk; --disk is %s", bytesize.Text(need), bytesize.Text(r.MostDisk)).
			WithHint("at least --disk %s", bytesize.Flag(need))
	}
	s, thread := alignMemory(r, store, w.Kernels.Bank)
	if err := s.Refuse("memory"); err != nil {
		return 0, err
	}
	with := func(threads int) int64 { return s.Least + int64(budget.Slack*float64(int64(threads-1)*thread)) }
	threads := 1
	for threads < r.Threads && with(threads+1) <= r.Memory {
		threads++
	}
	w.LimitHeap(with(threads))
	return threads, nil
}

// alignMemory is what alignments take of the memory with one thread, and with each further one.
func alignMemory(r *budget.Run, points kernels.Points, b *kernels.Bank) (budget.Share, int64) {
	result, thread := kernels.AlignBytes(b, points)
	m := int64(b.Len())
	return budget.Fixed(r.Memory, append(r.Tables(points, b),
		budget.Part{Name: "alignments", Formula: "8 M^2 and sums", Bytes: result + 8*m*m}, budget.Part{Name: "sums and tiles of a thread", Bytes: thread})), thread
}

// alignments makes cosines of products.
func alignments(p *kernels.Prepared, products []float64, points, sample int) (*Alignments, error) {
	m := p.Len()
	side := m + 1
	for id := range m {
		if v := products[id*side+id]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, p.Overflow(id, "on these data once they are squared and summed")
		}
	}
	r := &Alignments{Points: points, Sample: points, Labels: make([]float64, m)}
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
		r.Specs, r.Kernels, r.Labels[i] = append(r.Specs, p.Expanded.Describe(i)), append(r.Kernels, row), cosine(i, m)
	}
	return r, nil
}
