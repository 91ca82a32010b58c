package optima

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// regularized lists options for every norm, of seven kernels.
func regularized(t testing.TB) map[string]bigmkl.Options {
	all := map[string]bigmkl.Options{
		"elastic net":   {Kernels: bigmkltest.Ungrouped, Regularizer: bigmkl.Regularizer{ElasticNet: 0.2}},
		"interactions":  {Kernels: bigmkltest.Ungrouped, Regularizer: bigmkl.Regularizer{Interaction: bigmkltest.InteractionsOf(t, 7)}},
		"squared, p=1":  {Kernels: bigmkltest.Ungrouped, Norm: 1, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.5}},
		"squared, 4/3":  {Kernels: bigmkltest.Ungrouped, Regularizer: bigmkl.Regularizer{SquaredNorm: 2}},
		"importances":   {Kernels: bigmkltest.Ungrouped},
		"fixed weights": {Kernels: "gauss:auto/4,linear,poly:2", Regularizer: bigmkl.Regularizer{Weights: []float64{1, 0, 0.5, 3, 2, 1}}},
	}
	for _, pq := range [][2]float64{{1, 2}, {2, 1}, {1, 1}, {4.0 / 3, 1.5}, {math.Inf(1), 1}, {1, math.Inf(1)}, {2, 4}} {
		all[fmt.Sprintf("p=%.3g over q=%.3g", pq[0], pq[1])] = bigmkl.Options{Kernels: bigmkltest.GroupedBank, Norm: pq[0], Regularizer: bigmkl.Regularizer{GroupNorm: pq[1]}}
	}
	return all
}

// TestNormsEverywhere: with every norm the gap is reached, the file is read as it was written, and neither threads, memory nor a
// resume from a checkpoint changes a bit of the model.
func TestNormsEverywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	t.Log("seed 41")
	rows := datasettest.Clouds(rng, 90, 8)
	for name, o := range regularized(t) {
		t.Run(name, func(t *testing.T) {
			o.Scratch, o.Gap, o.Threads = t.TempDir(), 1e-5, 1
			train := func(change func(o *bigmkl.Options)) (*bigmkl.Model, []byte) {
				p := o
				change(&p)
				m, r, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), p)
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
			_, want := train(func(*bigmkl.Options) {})
			if _, err := model.Decode(bytes.NewReader(want), int64(len(want)), name); err != nil {
				t.Fatal(err)
			}
			if _, got := train(func(o *bigmkl.Options) { o.Threads, o.Memory = 3, 64<<20 }); !bytes.Equal(got, want) {
				t.Error("another model with three threads")
			}
			folder := t.TempDir()
			for _, most := range []int{1, 3, 7} {
				train(func(o *bigmkl.Options) { o.Checkpoint, o.Resume, o.MaxIterations = folder, true, most })
			}
			if _, got := train(func(o *bigmkl.Options) { o.Checkpoint, o.Resume = folder, true }); !bytes.Equal(got, want) {
				t.Error("another model after a resume")
			}
		})
	}
}

// TestNormTraits: a checkpoint of another norm is rejected.
func TestNormTraits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(42, 1))
	rows := datasettest.Clouds(rng, 60, 8)
	folder := t.TempDir()
	o := bigmkl.Options{Kernels: bigmkltest.Ungrouped, Norm: 2, Checkpoint: folder, MaxIterations: 1, Gap: 1e-6, Scratch: t.TempDir(), Regularizer: bigmkl.Regularizer{Interaction: bigmkltest.InteractionsOf(t, 7)}}
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); err != nil {
		t.Fatal(err)
	}
	o.Resume, o.Regularizer.Interaction = true, slices.Clone(o.Regularizer.Interaction)
	o.Regularizer.Interaction[0] *= 2
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); err == nil || !strings.Contains(err.Error(), "regularizer is") {
		t.Errorf("another matrix: %v", err)
	}
}

