package budget

import (
	"context"
	"math"
	"time"

	"bigmkl/cache"
	"bigmkl/dataset"
	"bigmkl/gradient"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Forecast estimates how long a run may take. The time of an iteration is measured on a part of
// the points. The number of iterations depends on the problem, and is bounded by what runs have
// taken (see docs/BENCHMARKS.md).
type Forecast struct {
	// Read is how long reading the data has just taken.
	Read time.Duration
	// Prepare is how long the preparation of the kernels has just taken: the medians of distances,
	// and what is looked up in the points.
	Prepare time.Duration
	// Normalize is the time to find the scales of the kernels. It is three times as long where that
	// needs double precision.
	Normalize time.Duration
	// Pass is the time of a pass over all points for a whole working set, without a row cache.
	Pass time.Duration
	// Model is the time of the quadratic model of a working set.
	Model time.Duration
	// Iterations and Train are bounds, the lower one first, that hold as a rule. Train is the time
	// of all classifiers and folds, from the preparation of the kernels on.
	Iterations [2]int
	Train      [2]time.Duration
}

const (
	// measuredPoints is the largest number of points that an iteration is measured on.
	measuredPoints = 4096
	// measuredBytes is the largest size of their gradients, but at least one panel is measured.
	measuredBytes = 256 << 20
)

// Forecast times the parts of an iteration on some of the points and states how long the training
// of all classifiers may take. prepare is the time that the preparation of the kernels has taken.
// Read of the result stays 0.
func (r *Run) Forecast(ctx context.Context, store *dataset.Store, prepared *kernels.Prepared,
	prepare time.Duration) (Forecast, error) {
	f, err := r.forecastOne(ctx, store, prepared)
	if err != nil {
		return Forecast{}, err
	}
	f.Prepare = prepare
	for i := range f.Train {
		f.Train[i] = time.Duration(float64(f.Train[i]) * max(1, r.Several.Time))
		f.Train[i] += time.Duration(foldShare[i]*float64(r.Folds)*float64(f.Train[i])) + prepare
		// A training without a fold that is held out of everything reads and prepares its rows for itself.
		f.Train[i] += time.Duration(float64(r.Apart) * apartShare[i] * float64(f.Train[i]))
	}
	return f, nil
}

// valuePoints is the largest number of points between which values of kernels are timed.
const valuePoints = 512

// RelativeTimes returns how long a value of each kernel takes relative to the cheapest kernel, on
// some of the points. It is NaN for kernels that were not timed.
func (r *Run) RelativeTimes(ctx context.Context, store *dataset.Store,
	prepared *kernels.Prepared) ([]float64, error) {
	some := newSample(store, measuredBytes/(8*valuePoints))
	times, err := prepared.Times(ctx, some)
	if err != nil {
		return nil, err
	}
	least := math.Inf(1)
	for _, t := range times {
		if t > 0 && t < least { // A clock that stood still reports nothing.
			least = t
		}
	}
	for k := range times {
		times[k] = max(1, times[k]/least)
	}
	return times, nil
}

// forecastOne is Forecast for one classifier over all points.
func (r *Run) forecastOne(ctx context.Context, store *dataset.Store,
	prepared *kernels.Prepared) (Forecast, error) {
	some := newSample(store, prepared.Len())
	k, err := prepared.On(ctx, some)
	if err != nil {
		return Forecast{}, err
	}
	gr, err := gradient.New(some, k, gradient.Options{
		Threads: r.Threads, Memory: min(r.Memory/2, measuredBytes), Scratch: r.Scratch,
		Cache: cache.Options{Mode: cache.Never},
	})
	if err != nil {
		return Forecast{}, err
	}
	defer gr.Close()
	n, ns := store.Len(), some.Len()
	alpha, combined := make([]float64, ns), make([]float64, ns)
	if r.Double {
		if err := gr.Rebuild(ctx, alpha, true); err != nil {
			return Forecast{}, err
		}
	}
	q := r.Pairs.setPoints(&r.Tuning, n)
	m, err := measure(ctx, gr, min(q, ns), k.Len(), alpha, combined)
	if err != nil {
		return Forecast{}, err
	}

	// A pass takes time in proportion to the points and to the working set, and the quadratic model
	// in proportion to the square of the working set. row is the time of one point of the working
	// set against all points.
	points := float64(n) / float64(ns)
	row := m.rows * points / float64(min(q, ns))
	f := Forecast{
		Pass:  seconds(m.combine*points + row*float64(q)),
		Model: seconds(m.model * square(float64(q)/float64(min(q, ns)))),
	}
	if k.Multiplied() { // all pairs of a sample of the points
		of := float64(kernels.NormalizeSample(n))
		f.Normalize = seconds(row * of / float64(n) * of)
	}

	least, most := expectedRows(n)
	if r.MaxIterations > 0 {
		most = min(most, float64(r.MaxIterations*q))
		least = min(least, most)
	}
	f.Iterations = [2]int{
		int(math.Ceil(least / (mostUsed * float64(q)))),
		int(math.Ceil(most / (fewestUsed * float64(q)))),
	}
	if r.MaxIterations > 0 {
		f.Iterations[1] = min(f.Iterations[1], r.MaxIterations)
	}

	asleep := 1.0 // share of the points that passes run over; the upper bound counts on all
	if r.Tuning.Shrinks(n) {
		asleep = activeShare
	}
	for i, rows := range [2]float64{least, most} {
		passes := asleep * (rows*row + m.combine*points*float64(f.Iterations[i]))
		f.Train[i] = f.Normalize + seconds(passes) + f.Model*time.Duration(f.Iterations[i])
		asleep = 1
	}
	// The upper bound includes the solver's own part, and double precision where the normalisation
	// needs it.
	f.Train[1] += f.Train[1]/3 + 2*f.Normalize
	if r.MaxTime > 0 {
		for i := range f.Train {
			f.Train[i] = min(f.Train[i], r.MaxTime)
		}
	}
	return f, nil
}

// These constants describe runs to a gap of 1e-3 on 208 to 494,020 points.
const (
	// A run moves at least as many working points over all passes as there are points, or
	// fewestRows if there are more.
	fewestRows = 10000
	// A run moves at most twice as many as there are points, and a thousand more. Above manyPoints
	// the bound grows with the square root of their number.
	manyPoints = 60000
	// Between fewestUsed and mostUsed of a working set moves in an iteration.
	fewestUsed = 0.25
	mostUsed   = 0.45
	// At least activeShare of the points are awake, in the mean over a run.
	activeShare = 0.4
)

// foldShare bounds the time of a training without a fold, relative to one with all rows.
var foldShare = [2]float64{0.3, 0.6}

// apartShare bounds the time of one that shares nothing with the training on all rows, and predicts its fold.
var apartShare = [2]float64{0.4, 1}

// expectedRows bounds the number of working points that move, over all passes, as a rule.
func expectedRows(n int) (least, most float64) {
	most = 2*float64(min(n, manyPoints)) + 1000
	if n > manyPoints {
		most *= math.Sqrt(float64(n) / manyPoints)
	}
	return float64(min(n, fewestRows)), most
}

// measured holds the times of the parts of an iteration over all points of a sample, in seconds.
type measured struct {
	combine float64 // the combined gradient under new weights
	rows    float64 // the rows of the working set in a pass
	model   float64 // the quadratic model and the line search
}

// measure times an iteration with a working set of q points and so many kernels. It takes the
// second of two rounds, because the first is slowed by memory that was never touched.
func measure(ctx context.Context, gr *gradient.Gradient, q, count int,
	alpha, combined []float64) (m measured, err error) {
	set, delta := make([]int, q), make([]float64, q)
	theta, v, c := make([]float64, count), make([]float64, count), make([]float64, count)
	h := make([]float64, q*q)
	for i := range set {
		set[i], delta[i] = i*len(alpha)/q, float64(1-2*(i%2))
	}
	for i := range theta {
		theta[i] = 1 / float64(count)
	}
	for range 2 {
		start := time.Now()
		// A pass without a working set only combines the gradients.
		if err = gr.Pass(ctx, nil, nil, alpha, theta, combined, v); err != nil {
			return m, err
		}
		m.combine = time.Since(start).Seconds()
		start = time.Now()
		if err = gr.Hessian(ctx, set, theta, nil, h); err != nil {
			return m, err
		}
		if err = gr.Directions(ctx, set, delta, c, v); err != nil {
			return m, err
		}
		m.model = time.Since(start).Seconds()
		start = time.Now()
		if err = gr.Pass(ctx, set, delta, alpha, theta, combined, v); err != nil {
			return m, err
		}
		m.rows = max(time.Since(start).Seconds()-m.combine, 0)
	}
	return m, nil
}

// seconds returns a duration of so many seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func square(x float64) float64 { return x * x }

// sample is a part of the points of a store: whole panels, spread evenly, so points that lie
// together in the data do not represent all.
type sample struct {
	*dataset.Store
	panels int // number of panels
	step   int // distance between two panels in the store
}

// newSample chooses as many points as are measured with so many kernels. Small stores are taken
// whole.
func newSample(store *dataset.Store, count int) kernels.Points {
	panels := min(measuredPoints/simd.Width, max(1, measuredBytes/(8*simd.Width*count)))
	if whole := store.Len() / simd.Width; panels < whole {
		return &sample{store, panels, whole / panels}
	}
	return store
}

// Len returns the number of points of the sample.
func (s *sample) Len() int { return s.panels * simd.Width }

// Panel returns panel p of the sample.
func (s *sample) Panel(p int) []float32 { return s.Store.Panel(p * s.step) }

// Row writes the features of point i of the sample to dst.
func (s *sample) Row(i int, dst []float32) { s.Store.Row(s.place(i), dst) }

// Nonzeros returns the features of point i of the sample that are not zero, and their values.
func (s *sample) Nonzeros(i int) ([]int32, []float32) { return s.Store.Nonzeros(s.place(i)) }

// place returns the index in the store of point i of the sample.
func (s *sample) place(i int) int { return i/simd.Width*s.step*simd.Width + i%simd.Width }
