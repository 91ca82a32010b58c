package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// regime holds what must not matter to a model: what computes it, with which budgets, and how often
// the run is interrupted.
type regime struct {
	Threads, Shards int
	Memory, Disk    int64
	Cache           cache.Mode
	Stops           []int // iterations after which the run is interrupted and resumed
	Every           time.Duration
}

func (g regime) apply(o bigmkl.Options) bigmkl.Options {
	o.Threads, o.Shards, o.Memory, o.Disk, o.Cache, o.CheckpointEvery = g.Threads, g.Shards, g.Memory, g.Disk, g.Cache, g.Every
	return o
}

// drawRegime draws a regime for a run of so many iterations that takes at least so many bytes of
// memory.
func drawRegime(rng *rand.Rand, iterations int, least int64) regime {
	g := regime{
		Threads: 1 + rng.IntN(3), Shards: bigmkltest.Pick(rng, 0, 1, 2, 3, 7, 1000),
		Memory: bigmkltest.Pick(rng, 0, least, least+int64(rng.IntN(8<<20)), least+int64(rng.IntN(64<<20))), Disk: bigmkltest.Pick[int64](rng, 0, 1<<30),
		Cache: bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never), Every: bigmkltest.Pick(rng, 1, 20*time.Millisecond, time.Hour),
	}
	for at := 0; rng.IntN(3) > 0 && len(g.Stops) < 4; {
		if at += 1 + rng.IntN(max(iterations, 1)); at >= iterations {
			break
		}
		g.Stops = append(g.Stops, at)
	}
	return g
}

// trainIn trains in a regime. After every interruption the run resumes with other threads and budgets,
// which are drawn again.
func trainIn(t testing.TB, rows []dataset.Row, o bigmkl.Options, g regime, redraw func() regime) (*bigmkl.Model, *bigmkl.Result) {
	t.Helper()
	o = g.apply(o)
	if len(g.Stops) == 0 {
		return bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	}
	o.Checkpoint = filepath.Join(t.TempDir(), "checkpoints")
	for _, at := range g.Stops {
		if r := bigmkltest.Interrupted(t, rows, o, at); r.Status != chunking.Interrupted {
			t.Errorf("%s at iteration %d, to be interrupted at %d", r.Status, r.Iterations, at)
		}
		o = redraw().apply(o)
		o.Resume = true
	}
	m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	if last := g.Stops[len(g.Stops)-1]; r.Resumed != last {
		t.Errorf("resumed at iteration %d, interrupted at %d", r.Resumed, last)
	}
	return m, r
}

// drawProblem draws a problem of one of three kinds: a small one over the whole range of the
// options, one whose points fall asleep, or one on real data.
func drawProblem(t testing.TB, rng *rand.Rand) bigmkltest.Drawn {
	fewer := 1
	if !testlevel.Reached(testlevel.EveryKind) {
		fewer = 4
	}
	kind := rng.IntN(3)
	if kind == 2 && testlevel.RealData() == "" {
		kind = 1
	}
	o := bigmkl.Options{
		Kernels: bigmkltest.SeveralGroups, C: math.Exp2(-4 + 4*rng.Float64()), Seed: rng.Uint64(), Norm: bigmkltest.Pick(rng, 1, 1.01, 1.0667, 4.0/3, 2, 3, math.Inf(1)),
		Precision: bigmkltest.Pick(rng, "auto", "64", "auto"), Gap: bigmkltest.Pick(rng, 3e-3, 1e-3, 1e-4),
		Normalize: bigmkltest.Pick(rng, "none", "multiplicative", "spherical"), Scale: bigmkltest.Pick(rng, "none", "minmax", "standard", "global"),
		Store:  bigmkltest.Pick(rng, dataset.LayoutDense, dataset.LayoutSparse, dataset.LayoutAuto),
		Tuning: chunking.Tuning{WorkingSet: bigmkltest.Pick(rng, 0, 96, 128, 192), Shrink: bigmkltest.Pick(rng, 0, 0.8)},
	}
	switch kind {
	case 0:
		return bigmkltest.Draw(rng)
	case 1:
		if rng.IntN(2) == 0 {
			o.Task, o.MaxIterations = bigmkltest.Pick(rng, bigmkl.TaskSVR, bigmkl.TaskSquare, bigmkl.TaskQuantile, bigmkl.TaskHuber, bigmkl.TaskExpectile, bigmkl.TaskLogistic, bigmkl.TaskSurvival, bigmkl.TaskCox, bigmkl.TaskOneClass), 60
		}
		if o.Task == bigmkl.TaskCox {
			o.Tuning = chunking.Tuning{}
		}
		if o.Task == bigmkl.TaskSquare && rng.IntN(2) == 0 {
			o.Solver, o.Tuning = bigmkl.SolverLBFGS, chunking.Tuning{}
		}
		rows := bigmkltest.Curve(rng, (600+rng.IntN(2400))/fewer, 5+rng.IntN(2))
		if rng.IntN(3) == 0 {
			o.Impute = bigmkltest.Pick(rng, "median", "mean", "zero")
			for i := range rows {
				if k := rng.IntN(1 + 4*len(rows[i].Value)); k < len(rows[i].Value) {
					rows[i].Value[k] = math.NaN()
				}
			}
		}
		if o.Task == bigmkl.TaskSurvival && rng.IntN(2) == 0 {
			rows = bigmkltest.Bounded(rows)
		}
		return bigmkltest.Drawn{Rows: rows, Options: o}
	}
	sets := []struct {
		name     string
		positive []string
	}{
		{"heart", nil}, {"sonar", nil}, {"german-numeric", nil}, {"pima", nil}, {"spambase", nil}, {"mushrooms", nil}, {"a9a", nil},
		{"w8a", nil}, {"ringnorm", nil}, {"pendigits", []string{"0", "2", "4", "6", "8"}},
	}
	set := sets[rng.IntN(len(sets))]
	o.Kernels, o.Positive = bigmkltest.Pick(rng, "gauss:auto/6,linear", "gauss:auto/3,poly:2,linear", "linear@each-feature,gauss:auto", "gauss:auto@random:3*20"), set.positive
	// The limit is part of the problem: the models that it leaves are compared.
	o.Gap, o.MaxIterations = bigmkltest.Pick(rng, 3e-3, 1e-3), 60
	if o.Normalize == "none" {
		o.Scale = bigmkltest.Pick(rng, "minmax", "standard")
	}
	return bigmkltest.Drawn{Rows: someRows(t, rng, set.name, (200+rng.IntN(1800))/fewer), Options: o}
}

