package gradient

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// This is a whole family, as small as one can be: the features are divided into soft regions around given centres,
//
//	rho_r(x) = exp(-|x - c_r|^2 / s^2) / sum_h exp(-|x - c_h|^2 / s^2)   (Gönen 2010, eq. 3.4),
//
// and every kernel has a copy in each region, with rho_r as its gate. Regions stay where they are, so the problem is convex
// and certified as it is. No code outside of this file depends on the family: it has gates, a name in the model file, and predictions.

// regions are Gaussian gates on some points. They keep no value.
type regions struct {
	Centres [][]float64
	Spread  float64
	Kinds   int // kernels of a region: kernel m is of region m / Kinds
	points  *table
}

func (g *regions) Gate(kernel int32, points []int32, eta []float64) {
	for k, i := range points {
		eta[k] = g.at(int(kernel), g.points.x[i])
	}
}

// at is the gate of a kernel at a point. Shares below a thousandth are 0.
func (g *regions) at(kernel int, x []float32) float64 {
	own, sum := 0.0, 0.0
	for r, c := range g.Centres {
		square := 0.0
		for j, v := range x {
			square += (float64(v) - c[j]) * (float64(v) - c[j])
		}
		part := math.Exp(-square / (g.Spread * g.Spread))
		if sum += part; r == kernel/g.Kinds {
			own = part
		}
	}
	if own < 1e-3*sum {
		return 0
	}
	return own / sum
}

// on is the same regions for other points.
func (g *regions) on(points *table) *regions {
	r := *g
	r.points = points
	return &r
}

// rings is a problem that no kernel of the bank can solve in one region: the label depends on the region as well.
func rings(rng *rand.Rand, n int) (*table, []int8) {
	p, y := uniform(rng, n, 3), make([]int8, n)
	for i, x := range p.x {
		y[i] = 1
		if (x[0] > 0.5) != (x[1] > 0.4*x[2]+0.3) != (rng.IntN(12) == 0) {
			y[i] = -1
		}
	}
	return p, y
}

// trained solves the problem of a loss and a norm on gradients, in double precision.
func trained(t *testing.T, gr chunking.Gradient, y []int8, kernels int, p, gap float64) chunking.Solution {
	t.Helper()
	s := chunking.New(len(y), kernels, loss.NewHinge(y, [2]float64{2, 2}, nil), norm.NewBlock(p, nil), gr, gap, chunking.Tuning{WorkingSet: 40})
	status, err := chunking.NewDriver(s, chunking.Limits{Precision: chunking.Double}).Run(t.Context())
	if err != nil || status != chunking.Converged {
		t.Fatal(status, err)
	}
	return s.Solution()
}

// bounds are both sides of the problem by double loops over kernel matrices.
func bounds(s *chunking.Solution, y []int8, k [][]float64, p float64) (primal, dual float64) {
	n, f := len(y), make([]float64, len(y))
	w, v, q := 0.0, 0.0, p/(p-1)
	for m, theta := range s.Theta {
		energy := 0.0
		for i := range n {
			g := 0.0
			for j, a := range s.Alpha {
				g += k[m][i*n+j] * a
			}
			energy += s.Alpha[i] * g
			f[i] += theta * g
		}
		w += math.Pow(theta*math.Sqrt(energy), p)
		v += math.Pow(math.Sqrt(energy), q)
	}
	primal, dual = 0.5*math.Pow(w, 2/p), -0.5*math.Pow(v, 2/q)
	for i, f := range f {
		primal += 2 * max(0, 1-float64(y[i])*(f+s.Certificate.Bias))
		dual += float64(y[i]) * s.Alpha[i]
	}
	return primal, dual
}

func near(t *testing.T, what string, got, want, eps float64) {
	t.Helper()
	if !(math.Abs(got-want) <= eps*math.Abs(want)) {
		t.Errorf("%s: %v, want %v: off by %.2g", what, got, want, math.Abs(got/want-1))
	}
}

