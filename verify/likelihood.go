package verify

import "math"

// leastCount is what a component is taken to have of the rows at least.
const leastCount = 1e-290

// checkMeans checks that w and e of a model of task mixture are computed from the means of its
// responsibilities. Its support vectors are all rows, and |alpha| is how often a row counts.
func (w mixtureWing) checkMeans(p *judgement, f *faults) {
	m, x, list := p.m, w.mixture, p.findings
	counts := make([]neumaier, x.Len())
	var totals [2]neumaier
	side := map[bool]int{true: 0, false: 1}
	for s, a := range m.Alpha {
		from, to := x.Own(a > 0)
		for j, q := range x.Responsibilities[int(m.Support[s])*x.Width():][:to-from] {
			counts[from+j].add(math.Abs(a) * q)
		}
		totals[side[a > 0]].add(math.Abs(a))
	}
	for c := range x.Len() {
		count := counts[c].value()
		for s, a := range m.Alpha {
			want := 0.0
			if from, to := x.Own(a > 0); c >= from && c < to {
				want = math.Abs(a) * x.Responsibilities[int(m.Support[s])*x.Width()+c-from] / max(count, leastCount)
			}
			if v := x.Weights[c*len(m.Alpha)+s]; !(math.Abs(v-want) <= ofWeights*want) {
				f.add("weights", "row %d: w of component %d is %.12g, the mean of its responsibilities gives %.12g",
					int(m.Support[s])+1, c+1, v, want)
			}
		}
		// The energy of a component is half of w_c'K_c w_c.
		parts := &list[c].parts
		share := math.Log(max(count, leastCount)) - math.Log(totals[side[c < len(x.Components[0])]].value())
		around, slack := parts.around(parts.energy), conceded*(1+math.Abs(share)+math.Abs(parts.energy))
		if e := x.Multipliers[c]; !(e >= share-around.high-slack && e <= share-around.low+slack) {
			f.add("multiplier", "the constant of component %d is %.9g, its share and mean give %.9g", c+1, e,
				share-parts.energy)
		}
	}
}
