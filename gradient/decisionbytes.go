package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Bytes bounds what Values takes on the Go heap beside points and columns: whatever the columns, and for each thread.
func (f *Function) Bytes(double bool) (fixed, thread int64) {
	const partHead = 256 // a set and what lists take of it
	fp := &footprint{bank: f.Bank, dim: int64(f.Points.Dim), q: decisionRows, most: decisionRows, threads: 1, element: 4, sparse: f.Points.Sparse}
	if double {
		fp.element = 8
	}
	parts := cut(len(f.Points.IDs), decisionRows)
	fp.panel = fp.dim * simd.Width * 4
	if fp.sparse {
		fp.panel = 0
		for _, r := range parts {
			n := int64(0)
			for from := r[0]; from < r[1]; from += simd.Width {
				to := min(from+simd.Width, r[1])
				some := int64(f.Points.Part(from, to).Nonzeros())
				n, fp.panel = n+some, max(fp.panel, kernels.PanelBytes(f.Points.Dim, some))
			}
			fp.nonzeros = max(fp.nonzeros, n)
		}
	}
	fixed = int64(len(parts)) * partHead
	for i := range f.Outputs {
		o := &f.Outputs[i]
		fixed += 8*int64(f.Bank.Len()) + int64(len(o.Alpha))*fp.element + 48*int64(len(parts)) + 4*int64(len(o.Rows))
	}
	layers := 1
	for i := range f.Bank.Groups {
		g := &f.Bank.Groups[i]
		layers = max(layers, g.Layers)
		own, spread := fp.rows(g)+g.Scratch(fp.element), false
		g.Parts(func(part *kernels.Group) {
			switch {
			case part.Base == kernels.MatrixRow:
			case fp.short(part):
				own += fp.panel*(fp.element/4-1) + 4*fp.nonzeros // widened, and the places of entries
			default:
				own, spread = own+kernels.ColumnsBytes(part, fp.element), true
			}
		})
		if fp.sparse && spread { // laid out by feature first
			own += 8*fp.nonzeros + 4*fp.dim
		}
		thread = max(thread, own)
	}
	thread += (4+2*int64(layers))*decisionRows*simd.Width*fp.element + 8*simd.Width*int64(f.Bank.Len()) + 4*fp.dim
	return fixed, thread + 8*decisionPanels*simd.Width*int64(len(f.Outputs))
}
