package bigmkl

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/chunking"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/kernelspec"
	"bigmkl/model"
	"bigmkl/verify/verifytest"
)

const groupedBank = "gauss:auto/3 group=a,linear@1-4 group=b prior=2,poly:2@3-8 group=b,gauss:0.3@1-4 cost=1.5,gauss:0.2@5-8 group=a"

// ungrouped is the same kernels without groups.
var ungrouped = strings.NewReplacer(" group=a", "", " group=b", "").Replace(groupedBank)

// interactionsOf gives a matrix for m kernels of which neighbours know each other.
func interactionsOf(t testing.TB, m int) []float64 {
	t.Helper()
	g := make([]float64, m*m)
	for i := range m - 1 {
		g[i*m+i+1], g[(i+1)*m+i] = 1, 1
	}
	e, err := Laplacian(g, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// regularized lists options for every norm, of seven kernels.
func regularized(t testing.TB) map[string]Options {
	all := map[string]Options{
		"elastic net":   {Kernels: ungrouped, Regularizer: Regularizer{ElasticNet: 0.2}},
		"interactions":  {Kernels: ungrouped, Regularizer: Regularizer{Interaction: interactionsOf(t, 7)}},
		"squared, p=1":  {Kernels: ungrouped, Norm: 1, Regularizer: Regularizer{SquaredNorm: 0.5}},
		"squared, 4/3":  {Kernels: ungrouped, Regularizer: Regularizer{SquaredNorm: 2}},
		"importances":   {Kernels: ungrouped},
		"fixed weights": {Kernels: "gauss:auto/4,linear,poly:2", Regularizer: Regularizer{Weights: []float64{1, 0, 0.5, 3, 2, 1}}},
	}
	for _, pq := range [][2]float64{{1, 2}, {2, 1}, {1, 1}, {4.0 / 3, 1.5}, {math.Inf(1), 1}, {1, math.Inf(1)}, {2, 4}} {
		all[fmt.Sprintf("p=%.3g over q=%.3g", pq[0], pq[1])] = Options{Kernels: groupedBank, Norm: pq[0], Regularizer: Regularizer{GroupNorm: pq[1]}}
	}
	return all
}

// TestNormsEverywhere: with every norm the gap is reached, the file is read as it was written, and neither threads, memory nor a
// resume from a checkpoint changes a bit of the model.
func TestNormsEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	t.Log("seed 41")
	rows := datasettest.Clouds(rng, 150, 8)
	for name, o := range regularized(t) {
		t.Run(name, func(t *testing.T) {
			o.Scratch, o.Gap, o.Threads = t.TempDir(), 1e-5, 1
			train := func(change func(o *Options)) (*Model, []byte) {
				p := o
				change(&p)
				m, r, err := Train(t.Context(), datasettest.Stream(rows), p)
				if err != nil {
					t.Fatal(err)
				}
				if p.MaxIterations == 0 && r.Status != chunking.Converged {
					t.Fatalf("%s at %g", r.Status, m.Certificate.RelativeGap)
				}
				var b bytes.Buffer
				if err := model.Encode(context.Background(), &b, &m.Model); err != nil {
					t.Fatal(err)
				}
				return m, b.Bytes()
			}
			_, want := train(func(*Options) {})
			if _, err := model.Decode(bytes.NewReader(want), int64(len(want)), name); err != nil {
				t.Fatal(err)
			}
			if _, got := train(func(o *Options) { o.Threads, o.Memory = 3, 64<<20 }); !bytes.Equal(got, want) {
				t.Error("another model with three threads")
			}
			folder := t.TempDir()
			for _, most := range []int{1, 3, 7} {
				train(func(o *Options) { o.Checkpoint, o.Resume, o.MaxIterations = folder, true, most })
			}
			if _, got := train(func(o *Options) { o.Checkpoint, o.Resume = folder, true }); !bytes.Equal(got, want) {
				t.Error("another model after a resume")
			}
		})
	}
}

// TestNormTraits: a checkpoint of another norm is refused.
func TestNormTraits(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	rows := datasettest.Clouds(rng, 60, 8)
	folder := t.TempDir()
	o := Options{Kernels: ungrouped, Norm: 2, Checkpoint: folder, MaxIterations: 1, Gap: 1e-6, Scratch: t.TempDir(), Regularizer: Regularizer{Interaction: interactionsOf(t, 7)}}
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o); err != nil {
		t.Fatal(err)
	}
	o.Resume, o.Regularizer.Interaction = true, slices.Clone(o.Regularizer.Interaction)
	o.Regularizer.Interaction[0] *= 2
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o); err == nil || !strings.Contains(err.Error(), "regularizer is") {
		t.Errorf("another matrix: %v", err)
	}
}

