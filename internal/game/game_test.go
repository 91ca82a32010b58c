package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func random(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 5))
}

// check: the mixtures are mixtures, and their bounds meet.
func check(t *testing.T, name string, a []float64, rows, columns int) *Solution {
	t.Helper()
	s := Solve(a, rows, columns)
	for _, x := range [][]float64{s.Rows, s.Columns} {
		sum := 0.0
		for _, v := range x {
			if !(v >= 0) {
				t.Errorf("%s: a share of %v", name, v)
			}
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: shares sum to %v", name, sum)
		}
	}
	size := 0.0
	for _, x := range a {
		size = max(size, math.Abs(x))
	}
	if !(s.High-s.Low <= 1e-12*size) {
		t.Errorf("%s: between %.17g and %.17g", name, s.Low, s.High)
	}
	return s
}

// value finds the value of a small game by all square parts: one of them has the mixtures of the whole (Shapley and Snow 1950).
func value(a []float64, rows, columns int) float64 {
	subsets := func(n int) (all [][]int) {
		for bits := 1; bits < 1<<n; bits++ {
			var s []int
			for i := range n {
				if bits>>i&1 == 1 {
					s = append(s, i)
				}
			}
			all = append(all, s)
		}
		return all
	}
	best, gap := math.NaN(), math.Inf(1)
	for _, r := range subsets(rows) {
		for _, c := range subsets(columns) {
			if len(r) != len(c) {
				continue
			}
			k := len(r)
			m, right := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
			for i := range k {
				for j := range k {
					m.Set(i, j, a[r[i]*columns+c[j]])
				}
				m.Set(i, k, -1)
				m.Set(k, i, 1)
			}
			right.SetVec(k, 1)
			var x, y mat.VecDense
			if x.SolveVec(m, right) != nil {
				continue
			}
			right.SetVec(k, -1)
			if y.SolveVec(m.T(), right) != nil {
				continue
			}
			s := &Solution{Rows: make([]float64, rows), Columns: make([]float64, columns)}
			for i := range k {
				s.Columns[c[i]], s.Rows[r[i]] = max(x.AtVec(i), 0), max(y.AtVec(i), 0)
			}
			unit(s.Rows)
			unit(s.Columns)
			if s.bound(a); s.High-s.Low < gap {
				gap, best = s.High-s.Low, s.High
			}
		}
	}
	return best
}

// TestSmallGames compares with an exhaustive search, on games with ties and twins as well.
func TestSmallGames(t *testing.T) {
	rng := random(t, 1)
	for _, kind := range []string{"plain", "ties", "twins", "flat", "wide"} {
		for trial := range 60 {
			rows, columns := 1+rng.IntN(4), 1+rng.IntN(4)
			a := make([]float64, rows*columns)
			for i := range a {
				switch kind {
				case "ties":
					a[i] = float64(rng.IntN(3) - 1)
				case "flat":
					a[i] = 7
				case "wide":
					a[i] = math.Exp(2 * rng.NormFloat64())
				default:
					a[i] = rng.NormFloat64()
				}
			}
			if kind == "twins" {
				copy(a[(rows-1)*columns:], a[:columns])
				for r := range rows {
					a[r*columns+columns-1] = a[r*columns]
				}
			}
			name := fmt.Sprintf("%s %d, %d x %d", kind, trial, rows, columns)
			s := check(t, name, a, rows, columns)
			size := 1.0
			for _, x := range a {
				size = max(size, math.Abs(x))
			}
			if want := value(a, rows, columns); !(math.Abs(s.High-want) <= 1e-11*size) {
				t.Errorf("%s: value %v, by all parts %v\n%v", name, s.High, want, a)
			}
		}
	}
}

// TestClosedForms: games whose value is known.
func TestClosedForms(t *testing.T) {
	rng := random(t, 2)
	const n = 30
	symmetric, diagonal := make([]float64, n*n), make([]float64, n*n)
	inverse := 0.0
	for i := range n {
		d := 0.1 + rng.Float64()
		diagonal[i*n+i] = d
		inverse += 1 / d
		for j := range i {
			x := rng.NormFloat64()
			symmetric[i*n+j], symmetric[j*n+i] = x, -x
		}
	}
	if s := check(t, "skew-symmetric", symmetric, n, n); math.Abs(s.High) > 1e-13 {
		t.Errorf("a symmetric game has the value %v", s.High)
	}
	s := check(t, "diagonal", diagonal, n, n)
	for i, x := range s.Columns {
		if want := 1 / diagonal[i*n+i] / inverse; math.Abs(x-want) > 1e-12 || math.Abs(s.Rows[i]-want) > 1e-12 {
			t.Errorf("diagonal: shares %v and %v, want %v", x, s.Rows[i], want)
		}
	}
	saddle := []float64{3, 1, 4, 2, 0, 7, 5, 1, 6} // the middle column, at 1 in the worst rows
	if s := check(t, "saddle", saddle, 3, 3); s.High != 1 || s.Columns[1] != 1 {
		t.Errorf("%+v", s)
	}
}

// TestCuts: the tangents of a convex function at many points, as cutting planes have them: nearly parallel rows, of which most do
// not matter, over many columns. Their least maximum is between the bounds.
func TestCuts(t *testing.T) {
	rng := random(t, 3)
	for _, shape := range [][2]int{{1, 400}, {5, 300}, {60, 8}, {60, 400}, {200, 50}} {
		rows, columns := shape[0], shape[1]
		centre := make([]float64, columns)
		for c := range centre {
			centre[c] = rng.Float64()
		}
		unit(centre)
		a := make([]float64, rows*columns)
		for r := range rows { // of |theta - centre|^2, at points that come nearer
			near := math.Pow(0.9, float64(r))
			at := make([]float64, columns)
			for c := range at {
				at[c] = max(0, centre[c]*(1+near*rng.NormFloat64()))
			}
			unit(at)
			constant := 0.0
			for c, x := range at {
				constant += (x-centre[c])*(x-centre[c]) - 2*(x-centre[c])*x
			}
			for c, x := range at {
				a[r*columns+c] = constant + 2*(x-centre[c])
			}
		}
		s := check(t, fmt.Sprintf("%d x %d", rows, columns), a, rows, columns)
		if s.High > 1e-12 {
			t.Errorf("%d x %d: tangents of a function of minimum 0 have the value %v", rows, columns, s.High)
		}
	}
}
