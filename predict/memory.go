package predict

import (
	"fmt"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/dataset/npy"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

const (
	bytesSeen        = 112      // of each feature: mean, what is found out of the support vectors, a row
	bytesPerVector   = 24       // of each support vector, beside its features: its number, row and dual variable
	bytesPerNonzeros = 64       // and of one that is kept by its non-zeros: where they are, and their square
	bytesOfRows      = 16 << 20 // that a caller may keep of the rows, whatever the budget
)

const (
	predictRows  = 1024     // rows that one thread takes at a time: enough to pay for packing the support vectors
	predictBytes = 64 << 20 // bytes of them
)

// predictMemory shares the memory budget of a prediction out: threads, and bytes of the rows that are taken at a time. No decision
// depends on either.
type predictMemory struct {
	threads int
	rows    int64
	left    int64 // for what the caller keeps
}

// known is what a prediction takes for features and kernels, before either is looked at.
func (m *Model) known() []budget.Part {
	features := int64(0)
	if m.Seen() {
		features = int64(m.Features)
	}
	perVector := int64(bytesPerVector)
	if m.Store != dataset.LayoutDense {
		perVector += bytesPerNonzeros
	}
	parts := []budget.Part{
		{Name: "features", Formula: "112 d", Bytes: bytesSeen * features},
		{Name: "kernels", Formula: "300 M", Bytes: budget.BytesPerKernel * int64(m.Len())},
		{Name: "support vectors but for their features", Formula: "24 for each", Bytes: perVector * int64(len(m.Support))},
	}
	if perVector > bytesPerVector {
		parts[2].Formula = "88 for each"
	}
	if m.Several() {
		all := int64(0)
		for i := range m.Machines {
			all += int64(len(m.Machines[i].Alpha))
		}
		parts = append(parts, budget.Part{Name: "machines", Formula: "16 for each dual variable + 16 M each", Bytes: 16*all + int64(len(m.Machines))*(16*int64(m.Len())+budget.BytesPerMachine)})
	}
	bytes := m.VectorBytes()
	if m.Store != dataset.LayoutDense && m.Vectors != nil { // of which the non-zeros are copied
		bytes += 8 * int64(nonzeros(m.Vectors))
	}
	if bytes > 0 {
		parts = append(parts, budget.Part{Name: "features of the support vectors", Bytes: bytes})
	}
	return parts
}

// VectorBytes is what the features of the support vectors take where they are in memory. Those of a model that was trained here are in
// a scratch file if they are many.
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

// setMemory fills in the budget if it was left open.
func (o *Options) setMemory() {
	if o.Memory == 0 {
		o.Memory = host.Budget()
	}
}

// limitHeap has the Go heap kept to the budget.
func (o *Options) limitHeap() {
	if o.Heap != nil {
		o.Heap(o.Memory)
	}
}

// share is what a prediction takes at least.
func (o *Options) share(parts []budget.Part) *budget.Share {
	if o.Left != nil {
		parts = append(parts, budget.Part{Name: "what is kept of the rows", Bytes: bytesOfRows})
	}
	s := budget.Fixed(o.Memory, parts)
	return &s
}

// account is what a prediction takes at least, with kernels that may be outlined.
func (m *Model) account(o *Options, b *kernels.Bank) (s *budget.Share, thread, panel int64) {
	v := gradient.Vectors{Count: len(m.Support), Outputs: max(1, len(m.Machines)), Coefficients: len(m.Alpha), Sparse: m.Seen() && m.Store == dataset.LayoutSparse}
	if m.Seen() {
		v.Dim = m.Features
	}
	for i := range m.Machines {
		v.Coefficients += len(m.Machines[i].Alpha)
	}
	v.Nonzeros = func(from, to int) (n int64) {
		if m.Sparse != nil {
			return m.Sparse.Nonzeros(from, to)
		}
		for s := from; s < to; s++ {
			n += int64(nonzeros(m.Vector(s)))
		}
		return n
	}
	fixed, thread, panel := gradient.FunctionBytes(b, v, m.Double)
	for i := range b.Groups {
		b.Groups[i].Parts(func(g *kernels.Group) { fixed += 8 * int64(len(g.Features)) })
	}
	fixed += budget.BytesPerGroup * int64(len(b.Groups))
	panel += simd.Width * 8 * int64(v.Outputs+1)
	s = o.share(append(m.known(), budget.Part{Name: "groups and coefficients", Bytes: fixed}, budget.Part{Name: "rows and tiles of a thread", Bytes: thread}, budget.Part{Name: "32 rows of the data", Bytes: panel}))
	return s, thread, panel
}

// refuse refuses a budget in which what the prediction takes cannot even be counted, by an outline of the kernels; nil if that fits.
func (m *Model) refuse(o *Options) error {
	expanded, err := m.Outline()
	if err != nil {
		return err
	}
	normalizer, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	shape := kernels.Shape{Features: m.Features, Sparse: m.Store == dataset.LayoutSparse, Outline: true, Uncentred: m.Task == model.TaskOneClass}
	b, err := kernels.NewBank(expanded, shape, normalizer, make([]*npy.Matrix, len(expanded.Files)), o.UserKernels)
	if err != nil {
		return err
	}
	s, _, _ := m.account(o, b)
	if n := expanded.Omitted; n.Elements > 0 || n.Kernels > 0 {
		more := int64(budget.Slack * float64(budget.BytesPerKernel*int64(n.Kernels)+budget.BytesPerGroup*int64(n.Sets)+8*n.Elements))
		s.Fixed, s.Least = append(s.Fixed, budget.Part{Name: "features of kernels", Bytes: more}), s.Least+more
	}
	s.Outlined = fmt.Sprintf("%d support vectors of %d features", len(m.Support), m.Features)
	return s.Refuse("memory")
}

// memory shares the budget out for functions that are to be evaluated.
func (m *Model) memory(o *Options, b *kernels.Bank) (*predictMemory, error) {
	s, thread, panel := m.account(o, b)
	if err := s.Refuse("memory"); err != nil {
		return nil, err
	}
	free := int64(float64(s.Budget-s.Least) / budget.Slack)
	p := &predictMemory{}
	// Half of what is left goes to threads, each with rows of its own, and of the rest a half to rows and a quarter to the caller.
	p.threads = int(min(int64(o.Threads), 1+free/2/(thread+panel)))
	free -= int64(p.threads-1) * thread
	p.rows = min(panel+free/2, predictBytes*int64(p.threads))
	if o.Left != nil {
		p.left = bytesOfRows + free/4
	}
	return p, nil
}
