package train

import (
	"context"
	"time"

	"bigmkl/internal/cluster/shards"
)

// Times divides the time of a run by its parts. The difference to Result.Train is the solver's own
// work that runs on one thread: selection, the working-set problem and the line search.
type Times struct {
	Passes   time.Duration // passes over the active points
	Model    time.Duration // kernel values of the working set against itself
	Sleep    time.Duration // leaving points out, and bringing them up to date
	Checking time.Duration // gradients computed again
	Shared   time.Duration // the solver's own loops over points, which run on all threads
}

// timed is a gradient with a clock. The packages below have no clock, and no result can depend on
// the time. Each method calls the same method of the gradient and adds its time to a part of
// times.
type timed struct {
	*shards.Gradient
	times  *Times
	double func() // is called before the arithmetic becomes double
}

// clock adds to a duration the time from its call to the call of the function that it returns.
func clock(to *time.Duration) func() {
	start := time.Now()
	return func() { *to += time.Since(start) }
}

func (t *timed) Pass(ctx context.Context, set []int, delta, alpha, theta,
	combined, v []float64) error {
	defer clock(&t.times.Passes)()
	return t.Gradient.Pass(ctx, set, delta, alpha, theta, combined, v)
}

func (t *timed) Share(items int, do func(item int)) {
	defer clock(&t.times.Shared)()
	t.Gradient.Share(items, do)
}

func (t *timed) Along(ctx context.Context, d, theta, b, c, image []float64) error {
	defer clock(&t.times.Passes)()
	return t.Gradient.Along(ctx, d, theta, b, c, image)
}

func (t *timed) Advance(ctx context.Context, length float64, alpha, theta,
	combined, v []float64) error {
	defer clock(&t.times.Passes)()
	return t.Gradient.Advance(ctx, length, alpha, theta, combined, v)
}

func (t *timed) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	defer clock(&t.times.Model)()
	return t.Gradient.Hessian(ctx, set, theta, rank, h)
}

func (t *timed) Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error {
	defer clock(&t.times.Model)()
	return t.Gradient.Mix(ctx, set, row, factor, mixed)
}

func (t *timed) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	defer clock(&t.times.Model)()
	return t.Gradient.Directions(ctx, set, d, b, c)
}

// Rebuild calls double before the values become float64, because they take more of the memory and
// the heap has to leave it to them.
func (t *timed) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	defer clock(&t.times.Checking)()
	if double {
		t.double()
	}
	return t.Gradient.Rebuild(ctx, alpha, double)
}

// RebuildActive is like Rebuild.
func (t *timed) RebuildActive(ctx context.Context, active []int, alpha []float64,
	double bool) error {
	defer clock(&t.times.Checking)()
	if double {
		t.double()
	}
	return t.Gradient.RebuildActive(ctx, active, alpha, double)
}

func (t *timed) Afresh(ctx context.Context, sample []int, alpha, theta []float64) (
	[]float64, error) {
	defer clock(&t.times.Checking)()
	return t.Gradient.Afresh(ctx, sample, alpha, theta)
}

func (t *timed) Deviations(ctx context.Context, sample []int, d, alpha, e []float64) error {
	defer clock(&t.times.Checking)()
	return t.Gradient.Deviations(ctx, sample, d, alpha, e)
}

func (t *timed) Shrink(ctx context.Context, active []int, alpha []float64) error {
	defer clock(&t.times.Sleep)()
	return t.Gradient.Shrink(ctx, active, alpha)
}

func (t *timed) Look(ctx context.Context, alpha, theta, combined []float64) (bool, error) {
	defer clock(&t.times.Sleep)()
	return t.Gradient.Look(ctx, alpha, theta, combined)
}

func (t *timed) Rouse(ctx context.Context, points []int, alpha []float64) error {
	defer clock(&t.times.Sleep)()
	return t.Gradient.Rouse(ctx, points, alpha)
}

func (t *timed) Wake(ctx context.Context, alpha []float64) error {
	defer clock(&t.times.Sleep)()
	return t.Gradient.Wake(ctx, alpha)
}
