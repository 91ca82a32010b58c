package chunking

import (
	"slices"
	"testing"
)

// TestTop compares with a full sort: largest first, ties to the lower index, forbidden points never.
func TestTop(t *testing.T) {
	rng := random(t, 1)
	for _, n := range []int{1, 2, 10, 257} {
		for _, levels := range []int{1, 3, 1000} {
			value, allowed := make([]float64, n), make([]bool, n)
			for i := range value {
				value[i], allowed[i] = float64(rng.IntN(levels)), rng.IntN(4) > 0
			}
			var want []int
			for i := range value {
				if allowed[i] {
					want = append(want, i)
				}
			}
			slices.SortStableFunc(want, func(a, b int) int { return int(value[b] - value[a]) })
			s := &Solver{alpha: make([]float64, n), ascent: make([]float64, n), room: make([]uint8, n)}
			for i, ok := range allowed {
				s.ascent[i] = value[i]
				if ok {
					s.room[i] = canGrow
				}
			}
			for _, k := range []int{0, 1, 2, 3, n / 2, n, n + 5} {
				got := s.top(k, canGrow)
				if !slices.Equal(got, want[:min(k, len(want))]) {
					t.Errorf("n = %d, k = %d, %d levels: %v, want %v", n, k, levels, got, want[:min(k, len(want))])
				}
			}
		}
	}
}

// TestFirstSet: at alpha = 0 the set takes points of both classes evenly, and all of a class that is too small for its half.
func TestFirstSet(t *testing.T) {
	const size = 20
	for _, positives := range []int{1, 5, 10, 50, 95, 99} {
		const n = 100
		p := &problem{k: [][]float64{make([]float64, n*n)}}
		for i := range n {
			y := -1.0
			if i%n < positives {
				y = 1
			}
			p.y, p.cost = append(p.y, y), append(p.cost, 1)
		}
		s, _, _ := p.solver(4.0/3, 1e-3)
		set := s.spread(size)
		if sorted := slices.Sorted(slices.Values(set)); len(set) != size || len(slices.Compact(sorted)) != size {
			t.Fatalf("%d positives: set %v", positives, set)
		}
		var count [2]int
		widest := 0
		for k, i := range set {
			if p.y[i] > 0 {
				count[1]++
			} else {
				count[0]++
			}
			if k > 0 && p.y[i] == p.y[set[k-1]] {
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

// TestWorkingSets: a set has no point twice, holds the points that violate most, and a share of it is kept.
func TestWorkingSets(t *testing.T) {
	rng := random(t, 3)
	p, x := cloud("large", rng, 5*smallestSet/2, 3)
	p.k = [][]float64{gauss(x, 0.5), linear(x, 0, 3)}
	s, _, _ := p.solver(4.0/3, 1e-6)
	var last []int
	for it := range 6 {
		ascent := make([]float64, len(p.y))
		for i := range ascent {
			ascent[i] = p.y[i] - s.combined[i]
		}
		grow, shrink := -1, -1
		for i, a := range ascent {
			if b := p.y[i] * s.alpha[i]; p.y[i] > 0 && b < p.cost[i] || p.y[i] < 0 && b > 0 {
				if grow < 0 || a > ascent[grow] {
					grow = i
				}
			}
			if b := p.y[i] * s.alpha[i]; p.y[i] < 0 && b < p.cost[i] || p.y[i] > 0 && b > 0 {
				if shrink < 0 || a < ascent[shrink] {
					shrink = i
				}
			}
		}
		if err := s.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		sorted := slices.Sorted(slices.Values(s.set))
		if len(s.set) > smallestSet || len(slices.Compact(sorted)) != len(s.set) {
			t.Fatalf("iteration %d: %d points, of which %d differ", it, len(s.set), len(slices.Compact(sorted)))
		}
		if it > 0 && (!slices.Contains(s.set, grow) || !slices.Contains(s.set, shrink)) {
			t.Errorf("iteration %d: the pair %d, %d that violates most is not in the set", it, grow, shrink)
		}
		if it > 0 {
			kept := 0
			for _, i := range s.set {
				if slices.Contains(last, i) {
					kept++
				}
			}
			if len(s.set) != smallestSet || kept < smallestSet*2/5-smallestSet/16 {
				t.Errorf("iteration %d: %d points, %d of them from the last set", it, len(s.set), kept)
			}
		}
		last = slices.Clone(s.set)
	}
}
