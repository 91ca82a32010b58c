package gradienttest

import (
	"context"
	"math"
	"os"
	"os/exec"
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/toy"
)

// kernelsOf are the matrices that the tests of this package use.
func kernelsOf(t testing.TB, n int) [][]float64 {
	_, x := toy.Cloud("dense", toy.Random(t, 5), n, 3)
	return [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 3), toy.Poly(x, 2), toy.Times(toy.Gauss(x, 2), 1e4)}
}

// TestDense: the gradient by the definitions passes the suite.
func TestDense(t *testing.T) {
	k := kernelsOf(t, 20)
	Run(t, Case{
		N: 20, Kernels: k, Single: 1e-14, Double: 1e-14,
		New: func(testing.TB) chunking.Gradient { return NewDense(20, k) },
	})
}

// wrong is a gradient with one fault.
type wrong struct {
	*Dense
	fault string
}

func (w *wrong) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	err := w.Dense.Pass(ctx, set, delta, alpha, theta, combined, v)
	switch w.fault {
	case "combined":
		combined[len(combined)-1] *= 1 + 1e-6
	case "v":
		v[0] *= 1 + 1e-6
	case "cut":
		if ctx.Err() != nil {
			return ctx.Err() // the change has been added, and will be again
		}
	}
	return err
}

func (w *wrong) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if w.fault == "rank" {
		rank = nil
	}
	return w.Dense.Hessian(ctx, set, theta, rank, h)
}

func (w *wrong) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	err := w.Dense.Directions(ctx, set, d, b, c)
	if w.fault == "directions" {
		c[0] = math.Nextafter(c[0], 0) * (1 - 1e-6)
	}
	return err
}

func (w *wrong) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if w.fault == "rebuild" {
		return nil
	}
	return w.Dense.Rebuild(ctx, alpha, double)
}

func (w *wrong) Scale(c float64) {
	if w.fault != "scale" {
		w.Dense.Scale(c)
	}
}

func (w *wrong) Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error {
	err := w.Dense.Mix(ctx, set, row, factor, mixed)
	if w.fault == "mix" {
		mixed[0]++
	}
	return err
}

func (w *wrong) Along(ctx context.Context, d, theta, b, c, image []float64) error {
	err := w.Dense.Along(ctx, d, theta, b, c, image)
	if w.fault == "along" {
		b[0]++
	}
	return err
}

// TestFaults: the suite finds each fault. It fails in a process of its own.
func TestFaults(t *testing.T) {
	if fault := os.Getenv("GRADIENTTEST_FAULT"); fault != "" {
		k := kernelsOf(t, 20)
		Run(t, Case{
			N: 20, Kernels: k, Single: 1e-12, Double: 1e-12,
			New: func(testing.TB) chunking.Gradient { return &wrong{NewDense(20, k), fault} },
		})
		return
	}
	for _, fault := range []string{"combined", "v", "cut", "rank", "directions", "rebuild", "scale", "mix", "along", "none"} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestFaults$")
		c.Env = append(os.Environ(), "GRADIENTTEST_FAULT="+fault)
		out, err := c.CombinedOutput()
		if passed := err == nil; passed != (fault == "none") {
			t.Errorf("fault %q: passed is %v\n%s", fault, passed, out)
		}
	}
}
