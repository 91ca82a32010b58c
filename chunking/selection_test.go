package chunking_test

import (
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/internal/toy"
)

// TestFirstSet: at alpha = 0 the set takes points of both classes evenly, and all of a class that
// is too small for its half.
func TestFirstSet(t *testing.T) {
	const size = 20
	for _, positives := range []int{1, 5, 10, 50, 95, 99} {
		const n = 100
		p := &toy.Problem{K: [][]float64{make([]float64, n*n)}}
		for i := range n {
			y := -1.0
			if i%n < positives {
				y = 1
			}
			p.Y, p.Cost = append(p.Y, y), append(p.Cost, 1)
		}
		s, _, _ := solverOf(p, 4.0/3, 1e-3)
		set := s.Spread(size)
		if sorted := slices.Sorted(slices.Values(set)); len(set) != size || len(slices.Compact(sorted)) != size {
			t.Fatalf("%d positives: set %v", positives, set)
		}
		var count [2]int
		widest := 0
		for k, i := range set {
			if p.Y[i] > 0 {
				count[1]++
			} else {
				count[0]++
			}
			if k > 0 && p.Y[i] == p.Y[set[k-1]] {
				widest = max(widest, i-set[k-1])
			}
		}
		want := min(positives, max(size/2, size-(n-positives)))
		if count[1] != want {
			t.Errorf("%d positives: %d of them in the set, want %d", positives, count[1], want)
		}
		if largest := max((positives+count[1]-1)/count[1], (n-positives+count[0]-1)/count[0]); widest > largest {
			t.Errorf("%d positives: neighbours in the set are %d apart, want at most %d", positives, widest, largest)
		}
	}
}

// TestWorkingSets: a set has no point twice, holds the points that violate most, and a share of it
// is kept.
func TestWorkingSets(t *testing.T) {
	rng := toy.Random(t, 3)
	p, x := toy.Cloud("large", rng, 5*SmallestSet/2, 3)
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 3)}
	s, _, _ := solverOf(p, 4.0/3, 1e-6)
	var last []int
	for it := range 6 {
		ascent := make([]float64, len(p.Y))
		for i := range ascent {
			ascent[i] = p.Y[i] - s.Combined()[i]
		}
		grow, shrink := -1, -1
		for i, a := range ascent {
			if b := p.Y[i] * s.Alpha()[i]; p.Y[i] > 0 && b < p.Cost[i] || p.Y[i] < 0 && b > 0 {
				if grow < 0 || a > ascent[grow] {
					grow = i
				}
			}
			if b := p.Y[i] * s.Alpha()[i]; p.Y[i] < 0 && b < p.Cost[i] || p.Y[i] > 0 && b > 0 {
				if shrink < 0 || a < ascent[shrink] {
					shrink = i
				}
			}
		}
		if err := s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		sorted := slices.Sorted(slices.Values(s.Set()))
		if len(s.Set()) > SmallestSet || len(slices.Compact(sorted)) != len(s.Set()) {
			t.Fatalf("iteration %d: %d points, of which %d differ", it, len(s.Set()), len(slices.Compact(sorted)))
		}
		if it > 0 && (!slices.Contains(s.Set(), grow) || !slices.Contains(s.Set(), shrink)) {
			t.Errorf("iteration %d: the pair %d, %d that violates most is not in the set", it, grow, shrink)
		}
		if it > 0 {
			kept := 0
			for _, i := range s.Set() {
				if slices.Contains(last, i) {
					kept++
				}
			}
			if len(s.Set()) != SmallestSet || kept < SmallestSet*2/5-SmallestSet/16 {
				t.Errorf("iteration %d: %d points, %d of them from the last set", it, len(s.Set()), kept)
			}
		}
		last = slices.Clone(s.Set())
	}
}
