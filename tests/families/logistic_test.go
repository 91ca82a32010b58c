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

// oddsRows are rows of two classes that no function separates.
func oddsRows(t *testing.T, seed uint64, n int) []dataset.Row {
	rows := lossRows(t, seed, n)
	for i := range rows {
		rows[i].Label = map[bool]string{true: "1", false: "-1"}[rows[i].Target > 0.3]
	}
	return rows
}

// sign is y of a row of classes -1 and 1.
func sign(r dataset.Row) float64 {
	if r.Label == "1" {
		return 1
	}
	return -1
}

// TestLogisticResponses: at the optimum every dual variable is alpha_i = y_i C_i / (1 + exp(y_i f_i)).
func TestLogisticResponses(t *testing.T) {
	t.Parallel()
	rows := oddsRows(t, 41, 160)
	for i := range rows {
		rows[i].Weight = 0.5 + float64(i%4)
	}
	for _, p := range []float64{1, 4.0 / 3, 2, math.Inf(1)} {
		// Rounding of the smallest V_m stops p = inf at larger gaps.
		gap := 1e-12
		if math.IsInf(p, 1) {
			gap = 1e-6
		}
		for _, cost := range []float64{0.05, 2, 200} {
			o := bigmkl.Options{Task: bigmkl.TaskLogistic, C: cost, Norm: p, Kernels: "gauss:auto/3,linear", Gap: gap, Threads: 1,
				ClassWeight: map[string]float64{"1": 1.5}}
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			alpha := make([]float64, len(rows))
			for k, i := range m.Support {
				alpha[i] = m.Alpha[k]
			}
			for i, x := range bigmkltest.Predictions(t, m, rows) {
				y, c := sign(rows[i]), cost*rows[i].Weight
				if y > 0 {
					c *= 1.5
				}
				// The gap has c times the divergence of the two shares, which is at least twice their squared distance (Pinsker).
				near := 1e-6
				if math.IsInf(p, 1) {
					near = math.Sqrt((m.Certificate.Primal - m.Certificate.Dual) / (2 * c))
				}
				if want := y * c / (1 + math.Exp(y*x.Decision)); math.Abs(alpha[i]-want) > near*c {
					t.Fatalf("p = %g, C = %g, row %d: %g, the response to %g is %g", p, cost, i, alpha[i]/c, x.Decision, want/c)
				}
			}
		}
	}
}

// TestLogisticOfNewton compares one kernel with Newton's method on the primal problem, without dual variables:
// min over (beta, b) of beta'K beta / 2 + C sum_i log(1 + exp(-y_i f_i)), f = K beta + b.
func TestLogisticOfNewton(t *testing.T) {
	t.Parallel()
	const width = 0.4
	rows := oddsRows(t, 42, 90)
	gram := gaussGram(rows, width)
	for _, cost := range []float64{0.1, 3, 100} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskLogistic, C: cost, Kernels: "gauss:0.4", Normalize: "none", Norm: 2, Gap: 1e-10, Threads: 1})
		want := newtonLogistic(t, gram, rows, cost)
		for i, p := range bigmkltest.Predictions(t, m, rows) {
			if math.Abs(p.Decision-want[i]) > 1e-4 {
				t.Fatalf("C = %g, row %d: %g, by Newton's method %g", cost, i, p.Decision, want[i])
			}
		}
	}
}

// newtonLogistic gives the function of the optimum at the rows, where beta_i = y_i C / (1 + exp(y_i f_i)) and sum beta = 0.
func newtonLogistic(t *testing.T, k *mat.SymDense, rows []dataset.Row, cost float64) []float64 {
	t.Helper()
	n := len(rows)
	x := mat.NewVecDense(n+1, nil) // beta and b
	f := make([]float64, n)
	for range 200 {
		a, rest, off := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil), 0.0
		for i, r := range rows {
			f[i] = x.AtVec(n)
			for j := range n {
				f[i] += k.At(i, j) * x.AtVec(j)
			}
			s := 1 / (1 + math.Exp(sign(r)*f[i]))
			w := cost * s * (1 - s)
			for j := range n {
				a.Set(i, j, w*k.At(i, j))
			}
			a.Set(i, i, a.At(i, i)+1)
			a.Set(i, n, w)
			a.Set(n, i, 1)
			rest.SetVec(i, sign(r)*cost*s-x.AtVec(i))
			rest.SetVec(n, rest.AtVec(n)-x.AtVec(i))
			off = max(off, math.Abs(rest.AtVec(i)))
		}
		if off < 1e-10*cost {
			return f
		}
		var step mat.VecDense
		if err := step.SolveVec(a, rest); err != nil {
			t.Fatal(err)
		}
		// Half of a step is always short enough on these rows.
		x.AddScaledVec(x, map[bool]float64{true: 0.5, false: 1}[off > 0.1*cost], &step)
	}
	t.Fatal("Newton's method has not ended")
	return nil
}

