package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Selves returns k(x,x) of the kernels with these numbers at every column, kernel by kernel, with
// their normalisers and without gates. Kernels of a matrix, which has no other points, have 0.
func (f *Function) Selves(c Columns, ids []int32) []float64 {
	out := make([]float64, len(ids)*c.Len)
	e := kernels.NewEvaluator[float64](f.Bank)
	var cols kernels.Columns[float64]
	self := make([]float64, simd.Width)
	for at := range c.Panels {
		from := at * simd.Width
		n := min(simd.Width, c.Len-from)
		for k := range f.Bank.Groups {
			g := &f.Bank.Groups[k]
			packed := false
			for i := range g.Members {
				m := &g.Members[i]
				for place, id := range ids {
					if id != m.ID || g.Base == kernels.MatrixRow {
						continue
					}
					if !packed {
						e.PackColumns(&cols, g, &c.Panels[at], n)
						packed = true
					}
					e.SelfValues(self, &cols, m)
					for j, x := range self[:n] {
						switch {
						case g.Spherical && x > 0:
							x = 1
						case g.Spherical:
							x = 0 // Such a point is taken for the origin.
						default:
							x *= f.Bank.Factor(int(id))
						}
						out[place*c.Len+from+j] = x
					}
				}
			}
		}
	}
	return out
}
