package bits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/internal/checkpoint"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/tests/bigmkltest"
)

// outcome is what a training of a problem in a setting gives: digests of each model, what each run took,
// and how many iterations a recorder saw.
type outcome struct {
	digests []digests
	results []*bigmkl.Result
	seen    int
}

// train trains a problem in a setting.
func (p *problem) train(t *testing.T, s setting) outcome {
	t.Helper()
	o := p.o
	o.Init = p.start
	if len(s.stops) > 0 {
		o.Checkpoint, o.CheckpointEvery = filepath.Join(t.TempDir(), "checkpoints"), s.every
	}
	at := 0
	for i, stop := range s.stops {
		o := p.in(t, s.places[i], o)
		o.Resume = i > 0 || s.fromNothing
		at += stop
		p.interrupt(t, o, s.places[i], stop, s.iterations-at > 1 && (i == 0 || p.oneRun()))
		if asleep(t, o.Checkpoint) {
			p.count(func(c *counts) { c.asleep++ })
		}
	}
	last := s.places[len(s.stops)]
	o = p.in(t, last, o)
	o.Resume = len(s.stops) > 0
	got := p.end(t, o, last, s.prepared)
	if o.Resume {
		if r := got.results[0]; p.oneRun() && r.Resumed != at || at > s.iterations/2 && got.seen >= s.iterations {
			t.Errorf("resumed at iteration %d, interrupted at %d; %d iterations after that", r.Resumed, at, got.seen)
		}
		if s.kind == resumed {
			p.again(t, o, last, got)
		}
	}
	return got
}

// in are the options of a training in a place.
func (p *problem) in(t *testing.T, at place, o bigmkl.Options) bigmkl.Options {
	t.Helper()
	o.Threads, o.Shards, o.Cache = at.threads, at.shards, at.cache
	if at.little {
		o.Memory = p.least(t)
	}
	return o
}

// least is a memory that is enough for the problem on three threads, and leaves the gradients on disk and
// room for a few rows, if there is that between the least of all and the one that has room for gradients.
func (p *problem) least(t *testing.T) int64 {
	t.Helper()
	if p.smallest == 0 {
		o := p.o
		o.Init, o.Memory, o.Threads, o.Cache = p.start, 1<<40, 3, cache.Auto
		var plan *bigmkl.Plan
		if strings.Contains(o.Kernels, "proj(") || o.OneGate {
			plan = bigmkltest.Planned(t, p.rows, o)
		} else {
			plan = bigmkltest.Budgets(t, p.rows, o, p.path != nil)
		}
		p.smallest = max(plan.Memory.Least, min(plan.Memory.Least+200<<10, plan.Memory.InCore-1))
		if p.scores != nil { // The plan has no labels and scores that calibrate.
			p.smallest += 64 << 10
		}
	}
	return p.smallest
}

// interrupt trains until so many iterations have been seen. If it must, the training has to be interrupted
// there: the last iteration may be over before the training looks whether it is to end.
func (p *problem) interrupt(t *testing.T, o bigmkl.Options, at place, stop int, must bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
		if seen++; seen == stop {
			cancel()
		}
		return nil
	})
	var cut *bigmkl.Unfinished
	err := p.run(t, ctx, o, at.ranks, func(_ *bigmkl.Model, r *bigmkl.Result) {
		if r.Status != chunking.Interrupted && must {
			t.Errorf("%s, to be interrupted after %d iterations", r.Status, stop)
		}
	})
	if err != nil && !errors.As(err, &cut) {
		t.Fatal(err)
	}
}

// end trains to the end.
func (p *problem) end(t *testing.T, o bigmkl.Options, at place, prepared bool) (got outcome) {
	t.Helper()
	o.Recorder = bigmkltest.Recorder(func(bigmkl.Event) error {
		got.seen++
		return nil
	})
	err := p.run(t, t.Context(), o, at.ranks, func(m *bigmkl.Model, r *bigmkl.Result) {
		if converged := r.Status == chunking.Converged; converged == p.short {
			t.Errorf("%s after %d iterations, gap %.3g", r.Status, r.Iterations, m.Certificate.RelativeGap)
		}
		got.digests = append(got.digests, p.digest(t, m, o, prepared))
		got.results = append(got.results, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// again resumes a training that is over: it gives the same model without a pass.
func (p *problem) again(t *testing.T, o bigmkl.Options, at place, want outcome) {
	t.Helper()
	got := p.end(t, o, at, false)
	if got.digests[0] != want.digests[0] || got.results[0].Iterations != want.results[0].Iterations {
		t.Errorf("another model of a training that is over")
	}
	if n := got.results[0].Gradient.Passes; n != 0 && p.oneRun() {
		t.Errorf("%d passes to make the model of a training that is over", n)
	}
}

// run trains in this process alone, or on several ranks of it, and hands over each model.
func (p *problem) run(t *testing.T, ctx context.Context, o bigmkl.Options, ranks int, emit func(m *bigmkl.Model, r *bigmkl.Result)) error {
	t.Helper()
	train := func(ctx context.Context, o bigmkl.Options) error {
		if p.path != nil {
			return bigmkl.Path(ctx, datasettest.Stream(p.rows), o, p.path, func(_ bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
				emit(m, r)
				return nil
			})
		}
		var m *bigmkl.Model
		var r *bigmkl.Result
		var err error
		if p.scores != nil {
			m, r, err = calibration.Train(ctx, datasettest.Stream(p.rows), o, *p.scores)
		} else {
			m, r, err = bigmkl.Train(ctx, datasettest.Stream(p.rows), o)
		}
		if err == nil {
			emit(m, r)
		}
		return err
	}
	if ranks > 1 {
		return withRanks(t, ctx, o, ranks, train)
	}
	o.Scratch = t.TempDir()
	if err := train(ctx, o); err != nil {
		return err
	}
	left, err := os.ReadDir(o.Scratch)
	for _, f := range left {
		t.Errorf("%s is left in the scratch folder", f.Name())
	}
	return err
}

// asleep reports whether the last checkpoint is of a moment at which points were asleep.
func asleep(t testing.TB, path string) bool {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	last, damaged, err := f.Last()
	if err != nil || damaged != nil {
		t.Fatal(err, damaged)
	}
	if last == nil { // The training was over before its first iteration.
		return false
	}
	defer last.Close()
	_, ok := last.Length("active")
	return ok
}

// oneRun reports whether the problem is one training, whose iterations are counted through, and not one
// of each classifier, start or step of gates.
func (p *problem) oneRun() bool {
	o := &p.o
	return o.Taus == nil && (o.Multiclass == "" || o.Multiclass == bigmkl.SingleClassifier) && o.Gating == "" &&
		!strings.Contains(o.Kernels, "proj(") && o.Regularizer.Rule == "" && !model.HasComponents(o.Task)
}
