package descent

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// problem is a function with its slope.
type problem struct {
	name  string
	start []float64
	value func(v []float64) float64
	slope func(v []float64) []float64
	least []float64 // where the value is least
}

// problems are functions whose least values are known.
func problems(rng *rand.Rand) []problem {
	const n = 12
	a, centre, start := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		a[k], centre[k], start[k] = math.Pow(10, 3*rng.Float64()), rng.NormFloat64(), 5*rng.NormFloat64()
	}
	quadratic := func(v []float64) float64 {
		sum := 3.0
		for k, x := range v {
			sum += a[k] / 2 * (x - centre[k]) * (x - centre[k])
		}
		return sum
	}
	return []problem{
		{"quadratic", start, quadratic, func(v []float64) []float64 {
			g := make([]float64, n)
			for k, x := range v {
				g[k] = a[k] * (x - centre[k])
			}
			return g
		}, centre},
		{"rosenbrock", []float64{-1.2, 1}, func(v []float64) float64 {
			return 1 + 100*math.Pow(v[1]-v[0]*v[0], 2) + math.Pow(1-v[0], 2)
		}, func(v []float64) []float64 {
			return []float64{-400*v[0]*(v[1]-v[0]*v[0]) - 2*(1-v[0]), 200 * (v[1] - v[0]*v[0])}
		}, []float64{1, 1}},
	}
}

// oracle gives bounds that are as close as asked for and no closer, on a random side of the value. save is called between any two
// calls.
func run(t *testing.T, d *Descent, p problem, rng *rand.Rand, save func(d *Descent) *Descent) *Descent {
	t.Helper()
	for range 4000 {
		if d = save(d); d.Ended != "" {
			return d
		}
		for {
			if d = save(d); len(d.Trial) != len(p.start) {
				t.Fatalf("a trial of %d numbers", len(d.Trial))
			}
			value := p.value(d.Trial)
			width := d.Gap * math.Abs(value)
			lower := value - rng.Float64()*width
			gap, rejected := d.Gap, d.Rejects(lower)
			verdict := d.Judge(lower, min(lower+width, value+0.2*width))
			if rejected && verdict != Rejected {
				t.Fatalf("verdict %d of a lower bound that rejects", verdict)
			}
			if verdict == Undecided && d.Gap >= gap {
				t.Fatalf("an undecided trial, and the gap goes from %g to %g", gap, d.Gap)
			}
			if verdict == Accepted {
				slope := p.slope(d.Trial)
				free := d.Free(slope)
				d.Learn(slope, math.Sqrt(dot(free, free)))
			}
			if verdict != Undecided {
				break
			}
		}
	}
	t.Fatal("no end after 4000 trials")
	return nil
}

// TestKnownMinima: an oracle that is inexact on both sides leads to the least value all the same.
func TestKnownMinima(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range problems(rng) {
		for _, gap := range []float64{1e-9, 1e-4} {
			t.Run(fmt.Sprint(p.name, gap), func(t *testing.T) {
				// A slope that long is hidden by bounds that are so far apart.
				o := Options{Tolerance: 30 * math.Sqrt(gap), Steps: 1000, Gap: gap}
				d := run(t, New(p.start, o), p, rng, func(d *Descent) *Descent { return d })
				least, found := p.value(p.least), p.value(d.Point)
				size := math.Sqrt(dot(d.Slope, d.Slope))
				if !(found-least <= 10*gap*least+2*size*size) || d.Ended != Settled || !(d.Value >= found*(1-1e-12)) || !(size <= o.Tolerance*d.Value) {
					t.Errorf("%s at %.9g after %d steps and %d trials, the least value is %.9g", d.Ended, found, d.Steps, d.Trials, least)
				}
				if d.Trials > 500 {
					t.Errorf("%d trials", d.Trials)
				}
			})
		}
	}
}

// TestBounds: variables stay within their bounds, and the least value there is found.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := problems(rng)[0]
	o := Options{Tolerance: 1e-4, Steps: 1000, Gap: 1e-9, Lower: make([]float64, len(p.start)), Upper: make([]float64, len(p.start))}
	want := slices.Clone(p.least)
	for k := range o.Lower {
		o.Lower[k], o.Upper[k] = -0.5, 0.4
		want[k] = min(max(want[k], -0.5), 0.4)
	}
	d := run(t, New(p.start, o), p, rng, func(d *Descent) *Descent {
		for k, x := range d.Trial {
			if x < o.Lower[k] || x > o.Upper[k] {
				t.Fatalf("variable %d is %g", k, x)
			}
		}
		return d
	})
	if least, found := p.value(want), p.value(d.Point); !(found-least <= 1e-6*least) {
		t.Errorf("%.9g, and the least value is %.9g", found, least)
	}
}