// TestLogisticOfScikitLearn compares a linear kernel with LogisticRegression of scikit-learn 1.7:
//
//	i, j = numpy.arange(40)[:, None], numpy.arange(3)[None, :]
//	X = numpy.sin(1.7 * i * (j + 1) + j)
//	y = numpy.where(X @ [1, 0.5, -0.3] + 0.8 * numpy.sin(5.1 * numpy.arange(40)) > 0.2, 1, -1)
//	LogisticRegression(C=C, tol=1e-12, max_iter=10000, solver="newton-cholesky").fit(X, y)
func TestLogisticOfScikitLearn(t *testing.T) {
	t.Parallel()
	rows := make([]dataset.Row, 40)
	for i := range rows {
		rows[i].Label = "-1"
		x := make([]float64, 3)
		for j := range x {
			x[j] = math.Sin(1.7*float64(i)*float64(j+1) + float64(j))
		}
		if x[0]+0.5*x[1]-0.3*x[2]+0.8*math.Sin(5.1*float64(i)) > 0.2 {
			rows[i].Label = "1"
		}
		rows[i].Index, rows[i].Value = []int32{0, 1, 2}, x
	}
	for cost, want := range map[float64][4]float64{
		0.1: {0.474487627, 0.368393825, -0.40004193, -0.54085409},
		1:   {1.701456589, 1.159484744, -1.216251709, -0.77587729},
		30:  {5.313445991, 3.329686538, -1.696017831, -2.24943709},
	} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskLogistic, C: cost, Kernels: "linear", Normalize: "none", Scale: "none", Gap: 1e-11, Precision: "64", Threads: 1})
		for i, p := range bigmkltest.Predictions(t, m, rows) {
			f := want[3]
			for j, x := range rows[i].Value {
				f += want[j] * x
			}
			if math.Abs(p.Decision-f) > 1e-5 {
				t.Fatalf("C = %g, row %d: %.8g, scikit-learn %.8g", cost, i, p.Decision, f)
			}
		}
	}
}

// TestConstantOdds: a model whose kernel sees nothing is a constant, and the best constant is the logarithm of the odds.
func TestConstantOdds(t *testing.T) {
	t.Parallel()
	rows := oddsRows(t, 43, 120)
	var cost [2]float64
	for i := range rows {
		rows[i].Index, rows[i].Value, rows[i].Weight = []int32{0, 1, 2}, []float64{1, 1, 1}, 1+float64(i%3)
		cost[int(1+sign(rows[i]))/2] += rows[i].Weight
	}
	for _, c := range []float64{0.01, 1, 1e4} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskLogistic, C: c, Kernels: "gauss:1", Normalize: "none", Threads: 1})
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		if got, want := bigmkltest.Predictions(t, m, rows)[0].Decision, math.Log(cost[1]/cost[0]); math.Abs(got-want) > 1e-9 {
			t.Errorf("C = %g: %.12g, want %.12g", c, got, want)
		}
	}
}

// TestMirroredOdds: with the classes exchanged the function has the other sign, and the same dual value.
func TestMirroredOdds(t *testing.T) {
	t.Parallel()
	rows, mirrored := oddsRows(t, 44, 200), oddsRows(t, 44, 200)
	for i, r := range rows {
		mirrored[i].Label = map[string]string{"1": "-1", "-1": "1"}[r.Label]
	}
	a, one := lossValue(t, rows, bigmkl.Options{Task: bigmkl.TaskLogistic, C: 2})
	b, other := lossValue(t, mirrored, bigmkl.Options{Task: bigmkl.TaskLogistic, C: 2})
	if math.Abs(one-other) > 3e-6*one {
		t.Errorf("dual values %.10g and %.10g of the other classes", one, other)
	}
	of := bigmkltest.Predictions(t, b, mirrored)
	for i, p := range bigmkltest.Predictions(t, a, rows) {
		if math.Abs(p.Decision+of[i].Decision) > 2e-2 {
			t.Fatalf("row %d: %g and %g", i, p.Decision, of[i].Decision)
		}
	}
}
