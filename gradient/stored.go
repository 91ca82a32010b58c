package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// stored holds g_m = K_m alpha for every kernel of a bank on every point. It records what was cut: a pass, a wake or
// a rebuild continues from there, here or in another one that has taken over its state. One method may run at a
// time.
type stored struct {
	sleeping
	hollow  bool     // a Rebuild was cut, so the gradients must not be used
	pending *Pending // a Pass that was cut; nil: none was
	archive archive
	along   direction
}

// newStored returns the gradients of alpha = 0, in float32 arithmetic or in float64.
//
// It takes 8 n M bytes, in memory as far as Options.Memory goes and in a mapped file beyond.
func newStored(points kernels.Points, bank *kernels.Bank, o Options, double bool) (*stored, error) {
	if o.Workspace == nil {
		o.Workspace = &Workspace{}
	}
	gr := &stored{}
	gr.fields = fields{
		gathering: gathering{exchange: exchange{team: team{o.Ranks}}, bank: bank},
		points:    points, opt: o, resident: newResidency(points, team{o.Ranks}.alone()),
	}
	gr.constants, gr.archive.fields = bank.Constants(), &gr.fields
	var err error
	if gr.all, err = gr.whole(); err != nil {
		return nil, err
	}
	// All points are active at first, and the gradients of alpha = 0 are zero as the memory is.
	gr.now = gr.all
	// Without the build tag invariants this does nothing.
	kernels.Matrices{Bank: bank, Points: points}.AssertProducts()
	var some bool
	if some, gr.rowless = linearKernels(bank); some {
		gr.sum = make([]float64, points.Dim()*o.columns())
	}
	if gr.tables, err = newTables(points, bank, &o); err == nil {
		err = gr.use(double)
	}
	if err != nil {
		gr.tables.close()
		gr.all.close()
		return nil, err
	}
	return gr, nil
}

// OwnRows is the number of points whose gradients this rank has while all are active.
func (gr *stored) OwnRows() int {
	return min(gr.all.mine[1]*simd.Width, gr.all.n) - min(gr.all.mine[0]*simd.Width, gr.all.n)
}

// Close releases memory and scratch files, and returns the first error in doing so.
func (gr *stored) Close() error {
	err := gr.engine.close()
	if e := gr.archive.close(); err == nil {
		err = e
	}
	// The active field may be the field of all points; to close a field twice does no harm.
	for _, f := range []*field{gr.now, gr.all, gr.along.field} {
		if f == nil {
			continue
		}
		if e := f.close(); err == nil {
			err = e
		}
	}
	return err
}

// Values returns g_m of all kernels on all points, [panel][kernel][32], in the order in which the
// bank stores kernels. They are the values of the last call of State, or may be filled in for
// Resume.
//
// Where several ranks hold them, rank 0 alone has them all, in a file of their own.
func (gr *stored) Values() []float64 { return gr.archive.values() }
