package chunking_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// watchful is a gradient that can look at the points that it leaves out, by the definition.
type watchful struct {
	*sleepy
	looked, roused int // looks, and points that were roused
	afresh         int // Rebuilds of all points in double precision
	cut            func(where string)
}

func (w *watchful) Look(ctx context.Context, alpha, theta, combined []float64) (bool, error) {
	if w.cut != nil {
		w.cut("look")
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w.looked++
	for i := range w.N {
		if _, awake := slices.BinarySearch(w.active, i); awake {
			continue
		}
		combined[i] = 0
		for m, k := range w.K {
			combined[i] += theta[m] * toy.Dot(k[i*w.N:(i+1)*w.N], alpha)
		}
	}
	return true, nil
}

func (w *watchful) Rouse(_ context.Context, points []int, alpha []float64) error {
	w.roused += len(points)
	for m, k := range w.K {
		for _, i := range points {
			w.G[m][i] = toy.Dot(k[i*w.N:(i+1)*w.N], alpha)
		}
	}
	w.active = slices.Concat(w.active, points)
	slices.Sort(w.active)
	return nil
}

func (w *watchful) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if double {
		w.afresh++
	}
	return w.sleepy.Rebuild(ctx, alpha, double)
}

func (w *watchful) RebuildActive(ctx context.Context, active []int, alpha []float64, double bool) error {
	if w.cut != nil {
		w.cut("widening")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.active = slices.Clone(active)
	for m, k := range w.K {
		clear(w.G[m])
		for _, i := range active {
			w.G[m][i] = toy.Dot(k[i*w.N:(i+1)*w.N], alpha)
		}
	}
	w.Double = double
	return nil
}

// Pass sums V where all support vectors are active and nothing changes.
func (w *watchful) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	err := w.sleepy.Pass(ctx, set, delta, alpha, theta, combined, v)
	if w.active == nil || len(set) > 0 {
		return err
	}
	for i, a := range alpha {
		if _, awake := slices.BinarySearch(w.active, i); a != 0 && !awake {
			return err
		}
	}
	for m := range v {
		v[m] = toy.Dot(alpha, w.G[m])
	}
	return err
}

// apart is a problem most points of which are far from the margin.
func apart(t *testing.T) *toy.Problem {
	p, x := toy.Cloud("apart", toy.Random(t, 2), 300, 2)
	for i := range x {
		x[i][0] += p.Y[i]
	}
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	return p
}

// TestLook: a run looks at sleeping points in place of waking them, before it goes over to double
// precision and before its end. Its certificate covers all points. Where a look is cut it is
// done again, with the same result.
func TestLook(t *testing.T) {
	p := apart(t)
	run := func(cutAt string) (*Solver, *watchful) {
		w := &watchful{sleepy: &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}}
		s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(4.0/3, nil), w, 1e-6, Tuning{WorkingSet: 16, Shrink: 0.9})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := NewDriver(s, Limits{})
		if cutAt != "" {
			w.cut = func(where string) {
				if where == cutAt {
					cancel()
				}
			}
		}
		status, err := d.Run(ctx)
		if cutAt != "" {
			if !errors.Is(err, context.Canceled) || s.Double() {
				t.Fatalf("%s: %v, %v, double precision: %v", cutAt, status, err, s.Double())
			}
			w.cut = nil
			status, err = d.Run(t.Context())
		}
		if err != nil || status != Converged {
			t.Fatal(status, err)
		}
		return s, w
	}
	s, w := run("")
	if w.active == nil || w.woken > 0 || w.looked < 2 || w.afresh > 0 {
		t.Errorf("%d points are active at the end, woken %d times, %d looks, computed afresh %d times",
			len(w.active), w.woken, w.looked, w.afresh)
	}
	if !s.Double() {
		t.Error("single precision")
	}
	r := s.Solution()
	p.Consistent(t, 4.0/3, result(r))
	for _, at := range []string{"look", "widening"} {
		again, _ := run(at)
		if a := again.Solution(); !slices.Equal(a.Alpha, r.Alpha) || a.Certificate != r.Certificate {
			t.Errorf("another solution after a cut in the %s", at)
		}
	}
	t.Logf("%d iterations, %d looks, %d roused, %d active", r.Iterations, w.looked, w.roused, len(w.active))
}

