package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Vectors is what there is to know of the points of functions to say what these take.
type Vectors struct {
	Count, Dim            int
	Sparse                bool
	Nonzeros              func(from, to int) int64 // of some of them, if they are sparse
	Outputs, Coefficients int                      // functions, and the points that each has
}

// FunctionBytes bounds what Values takes on the Go heap beside points and columns: whatever the columns, and for each thread; and what 32
// of the points take as columns, those that take most.
func FunctionBytes(b *kernels.Bank, v Vectors, double bool) (fixed, thread, panel int64) {
	const partHead = 256 // a set and what lists take of it
	fp := &footprint{bank: b, dim: int64(v.Dim), q: decisionRows, most: decisionRows, threads: 1, element: 4, sparse: v.Sparse}
	if double {
		fp.element = 8
	}
	parts := cut(v.Count, decisionRows)
	fp.panel = fp.dim * simd.Width * 4
	if fp.sparse {
		fp.panel = 0
		for _, r := range parts {
			n := int64(0)
			for from := r[0]; from < r[1]; from += simd.Width {
				some := v.Nonzeros(from, min(from+simd.Width, r[1]))
				n, fp.panel = n+some, max(fp.panel, kernels.PanelBytes(v.Dim, some))
			}
			fp.nonzeros = max(fp.nonzeros, n)
		}
	}
	fixed = int64(len(parts))*(partHead+48*int64(v.Outputs)) + int64(v.Outputs)*8*int64(b.Len()) + int64(v.Coefficients)*(fp.element+4)
	layers := 1
	for i := range b.Groups {
		g := &b.Groups[i]
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
	thread += (4+2*int64(layers))*decisionRows*simd.Width*fp.element + 8*simd.Width*int64(b.Len()) + 4*fp.dim
	return fixed, thread + 8*decisionPanels*simd.Width*int64(v.Outputs), fp.panel
}
