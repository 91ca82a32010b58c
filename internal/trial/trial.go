package trial

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"bigmkl"
	"bigmkl/internal/fail"
)

// The problem: how long does a training on n rows take? Its time grows like n^b, where b depends on the share of support
// vectors and is between 1 (few, whatever n) and a little above 2 (a share of the rows). Trainings on samples of 500,
// 1,000, 2,000, .. rows show b, and the last of them, which took some seconds, the factor.

// Estimate holds how long a training takes.
type Estimate struct {
	// Time is the time after the rows were read. Low and High are bounds that hold as a rule.
	Time, Low, High time.Duration
	// Runs has the trainings on samples, the smallest first.
	Runs []Training
	// Exponent is b of the time n^b, and 0 if the last training had all rows.
	Exponent float64
}

// Training is a training on a sample.
type Training struct {
	Rows       int
	Time       time.Duration
	Iterations int
}

const (
	// fewestRows is the size of the first sample.
	fewestRows = 500
	// longShare is the share of the time of a trial from which on a training is the last one: the next would take
	// between 2 and 5 times as long.
	longShare = 0.2
	// leastExponent and mostExponent bound the growth of the time.
	leastExponent, mostExponent = 1, 2.2
	// shortest is the time below which a training measures fixed costs rather than its rows.
	shortest = 10 * time.Millisecond
	// fitted is the number of trainings, the last ones, that the growth of the time is fitted to.
	fitted = 3
	// repeats is how often a training below short is timed.
	repeats, short = 3, 200 * time.Millisecond
)

// Run trains on samples for about so long, and estimates the time of the training on all rows. It takes the
// options of the training. An error comes from the trainings.
func (s *Sample) Run(ctx context.Context, o bigmkl.Options, about time.Duration) (*Estimate, error) {
	because := o.RowFiles()
	if o.Init != nil {
		because = cmp.Or(because, "a model to start from has rows among them")
	}
	if because != "" {
		return nil, fail.New(fail.Usage, "no trial on some of the rows: %s", because).WithHint("leave --trial out")
	}
	s.shuffle()
	o.Recorder, o.Checkpoint, o.Resume, o.Limit, o.MaxTime = nil, "", false, 0, 0
	e := &Estimate{}
	began := time.Now()
	var failed error
	for n := min(fewestRows, len(s.rows)); ; n = s.next(n) {
		run, err := s.train(ctx, n, o)
		switch {
		case err == nil:
			e.Runs, failed = append(e.Runs, run), nil
		case ctx.Err() != nil || !errors.Is(err, fail.Input):
			return nil, err
		default:
			failed = err // Such as a sample of one class alone. A larger one may do.
		}
		spent := time.Since(began)
		long := len(e.Runs) >= fitted && run.Time > time.Duration(longShare*float64(about))
		// One training alone does not show the growth of the time.
		over := spent > about && (len(e.Runs) > 1 || spent > 3*about)
		if n == len(s.rows) || err == nil && (long || over) {
			break
		}
	}
	if failed != nil {
		return nil, failed
	}
	e.extrapolate(s.seen)
	return e, nil
}

// next returns the size of the sample after one of n rows. The last step is between 1.5 and 3 times as many.
func (s *Sample) next(n int) int {
	if 3*n > len(s.rows) {
		return len(s.rows)
	}
	return 2 * n
}

// train trains on the first n rows of the sample. A short training is repeated, and the least time counts: other work on
// the machine makes it longer.
func (s *Sample) train(ctx context.Context, n int, o bigmkl.Options) (run Training, err error) {
	for k := range repeats {
		src := s.first(n)
		m, r, err := bigmkl.Train(ctx, src, o)
		src.Close()
		if err != nil {
			return Training{}, err
		}
		if k == 0 || r.Train < run.Time {
			run = Training{n, r.Train, r.Iterations}
		}
		if err := m.Close(); err != nil || r.Train > short {
			return run, err
		}
	}
	return run, nil
}

// extrapolate sets the time of a training on n rows.
func (e *Estimate) extrapolate(n int) {
	last := e.Runs[len(e.Runs)-1]
	if last.Rows >= n {
		e.Time, e.Low, e.High = last.Time, last.Time*4/5, last.Time*5/4
		return
	}
	at, mean := 0.0, 0.0
	e.Exponent, at, mean = e.fit()
	ratio := float64(n) / float64(last.Rows)
	time := math.Exp(mean + e.Exponent*(math.Log(float64(n))-at))
	// The exponent itself changes with the rows: by up to 0.2 over the problems of docs/BENCHMARKS.md.
	spread := 1.3 * math.Pow(ratio, 0.2)
	e.Time, e.Low, e.High = duration(time), duration(time/spread), duration(time*spread)
}

// fit fits a line to log time over log rows of the last trainings, weighted by their rows. It returns the slope within its
// bounds, and the mean of both.
func (e *Estimate) fit() (slope, at, mean float64) {
	var w, x, y, xx, xy float64
	runs := e.Runs[max(0, len(e.Runs)-fitted):]
	for k, r := range runs {
		if r.Time < shortest && k < len(runs)-1 {
			continue
		}
		weight, lx, ly := float64(r.Rows), math.Log(float64(r.Rows)), math.Log(float64(max(r.Time, 1)))
		w, x, y, xx, xy = w+weight, x+weight*lx, y+weight*ly, xx+weight*lx*lx, xy+weight*lx*ly
	}
	at, mean = x/w, y/w
	spread := xx - x*at
	if !(spread > 1e-9*xx) { // One training alone.
		return (leastExponent + mostExponent) / 2, at, mean
	}
	return min(max((xy-x*mean)/spread, leastExponent), mostExponent), at, mean
}

// duration converts nanoseconds, of which there may be more than a Duration has.
func duration(nanoseconds float64) time.Duration {
	return time.Duration(min(nanoseconds, math.MaxInt64/2))
}
