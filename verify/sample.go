package verify

import (
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl/model"
)

// sample says which rows count and for how much.
type sample struct {
	active    bool
	inLoss    []int     // rows of the loss, ascending; nil: all
	lossScale float64   // factor of a row's loss
	norm      []float64 // per support vector: factor of g_m(x_s) in V_m; 0 = left out
	rows      int       // upper bound of the rows that are computed
	drawn     int       // support vectors for the norms; 0 = all
	total     float64   // sum |alpha|, if they were drawn
}

// newSample draws rows for the loss without replacement, and support vectors for the norms with probability proportional to
// |alpha|, which makes sum_s alpha_s g_m(x_s) an average of sign(alpha_s) g_m(x_s). Without need for a sample everything is
// taken as it is.
func newSample(m *model.Model, size int, seed uint64) *sample {
	s := &sample{lossScale: 1, norm: m.Alpha, rows: m.Points}
	if size == 0 {
		return s
	}
	random := rand.New(rand.NewPCG(seed, 0x796669726576)) // "verify", so that the seed's other users are not repeated
	if size < m.Points {
		s.active = true
		taken := make(map[int]bool, size) // as large as the sample: the number of points is just a claim of the model's
		s.inLoss = make([]int, 0, size)
		for j := m.Points - size; j < m.Points; j++ { // Floyd's algorithm
			t := random.IntN(j + 1)
			if taken[t] {
				t = j
			}
			taken[t] = true
			s.inLoss = append(s.inLoss, t)
		}
		slices.Sort(s.inLoss)
		s.lossScale = float64(m.Points) / float64(size)
		s.rows = min(m.Points, size+min(size, len(m.Support)))
	}
	if size < len(m.Support) {
		s.active = true
		s.norm, s.total = importance(m.Alpha, size, random)
		s.drawn = size
	}
	return s
}

// takes tells whether a row is in the loss. Rows are asked about once, in order.
func (s *sample) takes(row int) bool {
	if s.inLoss == nil {
		return true
	}
	if len(s.inLoss) == 0 || s.inLoss[0] != row {
		return false
	}
	s.inLoss = s.inLoss[1:]
	return true
}

// importance draws size support vectors with replacement. It returns their factors and sum |alpha|.
func importance(alpha []float64, size int, random *rand.Rand) ([]float64, float64) {
	upTo := make([]float64, len(alpha))
	total := 0.0
	for i, a := range alpha {
		total += math.Abs(a)
		upTo[i] = total
	}
	out := make([]float64, len(alpha))
	if total == 0 || !finite(total) {
		return out, total
	}
	for range size {
		i, _ := slices.BinarySearch(upTo, random.Float64()*total)
		// The search ends before a number that occurs twice, whose owner has alpha 0: no harm, its sign is 0 too.
		i = min(i, len(alpha)-1)
		if alpha[i] != 0 {
			out[i] += math.Copysign(total/float64(size), alpha[i])
		}
	}
	return out, total
}

// deviation is the standard error of V_m as an average over the support vectors that were drawn, 0 if all were. energy is
// sum |alpha_s| g_m(x_s)^2, scaled like V_m.
func (s *sample) deviation(energy, v float64) float64 {
	if s.drawn == 0 {
		return 0
	}
	return math.Sqrt(max(0, s.total*energy-v*v) / float64(s.drawn))
}

// rare is the number of rows whose loss a sample may have missed altogether.
const rare = 5

// lossError bounds by how far the loss of a sample is off: standard errors, and what a few rows can add that nobody saw.
func (s *sample) lossError(m *model.Model, t *totals) float64 {
	if s.inLoss == nil {
		return 0
	}
	n := float64(max(t.rows, 2))
	mean := t.loss.value() / n
	spread := max(0, t.squares-n*mean*mean) * n / (n - 1) * (1 - n/float64(m.Points))
	if !m.HasClasses() {
		return deviations*math.Sqrt(spread) + rare*math.Sqrt(t.squares/n)
	}
	return deviations*math.Sqrt(spread) + rare*s.lossScale*m.C*max(m.PositiveWeight, m.NegativeWeight)
}