// dated is a watchful gradient that knows whether it was looked at since the last step.
type dated struct {
	*watchful
	since bool
}

func (d *dated) Look(ctx context.Context, alpha, theta, combined []float64) (bool, error) {
	d.since = true
	return d.watchful.Look(ctx, alpha, theta, combined)
}

func (d *dated) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	d.since = d.since && len(set) == 0
	return d.watchful.Pass(ctx, set, delta, alpha, theta, combined, v)
}

// rungs is the block norm of p = 1 that reports its first rung.
type rungs struct {
	*norm.Block
	leaves func()
}

func (r rungs) Sharpen(near bool) bool {
	if r.Snapshot().Level == 0 {
		r.leaves()
	}
	return r.Block.Sharpen(near)
}

// TestLookBeforeTheLadder: a norm leaves the foot of its ladder by the gap of all points, and not by that of the active ones.
func TestLookBeforeTheLadder(t *testing.T) {
	p := apart(t)
	asleep := 0
	for _, cost := range []float64{1, 10, 100} {
		for i := range p.Cost {
			p.Cost[i] = cost
		}
		w := &dated{watchful: &watchful{sleepy: &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}}}
		leaves := func() {
			if w.active == nil {
				return
			}
			if asleep++; !w.since {
				t.Errorf("C = %g: the norm becomes sharp, and nobody has looked at the points that sleep", cost)
			}
		}
		s := New(len(p.Y), len(p.K), hinge(p), rungs{norm.NewBlock(1, nil), leaves}, w, 1e-6, Tuning{WorkingSet: 16, Shrink: 0.9})
		if status, err := NewDriver(s, Limits{}).Run(t.Context()); err != nil || status != Converged {
			t.Fatal(status, err)
		}
		p.Consistent(t, 1, result(s.Solution()))
	}
	if asleep == 0 {
		t.Error("no norm has left its foot while points slept")
	}
}

// TestMissed: sleeping points that a look finds on the wrong side of the margin become active, and
// no others do.
func TestMissed(t *testing.T) {
	p := apart(t)
	w := &watchful{sleepy: &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}}
	s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(4.0/3, nil), w, 1e-4, Tuning{WorkingSet: 16, NoShrink: true})
	want, _, _ := solverOf(p, 4.0/3, 1e-6)
	if status, err := NewDriver(want, Limits{}).Run(t.Context()); err != nil || status != Converged {
		t.Fatal(status, err)
	}
	// Of the support vectors of the optimum that have not moved yet every other one is left out.
	var missing []int
	const left = 10 // iteration after which that is done
	status, err := NewDriver(s, Limits{Iterations: 2000, Record: func(r Progress) error {
		if r.Iteration != left {
			return nil
		}
		for i, a := range want.Solution().Alpha {
			switch {
			case a != 0 && s.Alpha()[i] == 0 && i%2 == 1:
				missing = append(missing, i)
			case a != 0 || s.Alpha()[i] != 0:
				w.active = append(w.active, i)
			}
		}
		s.SetActive(w.active)
		return nil
	}}).Run(t.Context())
	if err != nil || status != Converged {
		t.Fatal(status, err)
	}
	r := s.Solution()
	p.Consistent(t, 4.0/3, result(r))
	if got, want := r.Certificate.Dual, want.Solution().Certificate.Dual; !toy.Near(got, want, 1.1e-4) {
		t.Errorf("dual %v, want %v", got, want)
	}
	for _, i := range missing {
		if _, awake := slices.BinarySearch(w.active, i); !awake && r.Alpha[i] == 0 {
			t.Errorf("point %d was not found", i)
		}
	}
	if w.woken > 0 || len(missing) == 0 || w.roused < len(missing) || len(w.active) > len(p.Y)/2 {
		t.Errorf("woken %d times, %d were missing, %d roused, %d active of %d",
			w.woken, len(missing), w.roused, len(w.active), len(p.Y))
	}
	t.Logf("%d missing, %d roused", len(missing), w.roused)
}
