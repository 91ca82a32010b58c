package gradient

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNarrow: numbers come back with the same bits, in half the bytes where all of them are float32.
func TestNarrow(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 1))
	for _, special := range []float64{1.5, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e300, 1e-310, 0.1, math.MaxFloat32} {
		for n := range 9 {
			list := make([]float64, n)
			for k := range list {
				list[k] = float64(rng.Float32())
			}
			exact := true
			if n > 0 {
				list[rng.IntN(n)] = special
				exact = float64(float32(special)) == special
			}
			frame := appendNarrow([]float64{7}, list)
			if want := 2 + (n+1)/2; exact && len(frame) != want || !exact && len(frame) != 2+n {
				t.Errorf("%v: a frame of %d numbers, float32 %v", list, len(frame), exact)
			}
			got := make([]float64, n)
			sent := &numbers{of: [][]float64{nil, append(frame, 8)}}
			sent.take(1, 1)
			sent.takeNarrow(1, got)
			for k, x := range got {
				if math.Float64bits(x) != math.Float64bits(list[k]) {
					t.Errorf("%v came back as %v", list, got)
				}
			}
			if rest := sent.take(1, 1); rest[0] != 8 {
				t.Errorf("%v: %v is next", list, rest)
			}
		}
	}
}
