package bigmkl

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/dataset/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/train"
	"bigmkl/verify/verifytest"
)

// countdown is a context that is done once it has been asked so many times: it cuts what is in hand
// at any of the places that look.
type countdown struct {
	context.Context
	asked atomic.Int64
	most  int64
	over  chan struct{}
}

func newCountdown(most int64) *countdown {
	return &countdown{Context: context.Background(), most: most, over: make(chan struct{})}
}

func (c *countdown) Done() <-chan struct{} { return c.over }

func (c *countdown) Err() error {
	switch n := c.asked.Add(1); {
	case n < c.most:
		return nil
	case n == c.most:
		close(c.over)
	}
	return context.Canceled
}

// cutAt trains until what is in hand is cut at the given look at its context.
func cutAt(t testing.TB, rows []dataset.Row, o Options, hard *countdown) (*Model, *Result, error) {
	t.Helper()
	o.Scratch = t.TempDir()
	cut, err := o.cut()
	if err != nil {
		t.Fatal(err)
	}
	return train.RunWithin(context.Background(), hard, time.Now(), datasettest.Stream(rows), cut)
}

// TestCutRunsGoOn cuts runs anywhere, passes, waking, and gradients that are computed afresh
// included, often several times in a row, and goes on with other threads, shards and caches: the
// model has the bytes of the one whose run was not disturbed.
func TestCutRunsGoOn(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	base := Options{Kernels: severalGroups, C: 0.1, Precision: "32", Gap: 5e-4, Tuning: chunking.Tuning{WorkingSet: 128, Shrink: 0.8}, Limit: 1500}
	with := func(change func(o *Options)) Options {
		o := base
		change(&o)
		return o
	}
	for name, o := range map[string]Options{
		"p=1":         with(func(o *Options) { o.Norm = 1 }),
		"p=4/3":       with(func(o *Options) {}),
		"double":      with(func(o *Options) { o.Precision, o.Gap = "auto", 3e-5 }),
		"p=inf":       with(func(o *Options) { o.Norm, o.Precision, o.Gap, o.Limit = math.Inf(1), "auto", 5e-3, 700 }),
		"groups":      with(func(o *Options) { o.Kernels, o.Limit = "gauss:0.2@random:2*70,linear", 600 }),
		"sparse":      with(func(o *Options) { o.Store = dataset.LayoutSparse }),
		"svr":         with(func(o *Options) { o.Task = TaskSVR }),
		"square":      with(func(o *Options) { o.Task = TaskSquare }),
		"oneclass":    with(func(o *Options) { o.Task = TaskOneClass }),
		"lbfgs":       with(func(o *Options) { o.Task, o.Solver, o.Tuning = TaskSquare, SolverLBFGS, chunking.Tuning{} }),
		"elastic":     with(func(o *Options) { o.Regularizer.ElasticNet = 0.5 }),
		"ovr":         with(func(o *Options) { o.Multiclass = OneVsRest }),
		"ovo":         with(func(o *Options) { o.Multiclass = OneVsOne }),
		"out of core": with(func(o *Options) { o.Memory = 40 << 20 }),
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, uint64(len(name))))
			rows := datasettest.Clouds(datasettest.Random(t, 1), 2600, 5)
			if o.Multiclass != "" {
				rows = datasettest.Clusters(datasettest.Random(t, 1), 1500, 8, 3, false)
			}
			for i := range rows {
				rows[i].Target = float64(i%7) + float64(len(rows[i].Index))
			}
			if o.Task != "" && o.Task != TaskClass {
				for i := range rows {
					rows[i].Label = ""
				}
			}
			o.Cache, o.Threads = cache.Never, 1
			whole := newCountdown(math.MaxInt64)
			m, r, err := cutAt(t, rows, o, whole)
			if err != nil {
				t.Fatal(err)
			}
			want, looks := encoded(t, m), whole.asked.Load()
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			cuts, within := 0, 0
			// A few cuts may all come after the end of the run, or before its first iteration. Others
			// are drawn until one has left a state.
			const most = 40
			for try := 0; try < testlevel.Repeats(2, most) || within == 0 && try < most; try++ {
				at := resumable(t, o)
				for {
					m, _, err = cutAt(t, rows, at, newCountdown(1+rng.Int64N(looks*5/4)))
					at.Resume = at.Resume || keptCheckpoint(t, at) != ""
					at.Threads, at.Shards, at.Cache = 1+rng.IntN(3), rng.IntN(4), pick(rng, cache.Auto, cache.Always, cache.Never)
					if err == nil {
						break
					}
					var u *Unfinished
					if !errors.As(err, &u) || u.Status != chunking.Interrupted {
						t.Fatal(err)
					}
					if cuts++; u.Kept {
						within++
					}
				}
				if !bytes.Equal(encoded(t, m), want) {
					t.Fatal("another model after a cut")
				}
			}
			t.Logf("%s after %d iterations, %d looks at the context; %d cuts, %d of which left a state", r.Status, r.Iterations, looks, cuts, within)
			if within == 0 {
				t.Error("no cut has left a state")
			}
		})
	}
}

// kept names the checkpoints, "" if there are none.
func keptCheckpoint(t testing.TB, o Options) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Checkpoint, "checkpoint-*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(files, " ")
}
