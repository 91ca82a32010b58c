package harness

import (
	"fmt"
	"math"
	"testing"
)

// TestNoisy: the classes are as often wrong as the best classifier has to be, and the first rows do not
// depend on their number.
func TestNoisy(t *testing.T) {
	t.Parallel()
	s := &Synthetic{Kind: NoisyKind, Points: 50000, Features: NoisyFeatures, Seed: 1}
	short := &Synthetic{Kind: NoisyKind, Points: 3, Features: NoisyFeatures, Seed: 1}
	var first []string
	for row := range short.rows() {
		first = append(first, fmt.Sprint(row.Label, row.Value))
	}
	wrong, best, at := 0.0, 0.0, 0
	for row := range s.rows() {
		p := noisyProbability(row.Value)
		best += min(p, 1-p)
		if (p > 0.5) != (row.Label == ClassLabel(1)) {
			wrong++
		}
		if at < len(first) && fmt.Sprint(row.Label, row.Value) != first[at] {
			t.Errorf("row %d is %s, and of fewer rows %s", at, fmt.Sprint(row.Label, row.Value), first[at])
		}
		at++
	}
	wrong, best = wrong/float64(at), best/float64(at)
	if at != s.Points || math.Abs(best-0.067) > 0.002 || math.Abs(wrong-best) > 4*math.Sqrt(best/float64(at)) {
		t.Errorf("%d rows, %.4f are wrong, %.4f expected", at, wrong, best)
	}
}
