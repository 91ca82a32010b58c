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

// Forecast is how long a run may take. What an iteration costs was measured on a part of the
// points; how many there will be depends on the problem and is bounded by what runs have taken (see
// docs/BENCHMARKS.md).
type Forecast struct {
	Read       time.Duration // of the data, just now
	Prepare    time.Duration // of the kernels: medians and what is looked up in the points, just now
	Normalize  time.Duration // finding the scales of the kernels; three times as much where that needs float64
	Pass       time.Duration // over all points, for a whole working set, without a row cache
	Model      time.Duration // of the quadratic model of a working set
	Iterations [2]int        // at least and at most, as a rule
	Train      [2]time.Duration
}

const (
	measuredPoints = 4096
	measuredBytes  = 256 << 20 // of their gradients, but for one panel at least
)

// Forecast times the parts of an iteration on some of the points and says how long the training of
// all machines may take. prepare is what the preparation of the kernels has taken.
func (r *Run) Forecast(ctx context.Context, store *dataset.Store, prepared *kernels.Prepared, prepare time.Duration) (Forecast, error) {
	f, err := r.forecastOne(ctx, store, prepared)
	if err != nil {
		return Forecast{}, err
	}
	f.Prepare = prepare
	for i := range f.Train {
		f.Train[i] = time.Duration(float64(f.Train[i]) * max(1, r.Several.Time))
		f.Train[i] += time.Duration(foldShare[i]*float64(r.Folds)*float64(f.Train[i])) + prepare
	}
	return f, nil
}

// forecastOne is Forecast for one machine over all points.
func (r *Run) forecastOne(ctx context.Context, store *dataset.Store, prepared *kernels.Prepared) (Forecast, error) {
	some := newSample(store, prepared.Len())
	k, err := prepared.On(ctx, some)
	if err != nil {
		return Forecast{}, err
	}
	gr, err := gradient.New(some, k, gradient.Options{
		Threads: r.Threads, Memory: min(r.Memory/2, measuredBytes), Scratch: r.Scratch, Cache: cache.Options{Mode: cache.Never},
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
	q := r.Tuning.Size(n)
	m, err := measure(ctx, gr, min(q, ns), k.Len(), alpha, combined)
	if err != nil {
		return Forecast{}, err
	}
	points := float64(n) / float64(ns)
	row := m.rows * points / float64(min(q, ns)) // one working point against all points
	f := Forecast{Pass: seconds(m.combine*points + row*float64(q)), Model: seconds(m.model * square(float64(q)/float64(min(q, ns))))}
	if k.Multiplied() {
		of := float64(kernels.NormalizeSample(n))
		f.Normalize = seconds(row * of / float64(n) * of)
	}
	least, most := expectedRows(n)
	if r.MaxIterations > 0 {
		most = min(most, float64(r.MaxIterations*q))
		least = min(least, most)
	}
	f.Iterations = [2]int{int(math.Ceil(least / (mostUsed * float64(q)))), int(math.Ceil(most / (fewestUsed * float64(q))))}
	if r.MaxIterations > 0 {
		f.Iterations[1] = min(f.Iterations[1], r.MaxIterations)
	}
	asleep := 1.0
	if r.Tuning.Shrinks(n) {
		asleep = activeShare
	}
	for i, rows := range [2]float64{least, most} {
		passes := asleep * (rows*row + m.combine*points*float64(f.Iterations[i]))
		f.Train[i] = f.Normalize + seconds(passes) + f.Model*time.Duration(f.Iterations[i])
		asleep = 1
	}
	f.Train[1] += f.Train[1]/3 + 2*f.Normalize // the solver's own part, and float64 where that is needed
	if r.MaxTime > 0 {
		for i := range f.Train {
			f.Train[i] = min(f.Train[i], r.MaxTime)
		}
	}
	return f, nil
}

// What runs to a gap of 1e-3 have taken, from 208 to 494,020 points: as many working points over
// all passes as there are points, or 10,000 if there are more; up to twice the points and a
// thousand, of more than 60,000 points with the root of their number. A quarter to a half of a
// working set moves in an iteration, and over a run at least two fifths of the points are awake.
const (
	fewestRows  = 10000
	manyPoints  = 60000
	fewestUsed  = 0.25
	mostUsed    = 0.45
	activeShare = 0.4
)

// foldShare is what a training without a fold takes of one with all rows, at least and at most.
var foldShare = [2]float64{0.3, 0.6}

// expectedRows bounds the number of working points over all passes, as a rule.
func expectedRows(n int) (least, most float64) {
	most = 2*float64(min(n, manyPoints)) + 1000
	if n > manyPoints {
		most *= math.Sqrt(float64(n) / manyPoints)
	}
	return float64(min(n, fewestRows)), most
}

// measured is seconds for all points of a sample.
type measured struct {
	combine float64 // gradients under new weights
	rows    float64 // a working set's part of a pass
	model   float64 // quadratic model and line search
}

// measure takes the second of two rounds: the first finds memory that was never touched.
func measure(ctx context.Context, gr *gradient.Gradient, q, count int, alpha, combined []float64) (m measured, err error) {
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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func square(x float64) float64 { return x * x }

// sample is a part of the points of a store: whole panels, spread evenly.
type sample struct {
	*dataset.Store
	panels, step int
}

// newSample chooses as many points as are measured with so many kernels.
func newSample(store *dataset.Store, count int) kernels.Points {
	panels := min(measuredPoints/simd.Width, max(1, measuredBytes/(8*simd.Width*count)))
	if whole := store.Len() / simd.Width; panels < whole {
		return &sample{store, panels, whole / panels}
	}
	return store
}

// Len is the number of points of the sample.
func (s *sample) Len() int { return s.panels * simd.Width }

// Panel is the p-th panel of the sample.
func (s *sample) Panel(p int) []float32 { return s.Store.Panel(p * s.step) }

// Row gathers point i of the sample.
func (s *sample) Row(i int, dst []float32) { s.Store.Row(s.place(i), dst) }

// Nonzeros is the non-zero features of point i of the sample.
func (s *sample) Nonzeros(i int) ([]int32, []float32) { return s.Store.Nonzeros(s.place(i)) }

func (s *sample) place(i int) int { return i/simd.Width*s.step*simd.Width + i%simd.Width }
