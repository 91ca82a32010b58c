package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Vectors holds the figures of the support vectors of functions that the bytes of these depend
// on.
type Vectors struct {
	Count, Dim   int
	Sparse       bool
	Nonzeros     func(from, to int) int64 // non-zeros of vectors from..to-1, if they are sparse
	Outputs      int                      // number of functions
	Distinct     int                      // functions with other weights than the one before
	AtMost       bool                     // there may be fewer vectors and functions than that
	Coefficients int                      // coefficients of all functions
}

// FunctionBytes bounds what Function.Values takes on the Go heap beside points and columns, with
// profiles, in bytes: fixed whatever the columns are, and thread for each thread. panel bounds what
// 32 of the points take as columns.
func FunctionBytes(b *kernels.Bank, v Vectors, double bool) (fixed, thread, panel int64) {
	const partHead = 256 // a set and what lists take of it
	fp := &footprint{
		bank: b, dim: int64(v.Dim), q: decisionRows, most: decisionRows,
		threads: 1, element: 4, sparse: v.Sparse,
	}
	if double {
		fp.element = 8
	}
	parts := cut(v.Count, decisionRows)
	profiles := profileBytes[float32](b, v)
	if double {
		profiles = profileBytes[float64](b, v)
	}
	fp.panel = fp.dim * simd.Width * 4
	if fp.sparse {
		fp.panel = 0
		for _, r := range parts {
			n := int64(0)
			// The part with most non-zeros bounds the packed rows, and 32 points that lie side by
			// side a panel.
			for from := r[0]; from < r[1]; from += simd.Width {
				some := v.Nonzeros(from, min(from+simd.Width, r[1]))
				n, fp.panel = n+some, max(fp.panel, kernels.PanelBytes(v.Dim, some))
			}
			fp.nonzeros = max(fp.nonzeros, n)
		}
	}
	fixed = profiles + int64(len(parts))*(partHead+48*int64(v.Outputs)) +
		int64(v.Outputs)*8*int64(b.Len()) + int64(v.Coefficients)*(fp.element+4)
	layers := 1
	for i := range b.Groups {
		g := &b.Groups[i]
		layers = max(layers, g.Layers)
		columns, laidOut := fp.columns(g)
		own := fp.rows(g) + columns
		if fp.sparse && laidOut { // the points are sorted by feature first
			own += 8*fp.nonzeros + 4*fp.dim
		}
		thread = max(thread, own)
	}
	thread += fp.tiles(decisionRows, layers) + fp.gates(decisionRows) + 8*simd.Width*int64(b.Len())
	return fixed, thread + 8*decisionPanels*simd.Width*int64(v.Outputs), fp.panel
}
