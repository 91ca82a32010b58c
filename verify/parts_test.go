package verify

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// The proof that verify owes nothing to what it verifies.
func TestImports(t *testing.T) {
	t.Parallel()
	list := func(args ...string) []string {
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return strings.Fields(string(out))
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	module := list("-m")[0]
	var deps []string
	for _, d := range list("-deps", ".") {
		if d == module || strings.HasPrefix(d, module+"/") {
			deps = append(deps, d)
		}
	}
	for _, d := range deps {
		for _, solver := range []string{"bigmkl/chunking", "bigmkl/gradient", "bigmkl/cache", "bigmkl/kernels", "bigmkl/internal/simd"} {
			if d == solver || strings.HasPrefix(d, solver+"/") {
				t.Errorf("verify depends on %s", d)
			}
		}
	}
	if !slices.Contains(deps, "bigmkl/internal/model") {
		t.Errorf("go list gave %q", deps)
	}
	allowed := []string{"bigmkl/dataset", "bigmkl/internal/model", "bigmkl/internal/kernelspec", "bigmkl/internal/bytesize", "bigmkl/internal/fail", "bigmkl/internal/float", "bigmkl/internal/host", "bigmkl/internal/dataset/npy", "bigmkl/internal/dataset/objects",
		"bigmkl/internal/dataset/datahash", "bigmkl/internal/dataset/holdout", "bigmkl/internal/dataset/labeltext"}
	for _, d := range list("-f", `{{join .Imports "\n"}}`, ".") {
		if strings.HasPrefix(d, module+"/") && !slices.Contains(allowed, d) {
			t.Errorf("verify imports %s", d)
		}
	}
}

// A linear kernel from a file gives what the linear kernel gives.
func TestPrecomputed(t *testing.T) {
	t.Parallel()
	for _, normalize := range []string{"none", "spherical"} {
		m, src, x, _, _ := random(60, 5, 2, normalize)
		m.Kernels, m.Theta, m.WNorms = []string{"linear"}, []float64{1}, []float64{1}
		want := run(t, m, src, Options{})
		path := filepath.Join(t.TempDir(), "gram.npy")
		write := func(rows int, hole float64) {
			w, err := npy.Create(path, rows, rows, true)
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				row := make([]float64, rows)
				for j := range row {
					row[j] = dot(x[i], x[j])
				}
				row[0] += hole
				if err := w.WriteRow64(row); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		m.Kernels, m.Vectors = []string{"precomputed:lost.npy"}, nil
		verify := func(gram ...string) (*Report, error) {
			return Run(context.Background(), m, &rows{list: src.list}, Options{Gram: gram})
		}
		write(60, 0)
		got, err := verify(path)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "primal", got.Primal, want.Primal, 1e-12)
		near(t, "dual", got.Dual, want.Dual, 1e-12)
		if _, err := verify(path, path); !errors.Is(err, fail.Usage) {
			t.Errorf("two files: %v", err)
		}
		write(60, math.NaN())
		if _, err := verify(path); !errors.Is(err, fail.Input) {
			t.Errorf("NaN: %v", err)
		}
		write(59, 0)
		if _, err := verify(path); !errors.Is(err, fail.Input) {
			t.Errorf("a matrix that is too small: %v", err)
		}
	}
}

func TestNorms(t *testing.T) {
	t.Parallel()
	v := []float64{3e200, 0, 4e200}
	for p, want := range map[float64]float64{1: 7e200, 2: 5e200, math.Inf(1): 4e200, 200: 4e200} {
		near(t, "norm", norm(v, p)/1e200, want/1e200, 1e-12)
	}
	if norm(nil, 3) != 0 || !math.IsNaN(norm([]float64{1, math.NaN()}, 1)) {
		t.Error("the norm of nothing or of a NaN")
	}
	for p, want := range map[float64]float64{1: math.Inf(1), 2: 2, 4: 4.0 / 3, math.Inf(1): 1} {
		if got := conjugate(p); got != want {
			t.Errorf("the conjugate of %g is %g", p, got)
		}
	}
	var n neumaier
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		n.add(x)
	}
	if n.value() != 2 {
		t.Errorf("1 + 1e100 + 1 - 1e100 = %g", n.value())
	}
}

func TestPower(t *testing.T) {
	t.Parallel()
	for d := 1; d < 40; d++ {
		near(t, "power", power(-1.25, d), math.Pow(-1.25, float64(d)), 1e-14)
	}
}

// TestSumOfAlpha: dual variables sum to 0 up to their own size and to the rounding of what they have been.
func TestSumOfAlpha(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		alpha []float64
		sound bool
	}{
		{[]float64{1, -1}, true},
		{[]float64{1, -1 - 1e-11}, true},
		{[]float64{1, -1 - 1e-9}, false},
		{[]float64{3e-17, -1e-17, 8e-17}, true},   // a bound of 1, and what rounding has left
		{[]float64{3e-13, -1e-13, -1e-13}, false}, // more than that
		{[]float64{0, 0}, true},
		{[]float64{math.NaN(), 1}, false},
	} {
		var f faults
		m := classifier{Model: &model.Model{Points: 100, Alpha: c.alpha}, dearest: 1}
		if m.checkAlpha(&f); (len(f.lines()) == 0) != c.sound {
			t.Errorf("alpha %g: %q", c.alpha, f.lines())
		}
	}
}
