package letters

import (
	"math"
	"testing"
)

// TestWiden: the variables off their bounds are counted for each classifier by itself, and only many of them ask for large
// working sets. Trainings after the count have no limit of iterations.
func TestWiden(t *testing.T) {
	t.Parallel()
	bound, few, many := make([]float64, 3*manyFree), make([]float64, manyFree-1), make([]float64, manyFree)
	for i := range bound {
		bound[i] = math.Inf(i%2*2 - 1)
	}
	for i := range few {
		few[i] = 1
	}
	for i := range many {
		many[i] = -1
	}
	for _, c := range []struct {
		alpha [][]float64
		set   int
	}{
		{nil, 0},
		{[][]float64{bound, make([]float64, 2*manyFree)}, 0},
		{[][]float64{few, few, bound}, 0},
		{[][]float64{few, append(many, bound...)}, wideSet},
	} {
		var w width
		w.first()
		if w.asked.MaxIterations != countAfter {
			t.Fatalf("%d iterations before the count", w.asked.MaxIterations)
		}
		w.widen(c.alpha)
		if w.asked.Tuning.WorkingSet != c.set || w.asked.MaxIterations != 0 {
			t.Errorf("a working set of %d points and %d iterations at most: %d points expected", w.asked.Tuning.WorkingSet, w.asked.MaxIterations, c.set)
		}
		if err := w.asked.Tuning.Validate(); err != nil {
			t.Error(err)
		}
	}
}
