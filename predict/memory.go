package predict

import (
	"context"
	"fmt"
	"slices"

	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// The memory of a prediction is counted before anything is allocated: the support vectors and
// kernels, which are given, the work of one thread, and 32 rows of the data. What the budget has
// beyond that goes to more threads, larger batches, and what the caller keeps of the rows. No
// decision depends on this division.

// bytesOfRows is what a caller may keep of the rows, whatever the budget is.
const bytesOfRows = 16 << 20

// These are limits of a batch for each thread. Larger batches would not be faster.
const (
	predictRows  = 1024     // rows: enough to pay for packing the support vectors
	predictBytes = 64 << 20 // bytes of these rows
)

// predictMemory states how the memory budget of a prediction is divided.
type predictMemory struct {
	// threads is the number of threads that compute.
	threads int
	// rows is the number of bytes that the rows of a batch may take.
	rows int64
	// left is the number of bytes for what the caller keeps of the rows. It is 0 if that is
	// nothing.
	left int64
}

// account counts what a prediction with some options takes of memory.
type account struct {
	*Model
	options *Options
}

// prediction describes the model for the account. It looks at counts alone, so it is safe to call
// for a model whose claims exceed the memory.
func (m account) prediction() *budget.Prediction {
	p := &budget.Prediction{
		Vectors: gradient.Vectors{
			Count: len(m.Support), Outputs: max(1, len(m.Classifiers)), Distinct: 1, Coefficients: len(m.Alpha),
			Sparse: m.Seen() && m.Store == dataset.LayoutSparse,
		},
		ByNonzeros: m.Store != dataset.LayoutDense, Kernels: m.Len(), Classifiers: len(m.Classifiers),
		Features: m.VectorBytes(), Kept: m.options.Kept,
	}
	if m.Seen() {
		p.Vectors.Dim = m.Features
	}
	for i := range m.Classifiers {
		p.Dual += int64(len(m.Classifiers[i].Alpha))
		if i > 0 && !slices.Equal(m.Classifiers[i].Theta, m.Classifiers[i-1].Theta) {
			p.Vectors.Distinct++
		}
	}
	p.Vectors.Coefficients += int(p.Dual)
	if g := m.Family.Gates(); g != nil {
		// The gates of the support vectors, and the arrays that they come from.
		p.Gates = 8*int64(len(m.Support))*int64(g.Count(1))*int64(g.Sets()) +
			2*8*int64(len(g.Support)+len(g.Centres)+len(g.Loadings)+len(g.Parameters)) + 16*int64(p.Vectors.Dim)
		if l := g.Landmarks; l != nil && l.Sparse != nil {
			p.Gates += 32*int64(len(l.Sparse.Value)) +
				kernels.LandmarkBytes(len(l.Rows), m.Features, int64(len(l.Sparse.Value)), 1)
		}
	}
	if x := m.Family.Mixture(); x != nil {
		// The arrays, and outputs with the weights in them.
		p.Mixture = 8*int64(len(x.Responsibilities)+len(x.Observed)) +
			24*int64(len(x.Weights)) + (16*int64(m.Len())+budget.BytesPerClassifier)*int64(x.Len())
	}
	if m.Centre != nil {
		// The rows, lists of them, and means of the support vectors.
		p.CentreRows = len(m.Centre.Rows)
		p.Centre = m.Centre.Bytes() + 3*budget.BytesPerNonzeros*int64(len(m.Centre.Rows)+len(m.Support)) +
			8*int64(len(m.Support))*int64(m.Len())
	}
	// Files of older releases have sparse points laid out, and their non-zeros are copied.
	if m.Store != dataset.LayoutDense && m.Vectors != nil {
		p.Features += 8 * int64(nonzeros(m.Vectors))
	}
	p.Vectors.Nonzeros = func(from, to int) (n int64) {
		if m.Sparse != nil {
			return m.Sparse.Nonzeros(from, to)
		}
		for s := from; s < to; s++ {
			n += int64(nonzeros(m.Vector(s)))
		}
		return n
	}
	return p
}

// listParts lists what a prediction takes for the model itself.
func (m account) listParts() []budget.Part { return m.prediction().Tables() }

// VectorBytes returns the memory that the features of the support vectors take, in bytes. It is 0
// if they are in a file: in that of a model that was opened, or in a scratch file of a training.
func (m *Model) VectorBytes() int64 {
	if m.Mapped() || m.scratch != nil {
		return 0
	}
	bytes := 4 * int64(len(m.Vectors))
	if m.Sparse != nil {
		bytes += budget.SparseVectorBytes(int64(len(m.Support)), int64(len(m.Sparse.Index)))
	}
	return bytes
}

// setMemory fills in the memory budget if it was left open.
func (o *Options) setMemory() {
	if o.Memory == 0 {
		o.Memory = host.Budget()
	}
}

// limitHeap asks whoever owns the process to keep the Go heap to the budget.
func (o *Options) limitHeap() {
	if o.Heap != nil {
		o.Heap(o.Memory)
	}
}

// leastShare returns the account of a prediction that takes the given parts at least.
func (o *Options) leastShare(parts []budget.Part) *budget.Share {
	// The caller keeps predictions beside the model, such as those that figures are computed from.
	if o.Left != nil {
		parts = append(parts, budget.Part{Name: "what is kept of the rows", Bytes: bytesOfRows})
	}
	s := budget.Fixed(o.Memory, parts)
	return &s
}

// countMemory returns the account of a prediction with one thread and 32 rows, and the bytes that
// each further thread and each further 32 rows take. The kernels b may be outlined, which means
// that their sets of features are counted and not there.
func (m account) countMemory(b *kernels.Bank) (
	s *budget.Share, thread, panel int64) {
	p := m.prediction()
	work, thread, panel := p.Work(b, precision{&m.Model.Model}.inDouble(b))
	return m.options.leastShare(append(p.Tables(), work...)), thread, panel
}

// rejectByOutline returns an error if the memory budget is too small for the prediction, counted
// from an outline of the kernels. It is for budgets in which the kernels themselves do not fit. It
// returns nil if the outline fits.
func (m account) rejectByOutline() error {
	expanded, err := m.Expansion().Outline()
	if err != nil {
		return err
	}
	normalizer, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	shape := kernels.Shape{
		Features: m.Features, Sparse: m.Store == dataset.LayoutSparse, Outline: true,
		Uncentred: precision{&m.Model.Model}.sumsWhole(),
	}
	if set := m.options.objectsOf(m.Model); set != nil {
		shape.Lookups = kernels.NewLookups(set, expanded, kernels.LookupOptions{Users: m.options.UserKernels, Outline: true})
	}
	matrices := make([]*npy.Matrix, len(expanded.Files))
	b, err := kernels.NewBank(context.Background(), expanded, shape, normalizer, matrices, m.options.UserKernels)
	if err != nil {
		return err
	}
	s, _, _ := m.countMemory(b)
	// The outline stops listing where the sets become too large, and counts the rest.
	if n := expanded.Omitted; n.Elements > 0 || n.Kernels > 0 {
		bytes := budget.BytesPerKernel*int64(n.Kernels) + budget.BytesPerGroup*int64(n.Sets) +
			8*n.Elements
		// Groups that are not listed may have profiles as well.
		if n.Kernels > 0 || n.Sets > 0 {
			bytes += gradient.ProfileBytes
		}
		more := int64(budget.Slack * float64(bytes))
		s.Fixed = append(s.Fixed, budget.Part{Name: "features of kernels", Bytes: more})
		s.Least += more
	}
	s.Outlined = fmt.Sprintf("%d support vectors of %d features", len(m.Support), m.Features)
	return s.Reject("memory")
}

// divideMemory divides the budget for decision functions that are about to be evaluated. A budget
// that is too small is of class fail.Budget, with the smallest one that is enough.
func (m account) divideMemory(b *kernels.Bank) (*predictMemory, error) {
	s, thread, panel := m.countMemory(b)
	if err := s.Reject("memory"); err != nil {
		return nil, err
	}
	free := int64(float64(s.Budget-s.Least) / budget.Slack)
	p := &predictMemory{}
	// Half of what is left goes to threads, each with rows of its own. Of the rest a half goes to
	// rows and a quarter to the caller.
	p.threads = int(min(int64(m.options.Threads), 1+free/2/(thread+panel)))
	free -= int64(p.threads-1) * thread
	// 32 rows are in the least account already.
	p.rows = min(panel+free/2, predictBytes*int64(p.threads))
	if m.options.Left != nil {
		p.left = bytesOfRows + free/4
	}
	return p, nil
}