// TestNormIdentities: on the whole way from the text of kernels to the model.
func TestNormIdentities(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	t.Log("seed 43")
	rows := datasettest.Clouds(rng, 120, 8)
	each := "gauss:0.1 group=a,gauss:1 group=b,linear group=c,poly:2@1-4"
	one := "gauss:0.1 group=a,gauss:1 group=a,linear group=a,poly:2@1-4 group=a"
	plain := "gauss:0.1,gauss:1,linear,poly:2@1-4"
	identity := make([]float64, 16)
	for i := range 4 {
		identity[i*5] = 1
	}
	value := func(o Options) float64 {
		o.Gap = 1e-7
		m, _ := converge(t, datasettest.Stream(rows), o)
		return (m.Certificate.Primal + m.Certificate.Dual) / 2
	}
	same := func(name string, a, b Options) {
		if x, y := value(a), value(b); math.Abs(x-y) > 1e-6*y {
			t.Errorf("%s: %.9g and %.9g", name, x, y)
		}
	}
	for _, p := range []float64{1, 4.0 / 3, 2, 3} {
		block := Options{Kernels: plain, Norm: p}
		same(fmt.Sprintf("single kernels, p = %g", p), Options{Kernels: each, Norm: p, Regularizer: Regularizer{GroupNorm: 1.5}}, block)
		same(fmt.Sprintf("one group, q = %g", p), Options{Kernels: one, Norm: 1, Regularizer: Regularizer{GroupNorm: p}}, block)
	}
	sum := Options{Kernels: plain, Norm: 2}
	same("E = I", Options{Kernels: plain, Regularizer: Regularizer{Interaction: identity}}, sum)
	same("weights of 1", Options{Kernels: plain, Regularizer: Regularizer{Weights: []float64{1, 1, 1, 1}}}, sum)
	same("weights and priors", Options{Kernels: plain, Regularizer: Regularizer{Weights: []float64{1, 1, 1, 3}}}, Options{Kernels: plain + " prior=12 cost=2", Norm: 2})
	same("elastic net near the sum", Options{Kernels: plain, Regularizer: Regularizer{ElasticNet: 1 - 1e-9}}, sum)
	same("elastic net near p = 1", Options{Kernels: plain, Regularizer: Regularizer{ElasticNet: 1e-8}}, Options{Kernels: plain, Norm: 1})
	// The squared norm is the block norm of another C, and the model says of which.
	m, _ := converge(t, datasettest.Stream(rows), Options{Kernels: plain, Norm: 4.0 / 3, Gap: 1e-8, Regularizer: Regularizer{SquaredNorm: 0.7}})
	block, _ := converge(t, datasettest.Stream(rows), Options{Kernels: plain, Norm: 4.0 / 3, Gap: 1e-8, C: model.EquivalentC(&m.Model, nil)})
	for k, w := range block.WNorms {
		if math.Abs(w-m.WNorms[k]) > 1e-3*w {
			t.Errorf("||w|| %v, with C = %g %v", m.WNorms, block.C, block.WNorms)
		}
	}
}

