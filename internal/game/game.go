// Package game solves matrix games. In a matrix of payoffs a_rc, the player of the columns mixes
// them so that the worst row costs least:
//
//	min over theta of max over r of sum_c theta_c a_rc
//	  = max over lambda of min over c of sum_r lambda_r a_rc,
//
// where theta and lambda are >= 0 with sums of 1. This is a linear program and its dual. It is the
// linear program of cutting planes whose variables are kernel weights: a row is a cut, and a column
// is a kernel (Sonnenburg, Raetsch, Schaefer and Schoelkopf 2006).
//
// The method is the simplex algorithm on payoffs scaled into [1, 2], for which max sum y subject to
// A y <= 1 has a vertex to start from. Its final basis is then solved once more with the original
// payoffs. The algorithm takes some pivots a row, each as long as reading the matrix, of which it
// keeps one copy. Calls share nothing.
package game

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Solution is a pair of mixtures. Low and High are computed from the mixtures: no mixture of
// columns costs less than Low, and Columns costs High, whatever the rounding.
type Solution struct {
	Rows, Columns []float64
	Low, High     float64
}

const (
	// settled is the size below which a reduced cost counts as zero, for payoffs in [1, 2].
	settled = 1e-13
	// least is the size below which a pivot counts as zero.
	least = 1e-11
	// patience is the number of pivots without gain after which the rule that cannot cycle takes
	// over.
	patience = 20
	// mostTurns bounds the number of pivots for each row and column.
	mostTurns = 60
)

// Solve returns optimal mixtures for a row-major matrix of rows x columns payoffs, which must be
// finite.
func Solve(payoffs []float64, rows, columns int) *Solution {
	t := newTableau(payoffs, rows, columns)
	t.optimize()
	raw := t.mixtures()
	raw.bound(payoffs)
	if fine := t.polish(payoffs, raw); fine != nil {
		if fine.bound(payoffs); fine.High-fine.Low <= raw.High-raw.Low {
			return fine
		}
	}
	return raw
}

// bound computes the values of the mixtures.
func (s *Solution) bound(payoffs []float64) {
	columns := len(s.Columns)
	s.High, s.Low = math.Inf(-1), math.Inf(1)
	mixed := make([]float64, columns)
	for r, lambda := range s.Rows {
		cost, row := 0.0, payoffs[r*columns:(r+1)*columns]
		for c, theta := range s.Columns {
			cost += theta * row[c]
		}
		s.High = max(s.High, cost)
		if lambda == 0 {
			continue
		}
		for c, x := range row {
			mixed[c] += lambda * x
		}
	}
	s.Low = min(slices.Min(mixed), s.High)
}

// tableau is the condensed tableau of max sum y, A y <= 1, y >= 0. It has a row for each basic
// variable, whose value comes last, and a last row of reduced costs. Variables are numbered with
// the columns first and then the slacks of the rows.
type tableau struct {
	rows, columns int
	x             []float64 // x has (rows + 1) x (columns + 1) entries.
	basic, other  []int     // basic is the variable of each row, and other that of each column.
}

func newTableau(payoffs []float64, rows, columns int) *tableau {
	t := &tableau{rows: rows, columns: columns, x: make([]float64, (rows+1)*(columns+1))}
	low, high := slices.Min(payoffs), slices.Max(payoffs)
	scale := 0.0
	if high > low {
		scale = 1 / (high - low)
	}
	for r := range rows {
		row := t.row(r)
		for c := range columns {
			row[c] = 1 + (payoffs[r*columns+c]-low)*scale
		}
		row[columns] = 1
		t.basic = append(t.basic, columns+r)
	}
	for c := range columns {
		t.row(rows)[c] = -1
		t.other = append(t.other, c)
	}
	return t
}

func (t *tableau) row(r int) []float64 { return t.x[r*(t.columns+1) : (r+1)*(t.columns+1)] }

// optimize pivots until no reduced cost is below zero. The steepest column enters. After several
// pivots without gain Bland's rule, which cannot cycle, takes over until a pivot gains something.
func (t *tableau) optimize() {
	idle, value := 0, 0.0
	for range mostTurns * (t.rows + t.columns) {
		c := t.entering(idle >= patience)
		if c < 0 {
			return
		}
		r := t.leaving(c)
		if r < 0 {
			return // Only rounding leads here, as all payoffs are at least 1.
		}
		t.pivot(r, c)
		if now := t.row(t.rows)[t.columns]; now > value*(1+settled) {
			idle, value = 0, now
		} else {
			idle++
		}
	}
}

