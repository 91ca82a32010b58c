package verify

import "math"

// moments are the mean and the mean square around it of each gating feature over the rows.
type moments struct {
	rows         float64
	mean, square []float64
}

// addRow adds the gating features of a row, by Welford's recurrence. No moments take none.
func (m *moments) addRow(z []float64) {
	m.rows++
	for j, v := range z {
		off := v - m.mean[j]
		m.mean[j] += off / m.rows
		m.square[j] += (off*(v-m.mean[j]) - m.square[j]) / m.rows
	}
}

// checkMoments compares the mean and the deviation of the gating features with the moments of the
// data. Both are sums over all rows, so they agree up to rounding.
func (g *gates) checkMoments(m *moments, f *faults) {
	for j, mean := range m.mean {
		deviation := math.Sqrt(m.square[j])
		size := math.Abs(mean) + deviation
		if !(math.Abs(g.Mean[j]-mean) <= momentSlack*size) {
			f.add("moments", "the gates take %v for the mean of feature %d, the data have %v",
				g.Mean[j], j+1, mean)
		}
		// A feature that does not vary is divided by 1.
		constant := deviation <= momentSlack*size && g.Deviation[j] == 1
		if !constant && !(math.Abs(g.Deviation[j]-deviation) <= momentSlack*size) {
			f.add("moments", "the gates take %v for the deviation of feature %d, the data have %v",
				g.Deviation[j], j+1, deviation)
		}
	}
}

// momentSlack is what rounding may do to a mean or a deviation, relative to the size of both.
const momentSlack = 1e-6