// TestNormRefused: what makes no sense.
func TestNormRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	rows := datasettest.Clouds(rng, 20, 8)
	for want, o := range map[string]Options{
		"no norm within groups":   {Kernels: groupedBank},
		"no kernel is in a group": {Kernels: "linear,gauss:1", Regularizer: Regularizer{GroupNorm: 2}},
		"norms at once":           {Kernels: groupedBank, Regularizer: Regularizer{GroupNorm: 2, ElasticNet: 0.5}},
		"fixed weights, which":    {Kernels: "linear", Norm: 1, Regularizer: Regularizer{Weights: []float64{1}}},
		"2 fixed weights":         {Kernels: "linear", Regularizer: Regularizer{Weights: []float64{1, 2}}},
		"no fixed weight is":      {Kernels: "linear", Regularizer: Regularizer{Weights: []float64{0}}},
		"beside fixed weights":    {Kernels: "linear prior=2", Regularizer: Regularizer{Weights: []float64{1}}},
		"not positive definite":   {Kernels: "linear,hist", Regularizer: Regularizer{Interaction: []float64{1, 1, 1, 1}}},
		"below 0 the dual":        {Kernels: "linear,hist", Regularizer: Regularizer{Interaction: []float64{1, -0.1, -0.1, 1}}},
		"not symmetric":           {Kernels: "linear,hist", Regularizer: Regularizer{Interaction: []float64{1, 0.1, 0.2, 1}}},
		"interactions of 2":       {Kernels: "linear", Regularizer: Regularizer{Interaction: []float64{1, 0, 0, 1}}},
		"with an elastic net":     {Kernels: "linear", Norm: 2, Regularizer: Regularizer{ElasticNet: 0.5}},
		"is not in (0, 1)":        {Kernels: "linear", Norm: 1, Regularizer: Regularizer{ElasticNet: 1}},
		"with interactions":       {Kernels: "linear", Norm: 3, Regularizer: Regularizer{Interaction: []float64{1}}},
	} {
		if _, _, err := Train(t.Context(), datasettest.Stream(rows), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Laplacian([]float64{0, -1, -1, 0}, 1); err == nil {
		t.Error("a graph with an edge below 0")
	}
}

// renormed gives a random problem one of the other norms.
func (p *drawn) renormed(t *testing.T, rng *rand.Rand) {
	specs, err := kernelspec.Split(p.Kernels)
	if err != nil {
		t.Fatal(err)
	}
	features := 0
	for _, r := range p.rows {
		for _, j := range r.Index {
			features = max(features, int(j)+1)
		}
	}
	m, _, err := kernelspec.Count(specs, kernelspec.Context{Features: features, Views: p.Views})
	if err != nil {
		t.Fatal(err)
	}
	r, kind := &p.Regularizer, rng.IntN(6)
	for i := range specs {
		if kind != 5 && rng.IntN(2) == 0 {
			specs[i] += fmt.Sprintf(" %s=%.3g", pick(rng, "prior", "cost"), math.Exp(rng.NormFloat64()))
		}
		if kind < 2 && (i == 0 || rng.IntN(3) > 0) {
			specs[i] += " group=" + pick(rng, "a", "b", "c")
		}
	}
	p.Kernels = strings.Join(specs, ",")
	p.Precision = "auto"
	switch kind {
	case 0, 1:
		p.Norm, r.GroupNorm = pick(rng, 1, 1.1, 4.0/3, 2, 2.5, 4, math.Inf(1)), pick(rng, 1, 1.1, 4.0/3, 2, 2.5, 4, math.Inf(1))
	case 2:
		p.Norm, r.ElasticNet = 0, rng.Float64()
	case 3:
		p.Norm, r.SquaredNorm = pick(rng, 1, 4.0/3, 1.9, 2, 3), math.Exp(2*rng.NormFloat64())
	case 4:
		g := make([]float64, m*m)
		for i := range m {
			for j := range i {
				g[i*m+j] = math.Abs(rng.NormFloat64())
				g[j*m+i] = g[i*m+j]
			}
		}
		p.Norm = 0
		if r.Interaction, err = Laplacian(g, 0.3); err != nil {
			t.Fatal(err)
		}
	case 5:
		p.Norm, r.Weights = 2, make([]float64, m)
		for k := range r.Weights {
			r.Weights[k] = max(0, rng.NormFloat64())
		}
		r.Weights[0] = 1
	}
	if p.Norm > 2 || p.Regularizer.GroupNorm > 2 || model.Coupled(p.Regularizer.Interaction) {
		p.Gap = 1e-3
	}
}

// TestRandomNorms trains random problems with the other norms to the end; verify has to agree with every one.
func TestRandomNorms(t *testing.T) {
	draws := testlevel.Repeats(100, 1000)
	most, where := 0, uint64(0)
	for seed := range uint64(draws) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := draw(rng)
		p.renormed(t, rng)
		p.MaxIterations = 3000
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m, r := trainModel(t, datasettest.Stream(p.rows), p.Options)
			if r.Status != chunking.Converged {
				t.Errorf("%s after %d iterations, gap %.3g of %g", r.Status, r.Iterations, m.Certificate.RelativeGap, p.Gap)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.rows))
			if r.Iterations > most {
				most, where = r.Iterations, seed
			}
		})
		if g := p.Regularizer; !ok {
			t.Logf("seed %d: n=%d %s p=%.4g q=%.4g net=%.3g squared=%.3g E %d C=%.3g gap=%g normalize=%s scale=%s store=%s", seed, len(p.rows), p.Kernels, p.Norm, g.GroupNorm,
				g.ElasticNet, g.SquaredNorm, len(g.Interaction), p.C, p.Gap, p.Normalize, p.Scale, p.Store)
		}
	}
	t.Logf("at most %d iterations (seed %d)", most, where)
}