// TestNormIdentities: on the whole way from the text of kernels to the model.
func TestNormIdentities(t *testing.T) {
	t.Parallel()
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
	value := func(o bigmkl.Options) float64 {
		o.Gap = 1e-7
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		return (m.Certificate.Primal + m.Certificate.Dual) / 2
	}
	same := func(name string, a, b bigmkl.Options) {
		if x, y := value(a), value(b); math.Abs(x-y) > 1e-6*y {
			t.Errorf("%s: %.9g and %.9g", name, x, y)
		}
	}
	for _, p := range []float64{1, 4.0 / 3, 2, 3} {
		block := bigmkl.Options{Kernels: plain, Norm: p}
		same(fmt.Sprintf("single kernels, p = %g", p), bigmkl.Options{Kernels: each, Norm: p, Regularizer: bigmkl.Regularizer{GroupNorm: 1.5}}, block)
		same(fmt.Sprintf("one group, q = %g", p), bigmkl.Options{Kernels: one, Norm: 1, Regularizer: bigmkl.Regularizer{GroupNorm: p}}, block)
	}
	sum := bigmkl.Options{Kernels: plain, Norm: 2}
	same("E = I", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{Interaction: identity}}, sum)
	same("weights of 1", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{Weights: []float64{1, 1, 1, 1}}}, sum)
	same("weights and priors", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{Weights: []float64{1, 1, 1, 3}}}, bigmkl.Options{Kernels: plain + " prior=12 cost=2", Norm: 2})
	same("elastic net near the sum", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{ElasticNet: 1 - 1e-9}}, sum)
	same("elastic net near p = 1", bigmkl.Options{Kernels: plain, Regularizer: bigmkl.Regularizer{ElasticNet: 1e-8}}, bigmkl.Options{Kernels: plain, Norm: 1})
	// The squared norm is the block norm of another C, and the model has this C.
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: plain, Norm: 4.0 / 3, Gap: 1e-8, Regularizer: bigmkl.Regularizer{SquaredNorm: 0.7}})
	block, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: plain, Norm: 4.0 / 3, Gap: 1e-8, C: model.EquivalentC(&m.Model, nil)})
	for k, w := range block.WNorms {
		if math.Abs(w-m.WNorms[k]) > 1e-3*w {
			t.Errorf("||w|| %v, with C = %g %v", m.WNorms, block.C, block.WNorms)
		}
	}
}

// TestNormRefused: what makes no sense.
func TestNormRefused(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(44, 1))
	rows := datasettest.Clouds(rng, 20, 8)
	for want, o := range map[string]bigmkl.Options{
		"no norm within groups":   {Kernels: bigmkltest.GroupedBank},
		"no kernel is in a group": {Kernels: "linear,gauss:1", Regularizer: bigmkl.Regularizer{GroupNorm: 2}},
		"2 norms, and only one can be given: group norm, elastic net": {Kernels: bigmkltest.GroupedBank, Regularizer: bigmkl.Regularizer{GroupNorm: 2, ElasticNet: 0.5}},
		"p = 1 with fixed weights: its p is 2":                        {Kernels: "linear", Norm: 1, Regularizer: bigmkl.Regularizer{Weights: []float64{1}}},
		"2 fixed weights":                                             {Kernels: "linear", Regularizer: bigmkl.Regularizer{Weights: []float64{1, 2}}},
		"no fixed weight is":                                          {Kernels: "linear", Regularizer: bigmkl.Regularizer{Weights: []float64{0}}},
		"beside fixed weights":                                        {Kernels: "linear prior=2", Regularizer: bigmkl.Regularizer{Weights: []float64{1}}},
		"not positive definite":                                       {Kernels: "linear,hist", Regularizer: bigmkl.Regularizer{Interaction: []float64{1, 1, 1, 1}}},
		"below 0 the dual":                                            {Kernels: "linear,hist", Regularizer: bigmkl.Regularizer{Interaction: []float64{1, -0.1, -0.1, 1}}},
		"not symmetric":                                               {Kernels: "linear,hist", Regularizer: bigmkl.Regularizer{Interaction: []float64{1, 0.1, 0.2, 1}}},
		"interactions of 2":                                           {Kernels: "linear", Regularizer: bigmkl.Regularizer{Interaction: []float64{1, 0, 0, 1}}},
		"p = 2 with elastic net: its p is 1":                          {Kernels: "linear", Norm: 2, Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}},
		"is not in (0, 1)":                                            {Kernels: "linear", Norm: 1, Regularizer: bigmkl.Regularizer{ElasticNet: 1}},
		"with interactions":                                           {Kernels: "linear", Norm: 3, Regularizer: bigmkl.Regularizer{Interaction: []float64{1}}},
	} {
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := bigmkl.Laplacian([]float64{0, -1, -1, 0}, 1); err == nil {
		t.Error("a graph with an edge below 0")
	}
}

// TestRandomNorms trains random problems with the other norms to the end; verify has to agree with every one.
func TestRandomNorms(t *testing.T) {
	t.Parallel()
	draws := testlevel.Repeats(100, 1000)
	most, where := 0, uint64(0)
	for seed := range uint64(draws) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := bigmkltest.Draw(rng)
		p.Renormed(t, rng)
		p.MaxIterations = 3000
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m, r := bigmkltest.TrainModel(t, datasettest.Stream(p.Rows), p.Options)
			if r.Status != chunking.Converged {
				t.Errorf("%s after %d iterations, gap %.3g of %g", r.Status, r.Iterations, m.Certificate.RelativeGap, p.Gap)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.Rows))
			if r.Iterations > most {
				most, where = r.Iterations, seed
			}
		})
		if g := p.Regularizer; !ok {
			t.Logf("seed %d: n=%d %s p=%.4g q=%.4g net=%.3g squared=%.3g E %d C=%.3g gap=%g normalize=%s scale=%s store=%s", seed, len(p.Rows), p.Kernels, p.Norm, g.GroupNorm,
				g.ElasticNet, g.SquaredNorm, len(g.Interaction), p.C, p.Gap, p.Normalize, p.Scale, p.Store)
		}
	}
	t.Logf("at most %d iterations (seed %d)", most, where)
}
