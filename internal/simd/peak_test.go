package simd

import (
	"math"
	"testing"
)

func TestMultiplyAdds(t *testing.T) {
	each(t, testMultiplyAdds[float32], testMultiplyAdds[float64])
}

// testMultiplyAdds knows that x <- x/2+1 is 2-2^(1-k) after k steps, which is exact until it is 2.
func testMultiplyAdds[T Real](t *testing.T) {
	for _, rounds := range []int{0, 1, 2, 5, 6, 100} {
		dst := make([]T, peakChains*peakLanes)
		multiplyAdds(dst, rounds)
		want := T(2 - math.Ldexp(2, -rounds*peakSteps))
		for i, got := range dst[:peakChains*lanes[T]()] {
			if got != want {
				t.Fatalf("%d rounds: element %d is %v, want %v", rounds, i, got, want)
			}
		}
		for i, got := range dst[peakChains*lanes[T]():] {
			if got != 0 {
				t.Fatalf("%d rounds: %v stored %d elements past the chains", rounds, got, i)
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() { MultiplyAdds[T](2500) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := MultiplyAdds[T](2500); got != 2500*peakChains*peakSteps*2*lanes[T]() {
		t.Errorf("2500 rounds are %d operations", got)
	}
}

func BenchmarkMultiplyAdds(b *testing.B) {
	benchPeak[float32](b, "float32")
	benchPeak[float64](b, "float64")
}

func benchPeak[T Real](b *testing.B, name string) {
	b.Run(Level()+"/"+name, func(b *testing.B) {
		n, begin := 0, cpuTime()
		for b.Loop() {
			n += MultiplyAdds[T](1000)
		}
		b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "GFLOP/s")
	})
}
