package mixture

import "math"

// shares are the dual variables l_tc of the rows, over the components of the other class: l_t is their sum and
// Q_tc = l_tc / l_t. They are feasible where l_tc >= 0, l_t <= C_t and the sums of w_c vanish.
type shares struct {
	*Problem
	all []float64 // [row][place among other], rows of width() numbers
}

func newShares(p *Problem) *shares { return &shares{p, make([]float64, p.rows()*p.width())} }

// of returns l of row t.
func (l *shares) of(t int) []float64 {
	from, to := l.other(t)
	return l.all[t*l.width():][:to-from]
}

// total is l_t.
func (l *shares) total(t int) float64 { return sum(l.of(t)) }

// trimmed is the share of its bound by which a total exceeds it before the row is scaled back. Steps keep totals of rows
// at their bounds as far as rounding, which adds up over many steps.
const trimmed = 1e-13

// trim scales rows whose totals exceed their bounds by rounding back to these. The sums of w_c change by as little.
func (l *shares) trim() {
	for t, cost := range l.Cost {
		total := l.total(t)
		if !(total > cost*(1+trimmed)) {
			continue
		}
		row := l.of(t)
		for j := range row {
			row[j] *= cost / total
		}
	}
}

// After q has changed, the sums of w_c vanish no more. The totals l_t stay, and with them the sums S_c that the
// components of a class need of the rows of the other: S_c = sum of l_t q_tc over its own rows. Factors r_c > 0 of
// the shares Q_tc, with each row scaled back to its total, make these sums what they have to be and stay near the
// shares that there were; they are found by proportional fitting (Deming and Stephan 1940).

const (
	fittingSteps = 300
	fittedTo     = 1e-13 // of a sum, which is then as right as its rounding
	fittedSmall  = 1e-12 // of the sum of one component, for the same
	mixedIn      = 1e-3  // share of what all rows have that each gets, so no component is out of reach
)

// keepTotals makes l feasible for a q that has changed.
func (l *shares) keepTotals(q *responsibilities) {
	for _, class := range []bool{true, false} {
		sums, all := l.needed(q, class)
		if !l.fit(class, sums, all) {
			l.even(class, sums, all)
		}
	}
}

// needed returns S_c of the components of a class, and their sum.
func (l *shares) needed(q *responsibilities, class bool) (sums []float64, all float64) {
	sums = make([]float64, l.width())
	for t, positive := range l.Positive {
		if positive != class {
			continue
		}
		total := l.total(t)
		all += total
		for j, share := range q.of(t) {
			sums[j] += total * share
		}
	}
	return sums, all
}

// even gives all rows of the other class the same shares of the components of a class, which need sums.
func (l *shares) even(class bool, sums []float64, all float64) {
	for t, positive := range l.Positive {
		if positive == class {
			continue
		}
		// The same shares for all rows satisfy both kinds of sums at once, since the sums add up to
		// all. They forget where each row was, so they are the last resort.
		total, row := l.total(t), l.of(t)
		for j := range row {
			row[j] = 0
			if all > 0 {
				row[j] = total * sums[j] / all
			}
		}
	}
}

// fit fits the shares of the components of a class, which need sums, on the rows of the other. It reports whether
// that came to its end; if not, only the totals of the rows are right.
func (l *shares) fit(class bool, sums []float64, all float64) bool {
	if !(all > 0) {
		return false
	}
	var totals []float64
	var rows [][]float64
	for t, positive := range l.Positive {
		total := l.total(t)
		if positive == class || total == 0 {
			continue
		}
		row := l.of(t)
		for j := range row {
			// Proportional fitting multiplies alone, so a share of 0 would stay 0 for ever, and a
			// component that needs a sum from such rows could not get it.
			row[j] = (1-mixedIn)*row[j] + mixedIn*total*sums[j]/all
		}
		totals, rows = append(totals, total), append(rows, row)
	}
	for range fittingSteps {
		now, off := make([]float64, len(sums)), 0.0
		for _, row := range rows {
			for j, x := range row {
				now[j] += x
			}
		}
		for j, x := range now {
			off = max(off, math.Abs(x-sums[j]))
			// now becomes the factor r_c of each component. A component without any share keeps the
			// factor 0.
			if now[j] = 0; x > 0 {
				now[j] = sums[j] / x
			}
		}
		if off <= fittedTo*all {
			fitSmall(rows, now)
			return true
		}
		// Each round sets the sums of the components right and then the totals of the rows, which
		// disturbs the former by less every time.
		for i, row := range rows {
			total := 0.0
			for j, r := range now[:len(row)] {
				row[j] *= r
				total += row[j]
			}
			if !(total > 0) {
				return false
			}
			for j := range row {
				row[j] *= totals[i] / total
			}
		}
	}
	return false
}

// fitSmall multiplies the shares of small components by their factors. A small component can be off by much of its own sum where
// that is little of all sums. The totals of rows change by as little.
func fitSmall(rows [][]float64, factors []float64) {
	for j, r := range factors {
		if r == 0 || math.Abs(r-1) <= fittedSmall {
			continue
		}
		for _, row := range rows {
			row[j] *= r
		}
	}
}