// TestPlateau: a small slope at the start does not end a descent whose steps lower the value.
func TestPlateau(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	p := problem{start: []float64{-4, 0}, value: func(v []float64) float64 {
		return 2 - 1/(1+math.Exp(-v[0])) + v[1]*v[1] + 1/(1+math.Exp(9-v[0]))
	}}
	p.slope = func(v []float64) []float64 {
		a, b := 1/(1+math.Exp(-v[0])), 1/(1+math.Exp(9-v[0]))
		return []float64{-a*(1-a) + b*(1-b), 2 * v[1]}
	}
	d := run(t, New(p.start, Options{Tolerance: 1e-2, Steps: 1000, Gap: 1e-9}), p, rng, func(d *Descent) *Descent { return d })
	if d.Ended != Settled || !(d.Value <= 1.1) {
		t.Errorf("%s at %.6g after %d steps", d.Ended, d.Value, d.Steps)
	}
}

// TestKink: a descent that comes to rest at a kink has not settled.
func TestKink(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	p := problem{start: []float64{2, 1}, value: func(v []float64) float64 {
		return 1 + math.Abs(v[0]) + 3*math.Abs(v[1])
	}, slope: func(v []float64) []float64 {
		return []float64{math.Copysign(1, v[0]), 3 * math.Copysign(1, v[1])}
	}}
	d := run(t, New(p.start, Options{Tolerance: 1e-3, Steps: 1000, Gap: 1e-9}), p, rng, func(d *Descent) *Descent { return d })
	if d.Ended != Stalled || !(d.Size > 1e-3*d.Value) {
		t.Errorf("%s with a slope of %g at %.6g after %d steps", d.Ended, d.Size, d.Value, d.Steps)
	}
}

// TestHeld: variables that are held keep their bits, and the others come to the least value with these.
func TestHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	p := problems(rng)[0]
	o := Options{Tolerance: 1e-4, Steps: 1000, Gap: 1e-9, Longest: 0.5, Held: make([]bool, len(p.start))}
	want := slices.Clone(p.least)
	for k := range o.Held {
		if o.Held[k] = k%3 == 0; o.Held[k] {
			want[k] = p.start[k]
		}
	}
	before := p.start
	d := run(t, New(p.start, o), p, rng, func(d *Descent) *Descent {
		if d.Point != nil && d.Searched == 0 {
			far := make([]float64, len(before))
			for k := range far {
				far[k] = d.Trial[k] - d.Point[k]
			}
			if size := math.Sqrt(dot(far, far)); size > o.Longest*(1+1e-12) {
				t.Fatalf("a first trial %g away", size)
			}
		}
		return d
	})
	for k, held := range o.Held {
		if held && d.Point[k] != p.start[k] {
			t.Errorf("variable %d has moved", k)
		}
	}
	if least, found := p.value(want), p.value(d.Point); d.Ended != Settled || !(found-least <= 1e-6*least) {
		t.Errorf("%s at %.9g, and the least value is %.9g", d.Ended, found, least)
	}
}

// TestSteps: the limit of steps ends a descent at the point it has come to.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := problems(rng)[1]
	d := run(t, New(p.start, Options{Tolerance: 1e-9, Steps: 3, Gap: 1e-6}), p, rng, func(d *Descent) *Descent { return d })
	if d.Ended != Limited || d.Steps != 3 || !(p.value(d.Point) < p.value(p.start)) || !slices.Equal(d.Trial, d.Point) {
		t.Errorf("%s after %d steps at %g", d.Ended, d.Steps, p.value(d.Point))
	}
}

// TestRestore: a descent that is saved and restored between any two calls goes the same way to the bit, and vectors that do not fit are
// rejected.
func TestRestore(t *testing.T) {
	for k := range 2 {
		rng := rand.New(rand.NewPCG(7, 8))
		p := problems(rng)[k]
		o := Options{Tolerance: 1e-7, Steps: 1000, Gap: 1e-6}
		same := rand.New(rand.NewPCG(9, 9))
		want := run(t, New(p.start, o), p, same, func(d *Descent) *Descent { return d })
		same = rand.New(rand.NewPCG(9, 9))
		got := run(t, New(p.start, o), p, same, func(d *Descent) *Descent {
			text, err := json.Marshal(d.State)
			if err != nil {
				t.Fatal(err)
			}
			var s State
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			vectors := d.Vectors()
			if _, ok := Restore(s, vectors[:len(vectors)-1], len(p.start), o); ok {
				t.Fatal("vectors that are cut short are taken")
			}
			if _, ok := Restore(s, append(slices.Clone(vectors), 0), len(p.start), o); ok {
				t.Fatal("vectors that are too many are taken")
			}
			r, ok := Restore(s, vectors, len(p.start), o)
			if !ok {
				t.Fatal("a state is rejected")
			}
			return r
		})
		if !slices.Equal(got.Point, want.Point) || got.Trials != want.Trials || got.Value != want.Value {
			t.Errorf("%s: %v after %d trials, and %v after %d", p.name, got.Point, got.Trials, want.Point, want.Trials)
		}
	}
}
