package mixture

import "math"

// After q has changed, the sums of w_c vanish no more. The totals l_t stay, and with them the sums S_c that the
// components of a class need of the rows of the other: S_c = sum of l_t q_tc over its own rows. Factors r_c > 0 of
// the shares Q_tc, with each row scaled back to its total, make these sums what they have to be and stay near the
// shares that there were; they are found by proportional fitting (Deming and Stephan 1940).

const (
	fittingSteps = 300
	fittedTo     = 1e-13 // of a sum, which is then as right as its rounding
	mixedIn      = 1e-3  // share of what all rows have that each gets, so no component is out of reach
)

// keepTotals makes l feasible for a q that has changed.
func (s *state) keepTotals() {
	for _, class := range []bool{true, false} {
		if !s.fitShares(class) {
			s.shareEvenly(class)
		}
	}
}

// needed returns S_c of the components of a class, and their sum.
func (s *state) needed(class bool) (sums []float64, all float64) {
	sums = make([]float64, s.width())
	for t, positive := range s.Positive {
		if positive != class {
			continue
		}
		total := s.total(t)
		all += total
		for j, q := range s.ownOf(t) {
			sums[j] += total * q
		}
	}
	return sums, all
}

// shareEvenly gives all rows of the other class the same shares of the components of a class.
func (s *state) shareEvenly(class bool) {
	sums, all := s.needed(class)
	for t, positive := range s.Positive {
		if positive == class {
			continue
		}
		total, l := s.total(t), s.otherOf(t)
		for j := range l {
			l[j] = 0
			if all > 0 {
				l[j] = total * sums[j] / all
			}
		}
	}
}

// fitShares fits the shares of the components of a class on the rows of the other. It reports whether that came to
// its end; if not, the shares must not be used.
func (s *state) fitShares(class bool) bool {
	sums, all := s.needed(class)
	if !(all > 0) {
		return false
	}
	var totals []float64
	var rows [][]float64
	for t, positive := range s.Positive {
		total := s.total(t)
		if positive == class || total == 0 {
			continue
		}
		l := s.otherOf(t)
		for j := range l {
			l[j] = (1-mixedIn)*l[j] + mixedIn*total*sums[j]/all
		}
		totals, rows = append(totals, total), append(rows, l)
	}
	for range fittingSteps {
		now, off := make([]float64, len(sums)), 0.0
		for _, l := range rows {
			for j, x := range l {
				now[j] += x
			}
		}
		for j, x := range now {
			off = max(off, math.Abs(x-sums[j]))
			if now[j] = 0; x > 0 {
				now[j] = sums[j] / x
			}
		}
		if off <= fittedTo*all {
			return true
		}
		for i, l := range rows {
			total := 0.0
			for j, r := range now[:len(l)] {
				l[j] *= r
				total += l[j]
			}
			if !(total > 0) {
				return false
			}
			for j := range l {
				l[j] *= totals[i] / total
			}
		}
	}
	return false
}
