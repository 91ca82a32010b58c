package families

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"

	"gonum.org/v1/gonum/mat"
)

// TestHalfExpectile: with tau = 1/2 the expectile is the mean, with the loss of task square of half the cost.
func TestHalfExpectile(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 34, 150)
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		_, a := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskExpectile, C: 4, Norm: p})
		_, b := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskSquare, C: 2, Norm: p})
		if math.Abs(a-b) > 3e-6*math.Abs(b) {
			t.Errorf("p = %g: dual values %.10g and %.10g", p, a, b)
		}
	}
}

// TestMirroredExpectiles: targets of the other sign have the other expectile, with the other sign.
func TestMirroredExpectiles(t *testing.T) {
	t.Parallel()
	for _, tau := range []float64{0.01, 0.3, 0.9} {
		rows, mirrored := lossRows(t, 35, 200), lossRows(t, 35, 200)
		for i := range mirrored {
			mirrored[i].Target *= -1
		}
		a, one := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskExpectile, C: 2, Tau: tau})
		b, other := lossValue(t, mirrored, bigmkl.Options{Task: bigmkl.TaskExpectile, C: 2, Tau: 1 - tau})
		if math.Abs(one-other) > 3e-6*math.Abs(one) {
			t.Errorf("tau = %g: dual values %.10g and %.10g of the targets of the other sign", tau, one, other)
		}
		of := bigmkltest.Predictions(t, b, mirrored)
		for i, p := range bigmkltest.Predictions(t, a, rows) {
			if math.Abs(p.Decision+of[i].Decision) > 2e-2 {
				t.Fatalf("tau = %g, row %d: %g and %g", tau, i, p.Decision, of[i].Decision)
			}
		}
	}
}

// TestConstantExpectile: a model whose kernel sees nothing is a constant, and the best constant is the expectile of the
// targets: tau sum (y - b)_+ = (1 - tau) sum (b - y)_+ (Newey and Powell 1987).
func TestConstantExpectile(t *testing.T) {
	t.Parallel()
	for _, tau := range []float64{0.02, 0.5, 0.8, 0.99} {
		rows := lossRows(t, 36, 120)
		for i := range rows {
			rows[i].Index, rows[i].Value = []int32{0, 1, 2}, []float64{1, 1, 1}
		}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: tau, Kernels: "gauss:1", Normalize: "none", Threads: 1, Gap: 1e-9})
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		above, below := 0.0, 0.0
		for _, p := range bigmkltest.Predictions(t, m, rows) {
			above, below = above+max(0, p.Target-p.Decision), below+max(0, p.Decision-p.Target)
		}
		if math.Abs(tau*above-(1-tau)*below) > 1e-6*tau*above {
			t.Errorf("tau = %g: %g above and %g below", tau, tau*above, (1-tau)*below)
		}
	}
}

// TestExpectilesOfNewton compares one kernel with Newton's method on the primal problem, without dual variables:
// min over (beta, b) of beta'K beta / 2 + sum_i c_i r_i^2 / 2, r = y - K beta - b and c_i = C tau or C (1 - tau) by the side of r_i.
func TestExpectilesOfNewton(t *testing.T) {
	t.Parallel()
	const cost, width = 3.0, 0.4
	rows := lossRows(t, 37, 90)
	gram := gaussGram(rows, width)
	for _, tau := range []float64{0.05, 0.5, 0.9, 0.995} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskExpectile, Tau: tau, C: cost, Kernels: "gauss:0.4", Normalize: "none", Norm: 2, Gap: 1e-9, Threads: 1})
		want := newtonExpectile(t, gram, rows, cost, tau)
		for i, p := range bigmkltest.Predictions(t, m, rows) {
			if math.Abs(p.Decision-want[i]) > 1e-3 {
				t.Fatalf("tau = %g, row %d: %g, by Newton's method %g", tau, i, p.Decision, want[i])
			}
		}
	}
}

// gaussGram is the matrix of exp(-width |x - z|^2).
func gaussGram(rows []dataset.Row, width float64) *mat.SymDense {
	k := mat.NewSymDense(len(rows), nil)
	for i, r := range rows {
		for j := range i + 1 {
			k.SetSym(i, j, math.Exp(-width*squaredDistance(r, rows[j])))
		}
	}
	return k
}

// squaredDistance returns the squared distance of rows that leave out features of 0.
func squaredDistance(a, b dataset.Row) (d float64) {
	apart := map[int32]float64{}
	for k, f := range a.Index {
		apart[f] = a.Value[k]
	}
	for k, f := range b.Index {
		apart[f] -= b.Value[k]
	}
	for _, x := range apart {
		d += x * x
	}
	return d
}

// newtonExpectile gives the function of the optimum at the rows. Where the sides of all rows stay, a step of Newton is
// exact: c_i r_i = beta_i and sum beta = 0 make one linear system of K + 1/c.
func newtonExpectile(t *testing.T, k *mat.SymDense, rows []dataset.Row, cost, tau float64) []float64 {
	t.Helper()
	n := len(rows)
	above := make([]bool, n)
	for range 200 {
		a, y := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
		for i, r := range rows {
			for j := range n {
				a.Set(i, j, k.At(i, j))
			}
			c := cost * (1 - tau)
			if above[i] {
				c = cost * tau
			}
			a.Set(i, i, k.At(i, i)+1/c)
			a.Set(i, n, 1)
			a.Set(n, i, 1)
			y.SetVec(i, r.Target)
		}
		var beta mat.VecDense
		if err := beta.SolveVec(a, y); err != nil {
			t.Fatal(err)
		}
		f, moved := make([]float64, n), false
		for i := range f {
			f[i] = beta.AtVec(n)
			for j := range n {
				f[i] += k.At(i, j) * beta.AtVec(j)
			}
			side := rows[i].Target > f[i]
			moved = moved || side != above[i]
			above[i] = side
		}
		if !moved {
			return f
		}
	}
	t.Fatal("Newton's method has not ended")
	return nil
}