func (t *tableau) entering(bland bool) int {
	best, at := -settled, -1
	for c, x := range t.row(t.rows)[:t.columns] {
		switch {
		case x >= -settled:
		case bland:
			if at < 0 || t.other[c] < t.other[at] {
				at = c
			}
		case x < best:
			best, at = x, c
		}
	}
	return at
}

// leaving returns the row that limits column c first. Among several it takes the one with the
// lowest variable.
func (t *tableau) leaving(c int) int {
	at, best := -1, math.Inf(1)
	for r := range t.rows {
		row := t.row(r)
		if row[c] <= least {
			continue
		}
		ratio := max(row[t.columns], 0) / row[c]
		if at < 0 || ratio < best || ratio == best && t.basic[r] < t.basic[at] {
			at, best = r, ratio
		}
	}
	return at
}

// pivot exchanges the variables of row r and column c.
func (t *tableau) pivot(r, c int) {
	own := t.row(r)
	inverse := 1 / own[c]
	own[c] = 1
	for j := range own {
		own[j] *= inverse
	}
	for i := range t.rows + 1 {
		row := t.row(i)
		factor := row[c]
		if i == r || factor == 0 {
			continue
		}
		row[c] = 0
		for j, x := range own {
			row[j] -= factor * x
		}
	}
	t.basic[r], t.other[c] = t.other[c], t.basic[r]
}

// mixtures returns the solutions of the linear program and of its dual, each divided by its sum.
func (t *tableau) mixtures() *Solution {
	s := &Solution{Rows: make([]float64, t.rows), Columns: make([]float64, t.columns)}
	for r, v := range t.basic {
		if v < t.columns {
			s.Columns[v] = t.row(r)[t.columns]
		}
	}
	for c, v := range t.other {
		if v >= t.columns {
			s.Rows[v-t.columns] = t.row(t.rows)[c]
		}
	}
	unit(s.Rows)
	unit(s.Columns)
	return s
}

// unit scales numbers to a sum of 1. Numbers below 0 come from rounding and become 0.
func unit(x []float64) {
	sum := 0.0
	for i, v := range x {
		x[i] = max(v, 0)
		sum += x[i]
	}
	if sum == 0 {
		x[0], sum = 1, 1
	}
	for i := range x {
		x[i] /= sum
	}
}

// polish solves for the mixtures of the last basis with the original payoffs, less the value. The
// rounding of the pivots is thus replaced by that of one small system, in which the mixture of
// columns costs the same in every row that is used, and the other way round. It returns nil if that
// system is singular.
func (t *tableau) polish(payoffs []float64, raw *Solution) *Solution {
	var rows, columns []int
	for _, v := range t.basic {
		if v < t.columns {
			columns = append(columns, v)
		}
	}
	for _, v := range t.other {
		if v >= t.columns {
			rows = append(rows, v-t.columns)
		}
	}
	k := len(rows)
	if k == 0 || k != len(columns) {
		return nil
	}
	system, right := mat.NewDense(k+1, k+1, nil), mat.NewVecDense(k+1, nil)
	for i, r := range rows {
		for j, c := range columns {
			system.Set(i, j, payoffs[r*t.columns+c]-raw.High)
		}
		system.Set(i, k, -1)
		system.Set(k, i, 1)
	}
	right.SetVec(k, 1)
	s := &Solution{Rows: make([]float64, t.rows), Columns: make([]float64, t.columns)}
	var lu mat.LU
	lu.Factorize(system)
	solve := func(transposed bool, into []float64, at []int, sign float64) bool {
		var x mat.VecDense
		if err := lu.SolveVecTo(&x, transposed, right); err != nil {
			if _, only := err.(mat.Condition); !only || math.IsInf(lu.Cond(), 1) {
				return false
			}
		}
		for i, p := range at {
			into[p] = sign * x.AtVec(i)
		}
		return true
	}
	if !solve(false, s.Columns, columns, 1) {
		return nil
	}
	// This is the transposed system: sum_r a_rc lambda_r + v = 0 for every column, and - sum lambda
	// = 1.
	if !solve(true, s.Rows, rows, -1) {
		return nil
	}
	unit(s.Rows)
	unit(s.Columns)
	return s
}
