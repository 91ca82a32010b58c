package trial

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// numbered returns n rows of two classes, whose first value is their number from 1. Row wide alone has the feature 99.
func numbered(n, wide int) dataset.Source {
	return dataset.FromSeq(func(yield func(dataset.Row) bool) {
		index, value := []int32{0, 1, 99}, []float64{0, 0, 1}
		for i := range n {
			value[0], value[1] = float64(i+1), float64(i%2)+float64(i%7)/7
			r := dataset.Row{Label: []string{"a", "b"}[i%2], Index: index[:2], Value: value[:2]}
			if i == wide {
				r.Index, r.Value = index, value
			}
			if !yield(r) {
				return
			}
		}
	})
}

// drain reads a source to its end and returns the first values of its rows.
func drain(t *testing.T, src dataset.Source) (first []float64) {
	t.Helper()
	for {
		r, err := src.Next()
		if err == io.EOF {
			return first
		}
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, r.Value[0])
	}
}

// TestSampleIsRandom: every row is as likely to be kept as any other, wherever it stands, and all rows pass.
func TestSampleIsRandom(t *testing.T) {
	const n, numbers, draws = 40, 20, 4000 // Each row has two numbers, and 10 rows are kept.
	counts := make([]int, n)
	for seed := range uint64(draws) {
		s := NewSample(numbered(n, -1), numbers*bytesOfNumber, seed)
		if got := drain(t, s); len(got) != n || got[n-1] != n {
			t.Fatalf("%d rows passed", len(got))
		}
		if len(s.rows) != numbers/2 {
			t.Fatalf("%d rows are kept", len(s.rows))
		}
		s.shuffle()
		for _, r := range s.rows[:5] {
			counts[int(r.Value[0])-1]++
		}
	}
	// chi-squared of 39 degrees of freedom: 99.9 % are below 72.
	expected, chi := draws*5.0/n, 0.0
	for _, c := range counts {
		chi += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	if chi > 72 {
		t.Errorf("chi-squared %.1f of %v", chi, counts)
	}
}

// TestSampleHasAllFeatures: the widest row is among the first rows of each size, with the values that it had.
func TestSampleHasAllFeatures(t *testing.T) {
	s := NewSample(numbered(1000, 500), 1<<20, 1)
	drain(t, s)
	s.most = 10
	s.shuffle()
	src := s.first(10)
	defer src.Close()
	r, err := src.Next()
	if err != nil || len(r.Index) != 3 || r.Index[2] != 99 || r.Value[0] != 501 {
		t.Errorf("%+v, %v", r, err)
	}
	if rest := drain(t, src); len(rest) != 10 {
		t.Errorf("%d rows beside it", len(rest))
	}
}

// TestExtrapolation: times that are a power of the rows give this power, within the bounds of the exponent.
func TestExtrapolation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b, c := 0.5+2.5*random.Float64(), math.Exp(10+8*random.Float64())
		e := &Estimate{}
		for n := 500; n <= 16000; n *= 2 {
			e.Runs = append(e.Runs, Training{Rows: n, Time: time.Duration(c * math.Pow(float64(n), b))})
		}
		const all = 1 << 20
		e.extrapolate(all)
		last := e.Runs[len(e.Runs)-1]
		if b < leastExponent || b > mostExponent {
			if e.Exponent != min(max(b, leastExponent), mostExponent) && last.Time > 5*shortest {
				t.Errorf("b = %.3f gives %.3f", b, e.Exponent)
			}
			continue
		}
		if last.Time < 3*shortest { // Fewer than two trainings count.
			continue
		}
		want := min(float64(last.Time)*math.Pow(float64(all)/16000, b), math.MaxInt64/2)
		if math.Abs(float64(e.Time)-want) > 0.01*want || e.Low > e.Time || e.High < e.Time {
			t.Errorf("b = %.3f: %v of %v to %v, want %v", b, e.Time, e.Low, e.High, time.Duration(want))
		}
	}
	one := &Estimate{Runs: []Training{{Rows: 100, Time: time.Second}}}
	if one.extrapolate(100); one.Time != time.Second || one.Exponent != 0 {
		t.Errorf("all rows: %+v", one)
	}
	if one.extrapolate(200); one.Exponent != (leastExponent+mostExponent)/2 {
		t.Errorf("one training: %+v", one)
	}
}

// TestRun: the trainings are on samples of twice the size each, up to all rows if they are fast. A sample of one class alone is passed
// over, and what names files of all rows is rejected.
func TestRun(t *testing.T) {
	s := NewSample(numbered(1200, 3), 1<<24, 1)
	drain(t, s)
	o := bigmkl.Options{Kernels: "gauss:auto/2", Threads: 1}
	e, err := s.Run(context.Background(), o, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(e.Runs); n != 2 || e.Runs[0].Rows != 500 || e.Runs[1].Rows != 1200 || e.Time != e.Runs[1].Time || e.Exponent != 0 {
		t.Errorf("%+v", e)
	}
	if e, err = s.Run(context.Background(), o, time.Nanosecond); err != nil || len(e.Runs) != 1 || e.Exponent == 0 {
		t.Errorf("%+v, %v", e, err)
	}
	o.Kernels = "precomputed:k.npy"
	if _, err := s.Run(context.Background(), o, time.Second); !errors.Is(err, fail.Usage) {
		t.Errorf("a matrix of all rows: %v", err)
	}
	alone := NewSample(dataset.FromSeq(func(yield func(dataset.Row) bool) {
		for i := range 600 {
			if !yield(dataset.Row{Label: "a", Index: []int32{0}, Value: []float64{float64(i)}}) {
				return
			}
		}
	}), 1<<24, 1)
	drain(t, alone)
	if _, err := alone.Run(context.Background(), bigmkl.Options{Kernels: "linear"}, time.Second); !errors.Is(err, fail.Input) {
		t.Errorf("one class: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Run(ctx, bigmkl.Options{Kernels: "linear"}, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
