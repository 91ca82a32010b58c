package loss_test

import (
	"math"
	"testing"

	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// TestDiscriminant holds the columns of task rkda to their definition: targets that sum to 0 and whose
// squares sum to n (k - 1), the best bias of every column, and the conjugate, which touches the loss at
// alpha = C (h - f - b).
func TestDiscriminant(t *testing.T) {
	rng := toy.Random(t, 263020)
	const n, k, cost = 97, 4, 0.7
	class := make([]int32, n)
	for i := range class {
		class[i] = int32(i % 5 % k)
	}
	l := loss.NewDiscriminant(class, k, cost)
	squares := 0.0
	for c := range k {
		sum := 0.0
		for i := range n {
			h := l.Target(c*n + i)
			if sum += h; (h > 0) != (int(class[i]) == c) {
				t.Fatalf("target %v of point %d for class %d", h, i, c)
			}
			squares += h * h
		}
		if math.Abs(sum) > 1e-12*n {
			t.Errorf("the targets of class %d sum to %v", c, sum)
		}
	}
	if math.Abs(squares-n*(k-1)) > 1e-11*n {
		t.Errorf("the squares of all targets sum to %v, not %v", squares, n*(k-1))
	}
	f, alpha := make([]float64, n*k), make([]float64, n*k)
	for v := range f {
		f[v] = rng.NormFloat64()
	}
	bias, losses := l.Biases(f)
	zero, sum := l.Primal(f)
	if zero != 0 || math.Abs(l.At(f, 0)-sum) > 1e-13*sum || !(l.At(f, 1e-3) > sum) || !(l.At(f, -1e-3) > sum) {
		t.Errorf("bias %v, loss %v, beside it %v and %v", zero, sum, l.At(f, 1e-3), l.At(f, -1e-3))
	}
	total, product := 0.0, 0.0
	for v := range f {
		c := v / n
		r := l.Target(v) - f[v] - bias[c]
		total += cost / 2 * r * r
		alpha[v] = cost * r
		product += alpha[v] * (f[v] + bias[c])
		if s := l.Slope(v, alpha[v]); math.Abs(s-f[v]-bias[c]) > 1e-12 {
			t.Fatalf("the slope of lin is %v, f + b is %v", s, f[v]+bias[c])
		}
	}
	if math.Abs(total-sum) > 1e-12*sum || math.Abs(l.Linear(alpha)-product-total) > 1e-11*sum {
		t.Errorf("loss %v, by the definition %v, by the conjugate %v", sum, total, l.Linear(alpha)-product)
	}
	for c, x := range losses {
		moved := append([]float64(nil), bias...)
		for _, d := range []float64{-1e-3, 1e-3} {
			moved[c] = bias[c] + d
			at := 0.0
			for i := range n {
				r := l.Target(c*n+i) - f[c*n+i] - moved[c]
				at += cost / 2 * r * r
			}
			if !(at > x) {
				t.Errorf("class %d: loss %v beside its best bias, %v at it", c, at, x)
			}
		}
		sum := 0.0
		for _, a := range alpha[c*n : (c+1)*n] {
			sum += a
		}
		if math.Abs(sum) > 1e-11*n {
			t.Errorf("class %d: the dual variables at the best bias sum to %v", c, sum)
		}
	}
}
