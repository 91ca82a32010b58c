package train

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/contexttest"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/predict"
)

// cutAt is Run with a context hard of the caller's, which cuts what is in progress wherever it looks.
func cutAt(t testing.TB, rows []dataset.Row, o Options, hard context.Context) (*predict.Model, *Result, error) {
	t.Helper()
	o.Budget.Scratch = t.TempDir()
	w, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	kept, err := openCheckpoints(t.Context(), &w.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.close()
	ctx, r := context.Background(), newRun(w, hard, time.Now())
	if err := r.readData(ctx, datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	return newClassifierTrainer(r, kept).trainModel(ctx)
}

// passLooks is a context that knows which looks at it come after the first unit of a pass.
type passLooks struct {
	*contexttest.Countdown
	lock   sync.Mutex
	units  int // of the pass in progress
	within []int64
}

// Err implements context.Context.
func (p *passLooks) Err() error {
	p.lock.Lock()
	defer p.lock.Unlock()
	var calls [20]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	pass, unit := false, false
	for more := true; more && !pass; {
		var f runtime.Frame
		f, more = frames.Next()
		if _, of, found := strings.Cut(f.Function, "gradient.(*pass[...]).stream"); found {
			pass, unit = true, of != ""
		}
	}
	err := p.Countdown.Err()
	switch {
	case !pass:
		p.units = 0
	case unit:
		if p.units++; p.units > 1 {
			p.within = append(p.within, p.Asked())
		}
	}
	return err
}

// TestCutRunsGoOn cuts runs anywhere, passes, waking, and gradients that are computed again
// included, often several times in a row, and resumes with other threads, shards and caches: the
// model has the bytes of the one whose run was not disturbed.
func TestCutRunsGoOn(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	// The kernels have distances, products, single features and random features.
	limit := 600
	if testlevel.Reached(testlevel.ManyTimes) {
		limit = 1500
	}
	const severalGroups = "gauss:0.05..0.4/3,laplace:0.2,linear,poly:2@1-3,gauss:0.5@4+5,gauss:auto/2@random:2*2"
	with := func(change func(o *Options)) Options {
		return given(t, func(o *Options) {
			o.Kernels.Specs, o.Problem.C, o.Data.Limit = severalGroups, 0.1, limit
			o.Solver = Solver{Precision: chunking.Single, Gap: 5e-4, Tuning: chunking.Tuning{WorkingSet: 128, Shrink: 0.8}}
			change(o)
		})
	}
	for name, o := range map[string]Options{
		"p=1":    with(func(o *Options) { o.Norm.P = 1 }),
		"p=4/3":  with(func(o *Options) {}),
		"double": with(func(o *Options) { o.Solver.Precision, o.Solver.Gap = chunking.Auto, 3e-5 }),
		"p=inf": with(func(o *Options) {
			o.Norm.P, o.Solver.Precision, o.Solver.Gap, o.Data.Limit = math.Inf(1), chunking.Auto, 5e-3, min(limit, 700)
		}),
		"groups":   with(func(o *Options) { o.Kernels.Specs, o.Data.Limit = "gauss:0.2@random:2*70,linear", 600 }),
		"sparse":   with(func(o *Options) { o.Data.Layout = dataset.LayoutSparse }),
		"svr":      with(func(o *Options) { o.Problem.Task = model.TaskSVR }),
		"square":   with(func(o *Options) { o.Problem.Task = model.TaskSquare }),
		"oneclass": with(func(o *Options) { o.Problem.Task = model.TaskOneClass }),
		"lbfgs": with(func(o *Options) {
			o.Problem.Task, o.Solver.Method, o.Solver.Tuning = model.TaskSquare, MethodLBFGS, chunking.Tuning{}
		}),
		"elastic":     with(func(o *Options) { o.Norm.P, o.Norm.ElasticNet = 1, 0.5 }),
		"ovr":         with(func(o *Options) { o.Problem.Multiclass = model.OneVsRest }),
		"ovo":         with(func(o *Options) { o.Problem.Multiclass = model.OneVsOne }),
		"single":      with(func(o *Options) { o.Problem.Multiclass, o.Solver.Gap = model.SingleClassifier, 1e-2 }),
		"out of core": with(func(o *Options) { o.Budget.Memory, o.Data.Limit = 40<<20, 1500 }),
	} {
		t.Run(name, func(t *testing.T) {
			testlevel.Sample(t, 3, 2)
			rng := rand.New(rand.NewPCG(seed, uint64(len(name))))
			rows := datasettest.Clouds(datasettest.Random(t, 1), o.Data.Limit+1100, 5)
			if o.Problem.Multiclass != "" {
				rows = datasettest.Clusters(datasettest.Random(t, 1), 1500, 8, 3, false)
			}
			for i := range rows {
				rows[i].Target = float64(i%7) + float64(len(rows[i].Index))
			}
			if o.Problem.Task != model.TaskClass {
				for i := range rows {
					rows[i].Label = ""
				}
			}
			o.Budget.Cache, o.Budget.Threads = cache.Never, 1
			whole := &passLooks{Countdown: contexttest.NewCountdown(math.MaxInt64)}
			m, r, err := cutAt(t, rows, o, whole)
			if err != nil {
				t.Fatal(err)
			}
			want, looks := encoded(t, m), whole.Asked()
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			cuts, within := 0, 0
			// The first cut comes within a pass. Of others a few may all come after the end of the run, or
			// before its first iteration. More are drawn until one has left a state.
			const most = 40
			for try := 0; try < testlevel.Repeats(2, most) || within == 0 && try < most; try++ {
				at := o
				// Only what is written when a run ends is left in the folder.
				at.Budget.Checkpoint, at.Checkpoint.Every = filepath.Join(t.TempDir(), "checkpoints"), time.Hour
				cut := 1 + rng.Int64N(looks*5/4)
				if try == 0 {
					cut = whole.within[rng.IntN(len(whole.within))]
				}
				for in := 0; ; in++ {
					// A resumed run has less left to do each time.
					if in == 100 {
						t.Fatal("a run has not come to its end after 100 cuts")
					}
					m, _, err = cutAt(t, rows, at, contexttest.NewCountdown(cut))
					cut = 1 + rng.Int64N(looks*5/4)
					at.Checkpoint.Resume = at.Checkpoint.Resume || hasCheckpoint(t, at)
					at.Budget.Threads, at.Budget.Shards = 1+rng.IntN(3), rng.IntN(4)
					at.Budget.Cache = []cache.Mode{cache.Auto, cache.Always, cache.Never}[rng.IntN(3)]
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
			t.Logf("%s after %d iterations, %d looks at the context, %d in passes; %d cuts, %d of which left a state", r.Status, r.Iterations, looks, len(whole.within), cuts, within)
			if within == 0 {
				t.Error("no cut has left a state")
			}
		})
	}
}

// hasCheckpoint reports whether there is a checkpoint in the folder of o.
func hasCheckpoint(t testing.TB, o Options) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Budget.Checkpoint, "checkpoint-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files) > 0
}

// encoded returns the bytes of the file of m.
func encoded(t testing.TB, m *predict.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Encode(context.Background(), &b, &m.Model); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
