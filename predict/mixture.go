package predict

import (
	"math"

	"bigmkl/gradient"
	"bigmkl/internal/fail"
)

// subtractSelves makes scores of components of the values of a batch of n rows, of which c has the first:
// k(x,x)/2 is subtracted from each. Models of other tasks have none.
func (p *predictor) subtractSelves(c gradient.Columns, n int, f *gradient.Function) error {
	x := p.decider.mixture
	if x == nil || len(p.model.Support) == 0 {
		return nil
	}
	c = gradient.Columns{Len: n, Panels: append(c.Panels, p.columns(c.Len, n).Panels...)}
	of := make([]int32, x.Len())
	for k := range of {
		of[k] = int32(x.Kernel(k))
	}
	selves := f.Selves(c, of)
	for i, self := range selves {
		if math.IsNaN(self) || math.IsInf(self, 0) {
			return fail.New(fail.Input, "k(x,x) of row %d is %g", p.done+i%n+1, self)
		}
		p.values[i] -= self / 2
	}
	return nil
}
