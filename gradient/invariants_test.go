package gradient

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bigmkl/cache"
	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// passed is a gradient after a pass, with its alpha and what the pass gave.
func passed(t testing.TB, double bool) (gr *Gradient, alpha, theta, combined []float64) {
	rng := random(t, 8)
	b := banks(t, rng, 70)[0]
	gr = newGradient(t, b, Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 24, Mode: cache.Always}})
	alpha, combined = make([]float64, 70), make([]float64, 70)
	if double {
		if err := gr.Rebuild(t.Context(), alpha, true); err != nil {
			t.Fatal(err)
		}
	}
	theta = make([]float64, b.Len())
	for m := range theta {
		theta[m] = 1
	}
	set, delta := subset(rng, 70, 20), normals(rng, 20)
	for k, i := range set {
		alpha[i] = delta[k]
	}
	if err := gr.Pass(t.Context(), set, delta, alpha, theta, combined, make([]float64, b.Len())); err != nil {
		t.Fatal(err)
	}
	gr.stats.Passes = 1 // it is the turn of the check
	return gr, alpha, theta, combined
}

// Gradients that are off by little are seen.
func TestAssertPass(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	for _, double := range []bool{false, true} {
		gr, alpha, theta, combined := passed(t, double)
		check := &checked{&gr.engine, alpha, theta}
		size := check.termSizes([]int{0}, theta)[0]
		first := int(gr.bank.Places()[0]) * simd.Width // the first kernel at the first point
		one := make([]float64, len(theta))
		one[0] = 1
		own := check.termSizes([]int{0}, one)[0]
		padded := len(gr.now.g) - 1
		for _, c := range []struct {
			want  string
			value *float64
			by    float64
		}{
			{"<nil>", &combined[0], 0},
			{"the gradient at point 0", &combined[0], 3 * check.slack() * size},
			{"the gradient at point 0", &gr.now.g[first], 3 * check.slack() * own},
			{"feature 2 of the linear kernels", &gr.sum[1], 1e-6},
			{"a lane without a point", &gr.now.g[padded], math.Inf(1)},
		} {
			was := *c.value
			*c.value += c.by
			text := func() (text string) {
				defer func() { text = fmt.Sprint(recover()) }()
				if err := check.pass(t.Context(), combined); err != nil {
					t.Error(err)
				}
				return ""
			}()
			*c.value = was
			if !strings.Contains(text, c.want) {
				t.Errorf("double %v: %q is missing in %q", double, c.want, text)
			}
		}
	}
}

// One bit of a cached row is seen. The check runs in a worker of its own, whose panic ends the process: so it is another one.
func TestAssertHit(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	const variable = "BIGMKL_SPOIL_A_ROW"
	if os.Getenv(variable) != "" {
		spoilRow(t)
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestAssertHit$")
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: invariant: row ") {
		t.Errorf("%v: %s", err, out)
	}
}

// spoilRow turns a bit of the first number of every cached row and goes on.
func spoilRow(t *testing.T) {
	gr, alpha, theta, combined := passed(t, false)
	rows := gr.arith.(*pass[float32]).rows.cache
	var want []cache.Request
	for g := range gr.bank.Groups {
		for i, a := range alpha {
			if a != 0 {
				want = append(want, cache.Request{Key: cache.Key{Group: int32(g), Row: int32(i)}, Cost: 1e9})
			}
		}
	}
	got := make([]cache.Row, len(want))
	if err := rows.Acquire(context.Background(), want, got); err != nil {
		t.Fatal(err)
	}
	hits := 0
	for _, r := range got {
		if r.State == cache.Hit {
			row := mmap.Slice[float32](r.Data)
			row[0] = math.Float32frombits(math.Float32bits(row[0]) ^ 1)
			hits++
		}
	}
	if err := rows.Release(true); err != nil || hits == 0 {
		t.Fatal(hits, err)
	}
	set := support(alpha)
	delta := make([]float64, len(set))
	for pass := range 2 * assertHits {
		for k, i := range set {
			delta[k] = 1e-12 * float64(1-2*(pass%2))
			alpha[i] += delta[k]
		}
		if err := gr.Pass(t.Context(), set, delta, alpha, theta, combined, make([]float64, len(theta))); err != nil {
			t.Fatal(err)
		}
	}
}
