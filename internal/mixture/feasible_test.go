package mixture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSoftmaxOfLargeScores: parts sum to 1 where the scores have no digits left for the logarithm of their sum.
func TestSoftmaxOfLargeScores(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{0, 1, 1e6, 1e12, 1e17, 1e300} {
		q := make([]float64, 3)
		softmax([]float64{-size, -size, -size - 1}, q)
		if total := sum(q); math.Abs(total-1) > 1e-12 || q[0] != q[1] || q[2] > q[0] {
			t.Errorf("scores of %g: parts %v sum to %g", size, q, total)
		}
	}
}

// TestSmallSums: after a change of q the sums of all components vanish relative to their own sizes, also the sum of a component that has
// a millionth of the others.
func TestSmallSums(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 33))
		p, _ := random(80, []int{0, 1, 2, 0, 1}, 3, 1, 1e-6, true)
		s := newState(p)
		for t := range s.Positive {
			q := s.q.of(t)
			draw(rng, q)
			q[0] *= 1e-7 * rng.Float64()
			total := sum(q)
			for j := range q {
				q[j] /= total
			}
			for j := range s.l.of(t) {
				s.l.of(t)[j] = rng.Float64() / 4
			}
		}
		s.l.evenTotals()
		s.q.settle()
		s.l.keepTotals(s.q)
		s.weigh(s.q, s.l)
		n := s.rows()
		for c := range s.Kernels {
			off, size := 0.0, 0.0
			for _, w := range s.w[c*n : (c+1)*n] {
				off, size = off+w, size+math.Abs(w)
			}
			if math.Abs(off) > 1e-11*size {
				t.Errorf("seed %d: w of component %d sums to %g of %g", seed, c, off, size)
			}
		}
	}
}

// evenTotals scales the rows of one class so that both classes have the same total, as feasible shares have.
func (l *shares) evenTotals() {
	var of [2]float64
	side := func(t int) int {
		if l.Positive[t] {
			return 1
		}
		return 0
	}
	for t := range l.Positive {
		of[side(t)] += l.total(t)
	}
	for t := range l.Positive {
		if side(t) == 0 {
			row := l.of(t)
			for j := range row {
				row[j] *= of[1] / of[0]
			}
		}
	}
}

// TestTotalsOfPairs: steps of pairs end with totals within their bounds, where rounding of the steps before has carried some above.
func TestTotalsOfPairs(t *testing.T) {
	t.Parallel()
	p, d := random(30, []int{0, 1, 2, 0, 1}, 3, 1, 1e-6, true)
	s := newState(p)
	rng := rand.New(rand.NewPCG(1, 34))
	for t := range s.Positive {
		draw(rng, s.q.of(t))
		row := s.l.of(t)
		for j := range row {
			row[j] = (1 + 5e-12) * s.Cost[t] / float64(len(row))
		}
	}
	s.q.settle()
	of, err := newSequential(t.Context(), s, d)
	if err != nil {
		t.Fatal(err)
	}
	of.recompute()
	if err := of.sweep(t.Context(), rng, 0); err != nil {
		t.Fatal(err)
	}
	for i, cost := range s.Cost {
		if total := s.l.total(i); total > cost*(1+1e-12) {
			t.Errorf("the total of row %d is %.17g of %g", i, total, cost)
		}
	}
}
