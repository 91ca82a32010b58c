package limits

import (
	"strings"
	"testing"
	"time"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/simd"
)

// TestRoutinesWork runs every measured routine once; those that stream through memory take too much of it for a test.
func TestRoutinesWork(t *testing.T) {
	names := map[string]bool{}
	for _, c := range append(routinesOf[float32]("float32"), routinesOf[float64]("float64")...) {
		names[c.name] = true
		if strings.HasSuffix(c.shape, " M values") {
			continue
		}
		if done := c.prepare()(); !(done > 0) || !(c.factor > 0) || c.unit == "" || c.by == "" {
			t.Errorf("%+v did %g", c, done)
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d routines", len(names))
	}
}

func TestSampler(t *testing.T) {
	p := harness.Sampler{Samples: 3, Length: 100 * time.Microsecond}
	rates, peaks, share := p.MeasureAgainst(PeakWork[float32](), PeakWork[float32]())
	if !(rates.CPU > 0 && rates.Wall > 0 && peaks.CPU > 0 && share > 0) {
		t.Errorf("%+v, %+v, %g", rates, peaks, share)
	}
	if all := p.MeasureTogether(2, func(int) harness.Workload { return PeakWork[float64]() }); !(all.CPU > 0 && all.Wall > 0) {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct {
		list []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := harness.MedianOf(c.list); got != c.want {
			t.Errorf("median of %v is %g", c.list, got)
		}
	}
}

func TestStreamsOfMemory(t *testing.T) {
	a, b := equalHalves(1 << 12)
	if got := readWork(a, b)(); got != 1<<12 {
		t.Errorf("%g bytes read", got)
	}
	if got := copyWork(a, b)(); got != 1<<12 {
		t.Errorf("%g bytes moved", got)
	}
	if x := repeatNumbers[float64](1<<16 + 5); x[1<<16+4] != x[4] || x[4] == 0 {
		t.Error("the numbers do not repeat")
	}
	if n := streamBytes(); n < 1<<20 {
		t.Errorf("streams of %d bytes", n)
	}
	if bytesOf[float32]() != 4 || bytesOf[float64]() != 8 || simd.Width != 32 {
		t.Error("sizes")
	}
}

func TestDisk(t *testing.T) {
	rows, err := measureDisk(t.TempDir(), true)
	if err != nil || len(rows) != 2 || !(rows[0].One > 0) || !(rows[1].One > 0) {
		t.Errorf("%+v, %v", rows, err)
	}
}
