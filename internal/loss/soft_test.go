package loss

import (
	"math"
	"testing"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// Soft labels of -1 and 1 are labels: every number has the same bits.
func TestHardSoftLabels(t *testing.T) {
	rng := toy.Random(t, 61)
	for range 100 {
		n := 2 + rng.IntN(50)
		y, soft, f, alpha, weight := make([]int8, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range y {
			y[i] = int8(1 - 2*(i%2))
			soft[i], f[i], alpha[i], weight[i] = float64(y[i]), rng.NormFloat64(), rng.NormFloat64(), rng.Float64()
		}
		cost := [2]float64{rng.Float64(), 1}
		hard, same := NewHinge(y, cost, weight), NewSoftHinge(soft, cost, weight)
		b, s := hard.Primal(f)
		c, q := same.Primal(f)
		if b != c || s != q || hard.Linear(alpha) != same.Linear(alpha) || hard.At(f, 0.3) != same.At(f, 0.3) {
			t.Fatalf("bias %v and %v, loss %v and %v", b, c, s, q)
		}
		for i := range y {
			low, high := hard.Box(i)
			if l, h := same.Box(i); l != low || h != high || hard.Slope(i, 0) != same.Slope(i, 0) {
				t.Fatalf("box %v..%v and %v..%v", low, high, l, h)
			}
		}
	}
}

// The loss of soft labels is (1.13) with the slack that it asks for, xi = max(0, 1 - f / yhat), and the
// bias is the best one.
func TestSoftLoss(t *testing.T) {
	rng := toy.Random(t, 62)
	for range 100 {
		n := 4 + rng.IntN(30)
		soft, f, weight := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range soft {
			soft[i], f[i], weight[i] = 2*rng.Float64()-1, 2*rng.NormFloat64(), rng.Float64()
		}
		soft[0], soft[1], soft[2] = -0.4, 0.7, 0
		cost := [2]float64{2, 3}
		value := func(bias float64) (sum float64) {
			for i, y := range soft {
				if y != 0 {
					c := cost[1]
					if y < 0 {
						c = cost[0]
					}
					sum += c * weight[i] * max(0, 1-(f[i]+bias)/y)
				}
			}
			return sum
		}
		l := NewSoftHinge(soft, cost, weight)
		bias, sum := l.Primal(f)
		if !toy.Near(sum, value(bias), 1e-12) || !toy.Near(l.At(f, 0.5), value(0.5), 1e-12) {
			t.Errorf("losses %v and %v, want %v and %v", sum, l.At(f, 0.5), value(bias), value(0.5))
		}
		for i, y := range soft {
			if v := value(y - f[i]); v < sum*(1-1e-12) {
				t.Errorf("a bias of %v costs %v, the best one %v", y-f[i], v, sum)
			}
		}
		if low, high := l.Box(2); low != 0 || high != 0 {
			t.Errorf("room for a row that says nothing: %v to %v", low, high)
		}
	}
}

// A classifier of soft labels converges to the optimum of its own primal problem, and rows without a
// side have no dual variable.
func TestSoftClassifier(t *testing.T) {
	rng := toy.Random(t, 63)
	p, x := toy.Cloud("soft", rng, 40, 2)
	p.K = [][]float64{toy.Gauss(x, 0.2), toy.Linear(x, 0, 2)}
	soft := make([]float64, len(p.Y))
	for i, y := range p.Y {
		soft[i] = y * (1 - rng.Float64())
		if i%9 == 0 {
			soft[i] = 0
		}
	}
	for _, exponent := range []float64{1, 4. / 3, 2} {
		l := NewSoftHinge(soft, [2]float64{1, 2}, nil)
		s := chunking.New(len(soft), len(p.K), l, norm.NewBlock(exponent, nil), gradienttest.NewDense(len(soft), p.K), 1e-6, chunking.Tuning{WorkingSet: 8})
		if status, err := chunking.NewDriver(s, chunking.Limits{}).Run(t.Context()); err != nil || status != chunking.Converged {
			t.Fatalf("p = %g: %v, %v", exponent, status, err)
		}
		c := s.Solution().Certificate
		sum := 0.0
		for i, a := range s.Solution().Alpha {
			sum += a
			if soft[i] == 0 && a != 0 || a*soft[i] < 0 {
				t.Errorf("p = %g: alpha is %v for a soft label of %v", exponent, a, soft[i])
			}
		}
		if math.Abs(sum) > 1e-9 || c.Primal < c.Dual || c.Primal-c.Dual > 1e-6*c.Primal {
			t.Errorf("p = %g: sum of alpha %v, primal %v, dual %v", exponent, sum, c.Primal, c.Dual)
		}
	}
}