// someRows draws rows of a real data set, in its order.
func someRows(t testing.TB, rng *rand.Rand, name string, n int) []dataset.Row {
	t.Helper()
	src := bigmkltest.Open(t, bigmkltest.DataSet(t, name))
	var all []dataset.Row
	for {
		r, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Index, r.Value = append([]int32(nil), r.Index...), append([]float64(nil), r.Value...)
		all = append(all, r)
	}
	var rows []dataset.Row
	for i, r := range all {
		if rng.IntN(len(all)-i) < n-len(rows) {
			rows = append(rows, r)
		}
	}
	return rows
}

// smallest returns the least memory budget that is enough for three threads.
func smallest(t testing.TB, rows []dataset.Row, o bigmkl.Options) int64 {
	t.Helper()
	o.Memory, o.Threads = 1<<40, 3
	return bigmkltest.Budgets(t, rows, o, false).Memory.Least
}

// configurations returns how many pairs of a problem and a regime are drawn: BIGMKL_CONFIGURATIONS,
// or what the level of the tests asks for.
func configurations(t *testing.T) int {
	if text := os.Getenv("BIGMKL_CONFIGURATIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("BIGMKL_CONFIGURATIONS is %q, no number of them", text)
		}
		return n
	}
	return testlevel.Repeats(8, 40)
}

// regimesEach is the number of regimes in which each problem is trained, beside once without
// disturbance.
const regimesEach = 5

// TestRandomRegimes: the model is a function of the data and the options, whatever else is drawn.
// BIGMKL_SEED repeats a run.
func TestRandomRegimes(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if text := os.Getenv("BIGMKL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	stops, resumed := 0, 0
	for left, k := configurations(t), uint64(0); left > 0; k++ {
		count := min(left, regimesEach)
		left -= count
		t.Run(fmt.Sprintf("seed=%d", seed+k), func(t *testing.T) {
			rng := datasettest.Random(t, seed+k)
			p := drawProblem(t, rng)
			t.Logf("n=%d %+v", len(p.Rows), p.Options)
			small := smallest(t, p.Rows, p.Options)
			m, r, err := bigmkl.Train(context.Background(), datasettest.Stream(p.Rows), bigmkltest.WithScratch(t, p.Options))
			if err != nil {
				// Kernel values may overflow, for example, and do so in every regime.
				t.Skipf("no problem: %v", err)
			}
			want := bigmkltest.Encoded(t, m)
			if r.Status == chunking.Converged {
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(p.Rows))
			}
			t.Logf("%s after %d iterations, %d passes", r.Status, r.Iterations, r.Gradient.Passes)
			for range count {
				g := drawRegime(rng, r.Iterations, small)
				got, again := trainIn(t, p.Rows, p.Options, g, func() regime { return drawRegime(rng, 0, small) })
				if !bytes.Equal(want, bigmkltest.Encoded(t, got)) || again.Status != r.Status || again.Iterations != r.Iterations {
					t.Errorf("another model in %+v: %s after %d iterations", g, again.Status, again.Iterations)
				}
				if stops += len(g.Stops); len(g.Stops) > 0 {
					resumed++
				}
			}
		})
	}
	t.Logf("seed %d: %d runs were resumed, after %d interruptions", seed, resumed, stops)
}
