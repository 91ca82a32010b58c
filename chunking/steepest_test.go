package chunking

import (
	"slices"
	"sync"
	"testing"

	"bigmkl/internal/toy"
)

// allAtOnce runs all shared items at once, the last one first.
type allAtOnce struct{}

func (allAtOnce) Share(items int, do func(item int)) {
	var group sync.WaitGroup
	for item := items - 1; item >= 0; item-- {
		group.Go(func() { do(item) })
	}
	group.Wait()
}

// TestTop compares with a full sort: largest first, ties to the lower index, forbidden points
// never. A negative k asks for as many, found by several threads.
func TestTop(t *testing.T) {
	rng := toy.Random(t, 1)
	for _, n := range []int{1, 2, 10, 257, 2*BlockPoints + 99} {
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
			s := &selection{ascent: make([]float64, n), room: make([]uint8, n)}
			s.alpha = make([]float64, n)
			for i, ok := range allowed {
				s.ascent[i] = value[i]
				if ok {
					s.room[i] = canGrow
				}
			}
			for _, k := range []int{0, 1, 2, 3, n / 2, n, n + 5, -250} {
				if s.blocks = (Blocks{}); k < 0 {
					s.blocks, k = Blocks{allAtOnce{}}, -k
				}
				got := s.top(k, canGrow)
				if !slices.Equal(got, want[:min(k, len(want))]) {
					t.Errorf("n = %d, k = %d, %d levels: %v, want %v", n, k, levels, got, want[:min(k, len(want))])
				}
			}
		}
	}
}
