package chunking_test

import (
	"fmt"
	"math"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/toy"
)

// contrasts poses the problem of one classifier for all classes of the points. In columns a kernel
// is a matrix repeated along the diagonal.
func contrasts(class []int32, classes int, cost, exponent, gap float64, kernels [][]float64,
	tuning Tuning) *Solver {
	n, costs := len(class), make([]float64, len(class))
	for i := range costs {
		costs[i] = cost
	}
	var wide [][]float64
	for _, k := range kernels {
		side := n * classes
		w := make([]float64, side*side)
		for c := range classes {
			for i := range n {
				copy(w[(c*n+i)*side+c*n:], k[i*n:(i+1)*n])
			}
		}
		wide = append(wide, w)
	}
	d := gradienttest.NewDense(n*classes, wide)
	return NewContrasts(n, len(kernels), loss.NewMulticlass(class, classes, costs, nil),
		norm.NewBlock(exponent, nil), d, gap, tuning)
}

// sectors puts points of a cloud into classes by their angle, with some noise.
func sectors(t *testing.T, classes, n int) (class []int32, kernels [][]float64) {
	rng := toy.Random(t, 284002)
	_, x := toy.Cloud("sectors", rng, n, 2)
	for i := range n {
		a := math.Atan2(x[i][1], x[i][0])/(2*math.Pi) + 1.5 + 0.05*rng.NormFloat64()
		class = append(class, int32(int(a*float64(classes))%classes))
	}
	return class, [][]float64{toy.Gauss(x, 0.2), toy.Gauss(x, 1), toy.Gauss(x, 5), toy.Linear(x, 0, 1)}
}

// TestContrasts: working sets of a part of the points come to the optimum for every norm and cost,
// with one dual value of all sets; of two classes it is twice that of the classifier for two.
func TestContrasts(t *testing.T) {
	for _, classes := range []int{2, 3, 5} {
		class, kernels := sectors(t, classes, 90)
		for _, exponent := range []float64{1, 1.05, 4.0 / 3, 2, 4, math.Inf(1)} {
			for _, cost := range []float64{0.1, 10} {
				t.Run(fmt.Sprintf("K=%d/p=%.3g/C=%g", classes, exponent, cost), func(t *testing.T) {
					testlevel.Sample(t, 3, 2)
					s := contrasts(class, classes, cost, exponent, 1e-6, kernels, Tuning{WorkingSet: 30})
					r, status := run(t, s)
					if status != Converged {
						t.Fatalf("%s after %d iterations with a gap of %g", status, r.Iterations,
							r.Certificate.RelativeGap)
					}
					holdsContrasts(t, class, classes, cost, r.Alpha)
					want := 0.0
					if classes > 2 {
						o, _ := run(t, contrasts(class, classes, cost, exponent, 1e-6, kernels, Tuning{}))
						want = o.Certificate.Dual
					} else {
						p := &toy.Problem{K: kernels, Indefinite: make([]bool, len(kernels))}
						for i := range class {
							p.Y, p.Cost = append(p.Y, float64(2*class[i]-1)), append(p.Cost, cost)
						}
						two, _, _ := solverOf(p, exponent, 1e-7)
						o, _ := run(t, two)
						want = 2 * o.Certificate.Dual
					}
					if !toy.Near(r.Certificate.Dual, want, 2e-6) {
						t.Errorf("a dual value of %.9g, not %.9g", r.Certificate.Dual, want)
					}
				})
			}
		}
	}
}

// holdsContrasts checks bounds, the sum of every point and the sum of every column.
func holdsContrasts(t *testing.T, class []int32, classes int, cost float64, alpha []float64) {
	t.Helper()
	n, size := len(class), 0.0
	columns := make([]float64, classes)
	for i, y := range class {
		sum := 0.0
		for c := range classes {
			a := alpha[c*n+i]
			if c != int(y) && !(a <= 0 && a >= -cost) || c == int(y) && a < 0 {
				t.Fatalf("alpha of point %d of class %d is %v in column %d", i, y, a, c)
			}
			sum += a
			size += math.Abs(a)
			columns[c] += a
		}
		if math.Abs(sum) > 1e-14*cost*float64(classes) {
			t.Fatalf("the variables of point %d sum to %g", i, sum)
		}
	}
	for c, sum := range columns {
		if math.Abs(sum) > 1e-12*size {
			t.Errorf("column %d sums to %g, all to %g", c, sum, size)
		}
	}
}

// TestContrastsInCycle: of three points, one of each class, no two contrasts are of the same two
// classes. So no pair of them moves alone: the sums stay only where all go round together. With
// a unit kernel the optimum is known: by symmetry all six are A, f differs by 3 A, and so A = 2/3.
func TestContrastsInCycle(t *testing.T) {
	unit := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	r, status := run(t, contrasts([]int32{0, 1, 2}, 3, 10, 2, 1e-9, [][]float64{unit}, Tuning{}))
	if status != Converged {
		t.Fatalf("%s with a gap of %g", status, r.Certificate.RelativeGap)
	}
	for v, a := range r.Alpha {
		want := -2.0 / 3
		if v/3 == v%3 {
			want = 4.0 / 3
		}
		if math.Abs(a-want) > 1e-7 {
			t.Errorf("variable %d is %v, not %v", v, a, want)
		}
	}
	// A one-way cycle: 0 is held against 1, 1 against 2 and 2 against 0, as the others are far.
	x := []float64{9, 8, 0, 0, 9, 8, 8, 0, 9}
	for i := range 3 {
		for j := range i {
			m := (x[i*3+j] + x[j*3+i]) / 2
			x[i*3+j], x[j*3+i] = m, m
		}
	}
	for _, set := range []int{2, 3} {
		r, status := run(t, contrasts([]int32{0, 1, 2, 0, 1, 2}, 3, 1, 4.0/3, 1e-6,
			[][]float64{twice(unit), twice(x)}, Tuning{WorkingSet: 2 * set}))
		if status != Converged {
			t.Errorf("sets of %d: %s with a gap of %g", 2*set, status, r.Certificate.RelativeGap)
		}
	}
}

// twice gives the kernel of every point twice.
func twice(k []float64) []float64 {
	r := make([]float64, 36)
	for i := range 6 {
		for j := range 6 {
			r[i*6+j] = k[i%3*3+j%3]
		}
	}
	return r
}
