package verify

import (
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// sample holds which rows and support vectors count, and for how much.
//
// The losses are summed over rows drawn without replacement, each times points / size. V_m is an
// average over support vectors drawn with replacement, with probability in proportion to
// |alpha_s|: then V_m = sum_s alpha_s g_m(x_s) is the expected value of sum |alpha| sign(alpha_s)
// g_m(x_s).
type sample struct {
	active    bool    // something is left out
	lossRows  []int   // rows of the losses that are still to come, ascending; nil if all count
	lossScale float64 // factor of the loss of a row
	rows      int     // upper bound of the rows that are evaluated
	draws     []draw  // of each classifier
}

// draw is the support vectors of a classifier that count for its norms.
type draw struct {
	factors []float64 // of each support vector, that of g_m(x_s) in V_m; 0 if it does not count
	drawn   int       // how many were drawn; 0 if all count as they are
	total   float64   // sum |alpha|, if some were drawn
	scarce  []bool    // kernels whose gates are open at too few of them; nil without gates
}

// newSample draws a sample of that size for the losses and for the norms of each classifier. If
// size is 0 or at least the number of rows, all rows count, and likewise for support vectors.
func newSample(m *model.Model, classifiers []classifier, size int, seed uint64) *sample {
	s := &sample{lossScale: 1, rows: m.Points}
	for k := range classifiers {
		s.draws = append(s.draws, draw{factors: classifiers[k].Alpha})
	}
	if size == 0 {
		return s
	}
	// The second word is "verify" in ASCII: the draws differ from the draws of other users of the
	// seed.
	random := rand.New(rand.NewPCG(seed, 0x796669726576))
	if size < m.Points {
		s.active = true
		// Floyd's algorithm draws without replacement in memory of the size of the sample. A
		// table of all points would trust the number of points, which the model merely claims.
		taken := make(map[int]bool, size)
		s.lossRows = make([]int, 0, size)
		for j := m.Points - size; j < m.Points; j++ {
			t := random.IntN(j + 1)
			if taken[t] {
				t = j
			}
			taken[t] = true
			s.lossRows = append(s.lossRows, t)
		}
		slices.Sort(s.lossRows)
		s.lossScale = float64(m.Points) / float64(size)
		s.rows = computed(m, len(classifiers), size)
	}
	for k := range s.draws {
		if d := &s.draws[k]; size < len(d.factors) {
			s.active = true
			d.factors, d.total = drawSupport(d.factors, size, random)
			d.drawn = size
		}
	}
	return s
}

// drawSupport draws size support vectors with replacement, with probability in proportion to
// |alpha|. It returns their factors and sum |alpha|.
func drawSupport(alpha []float64, size int, random *rand.Rand) ([]float64, float64) {
	upTo := make([]float64, len(alpha))
	total := 0.0
	for i, a := range alpha {
		total += math.Abs(a)
		upTo[i] = total
	}
	out := make([]float64, len(alpha))
	if total == 0 || !float.Finite(total) {
		return out, total
	}
	for range size {
		i, _ := slices.BinarySearch(upTo, random.Float64()*total)
		// Where several sums are equal, those after the first belong to alpha = 0. Should one of
		// these be found, it adds nothing.
		i = min(i, len(alpha)-1)
		if alpha[i] != 0 {
			out[i] += math.Copysign(total/float64(size), alpha[i])
		}
	}
	return out, total
}

// takes reports whether a row has a part in the losses. Rows have to be asked about once each, in
// order.
func (s *sample) takes(row int) bool {
	if s.lossRows == nil {
		return true
	}
	if len(s.lossRows) == 0 || s.lossRows[0] != row {
		return false
	}
	s.lossRows = s.lossRows[1:]
	return true
}

// lossError returns how far the loss of classifier c in the sample may be off: standard errors, and
// what a few rows may add that have a large loss and are not in the sample. For classes such a
// row is taken to cost one of loss 1 at the largest bound; for other tasks it costs the root mean
// square of the losses. Rows that are not used by the classifier have loss 0.
func (s *sample) lossError(c *classifier, t *totals) float64 {
	if s.lossRows == nil {
		return 0
	}
	l := &t.losses[0]
	n := float64(max(t.rows, 2))
	mean := l.sum.value() / n
	spread := max(0, l.squares-n*mean*mean) * n / (n - 1) * (1 - n/float64(c.Points))
	if !c.HasClasses() {
		return deviations*math.Sqrt(spread) + rareRows*math.Sqrt(l.squares/n)
	}
	return deviations*math.Sqrt(spread) + rareRows*s.lossScale*c.dearest
}

// standardError returns the standard error of V_m = v as an average over drawn support vectors,
// and 0 if all count. The energy is sum |alpha_s| g_m(x_s)^2 over those drawn, scaled like V_m.
func (d *draw) standardError(energy, v float64) float64 {
	if d.drawn == 0 {
		return 0
	}
	return math.Sqrt(max(0, d.total*energy-v*v) / float64(d.drawn))
}