// TestFamily takes a family from gates to predictions, and holds each step to double loops.
func TestFamily(t *testing.T) {
	t.Parallel()
	rng := random(t, 1)
	const n, kinds = 150, 3
	p, y := rings(rng, n)
	specs := slices.Repeat([]string{"gauss:2", "linear", "poly:2"}, 2)
	list, err := kernelspec.Expand(specs, kernelspec.Context{Features: 3, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	gates := &regions{[][]float64{{0.2, 0.5, 0.5}, {0.9, 0.4, 0.6}}, 0.35, kinds, p}
	eta := make(etas, len(specs))
	closed := 0
	for m := range eta {
		for _, x := range p.x {
			eta[m] = append(eta[m], gates.at(m, x))
			if gates.at(m, x) == 0 {
				closed++
			}
		}
	}
	if closed == 0 {
		t.Fatal("no gate is closed")
	}
	b := newGatedBank(t, "regions", p, list, false, nil, eta) // with the matrices by their definition
	gated := *b
	gated.Bank = newBank(t, "", p, list, false, nil).Gated(gates, gates)
	files := &kernelspec.Bank{}
	var matrices [][][]float64
	for m := range b.k() {
		files.Files = append(files.Files, fmt.Sprint(m))
		files.Kernels = append(files.Kernels, kernelspec.Kernel{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures, Index: int32(m)})
		var rows [][]float64
		for i := range n {
			rows = append(rows, b.k()[m][i*n:(i+1)*n])
		}
		matrices = append(matrices, rows)
	}
	precomputed := newBank(t, "precomputed", p, files, false, nil, matrices...)
	o := Options{Threads: 2, Memory: 1 << 30, Cache: cache.Options{Memory: 1 << 24, Mode: cache.Always}, DoubleRows: 1 << 24}
	for _, power := range []float64{4.0 / 3, 2} {
		const gap = 1e-8
		s := trained(t, newGradient(t, &gated, o), y, b.Len(), power, gap)
		c := s.Certificate
		primal, dual := bounds(&s, y, b.k(), power)
		near(t, "primal", c.Primal, primal, 1e-10)
		near(t, "dual", c.Dual, dual, 1e-10)
		if !(c.RelativeGap <= gap && primal-dual <= 2*gap*primal) {
			t.Errorf("p = %g: the gap is %g, by double loops %g of %g", power, c.RelativeGap, primal-dual, primal)
		}
		other := trained(t, newGradient(t, precomputed, o), y, b.Len(), power, gap).Certificate
		near(t, "primal of precomputed kernels", c.Primal, other.Primal, 1e-7)
		near(t, "dual of precomputed kernels", c.Dual, other.Dual, 1e-7)
		write(t, filepath.Join(t.TempDir(), "m"), gates, &s, specs, power, uniform(rng, 77, 3))
	}
}

// write makes a model file of a solution, reads it back as another program would, and compares its decision values at new points
// with a double loop.
func write(t *testing.T, path string, gates *regions, s *chunking.Solution, specs []string, power float64, fresh *table) {
	t.Helper()
	settings, err := json.Marshal(map[string]any{"spread": gates.Spread, "kinds": gates.Kinds})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Certificate
	m := &model.Model{
		Task: model.TaskClass, Norm: power, C: 2, Gap: 1e-8, Precision: "64", Double: true, Positive: "1", Negative: "-1", PositiveWeight: 1, NegativeWeight: 1,
		Points: len(s.Alpha), SupportVectors: model.SupportVectors{Features: 3}, Store: "dense", Kernels: specs, Theta: s.Theta, WNorms: s.WNorms, Bias: c.Bias,
		Certificate: model.Certificate{Kind: "gap", Primal: c.Primal, Dual: c.Dual, RelativeGap: c.RelativeGap},
		Family:      &model.Family{Name: "regions", Settings: settings, Arrays: map[string][]float64{"centres": slices.Concat(gates.Centres...)}},
	}
	m.Scaling.Kind, m.Normalization.Kind = "none", "none"
	for i, a := range s.Alpha {
		if a != 0 {
			m.Support, m.Alpha, m.Vectors = append(m.Support, int32(i)), append(m.Alpha, a), append(m.Vectors, gates.points.x[i]...)
		}
	}
	if err := model.Write(t.Context(), path, m); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Read(path); !errors.Is(err, fail.Version) {
		t.Errorf("a reader that knows no families: %v", err)
	}
	if m, err = model.Read(path, "regions"); err != nil {
		t.Fatal(err)
	}
	read := &regions{}
	if err := json.Unmarshal(m.Family.Settings, read); err != nil {
		t.Fatal(err)
	}
	read.Centres = slices.Collect(slices.Chunk(m.Family.Arrays["centres"], m.Features))
	list, err := m.Bank()
	if err != nil {
		t.Fatal(err)
	}
	var x [][]float32
	for v := range slices.Chunk(m.Vectors, m.Features) {
		x = append(x, v)
	}
	support := newTable(x)
	f := &Function{
		Bank: newBank(t, "", support, list, false, nil).Gated(read.on(support), read.on(fresh)), Threads: 2,
		Points: &kernels.Set{}, Outputs: []Output{{Theta: m.Theta, Alpha: m.Alpha}},
	}
	var all []int32
	for i := range x {
		all = append(all, int32(i))
	}
	f.Points.Gather(support, all)
	batch := Columns{Len: len(fresh.x)}
	for at := range panelsOf(batch.Len) {
		batch.Panels = append(batch.Panels, kernels.PanelOf(fresh, at, &kernels.PanelBuffer{}))
	}
	for double, eps := range map[bool]float64{false: 1e-5, true: 1e-12} {
		out := make([]float64, batch.Len)
		if err := f.Values(t.Context(), batch, double, out); err != nil {
			t.Fatal(err)
		}
		for j, z := range fresh.x {
			want, size := 0.0, 0.0
			for k, theta := range m.Theta {
				for i, a := range m.Alpha {
					value, _ := kernelstest.Value(list.Kernels[k], nil, x[i], z, nil)
					term := theta * a * read.at(k, x[i]) * read.at(k, z) * value
					want, size = want+term, size+math.Abs(term)
				}
			}
			if !(math.Abs(out[j]-want) <= eps*size) {
				t.Fatalf("double %v, point %d: f = %v, want %v", double, j, out[j], want)
			}
		}
	}
}

// TestFamilyOfOneRegion: where gates are 1 a family trains as the plain problem does, bit for bit.
func TestFamilyOfOneRegion(t *testing.T) {
	t.Parallel()
	p, y := rings(random(t, 2), 150)
	list := withoutLinear()
	list.Kernels = list.Kernels[:4]
	gates := &regions{[][]float64{{0.5, 0.5, 0.5}}, 1, len(list.Kernels), p}
	plain := newBank(t, "plain", p, list, false, nil)
	gated := *plain
	gated.Bank = plain.Gated(gates, gates)
	for _, power := range []float64{4.0 / 3, 2} {
		var answers [2]*transcript
		for i, b := range []*bank{plain, &gated} {
			s := trained(t, newGradient(t, b, Options{Threads: 1 + i, Memory: 1 << 30}), y, b.Len(), power, 1e-6)
			answers[i] = &transcript{}
			answers[i].add("alpha", s.Alpha)
			answers[i].add("theta", s.Theta)
			answers[i].add("norms", s.WNorms)
			answers[i].add("certificate", []float64{s.Certificate.Primal, s.Certificate.Dual, s.Certificate.Bias, float64(s.Iterations)})
		}
		if what := answers[0].differs(answers[1]); what != "" {
			t.Errorf("p = %g: other bits in %s", power, what)
		}
	}
}
