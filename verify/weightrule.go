package verify

import (
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// This file holds weights that a rule has made to the sums that the model has of the data. The
// rules are the rules of package train; this file checks whether weights are what a rule asks
// for, and not how they are found:
//
//	align                       w_m proportional to a_m / (A_mm y)^(1/2), where that is above 0
//	alignf, kandola, frobenius  the conditions of a program whose gradient is r_m = a_m - sum_h A_mh w_h:
//	                            r_m = c where w_m > 0, and r_m <= c elsewhere, with c = 0 after w is
//	                            scaled so that sum w_m r_m = 0, or any c for frobenius
//	fsm                         one kernel, of which no other has less
//	accuracy, correlation, mse  the formula
//
// The sums themselves are not made again: sums of folds would take the trainings, and sums of
// pairs M^2 numbers for each pair of rows.

// ruleSlack is how far weights may be from what their rule asks for, relative to the largest.
const ruleSlack = 1e-6

// checkWeightRule checks the weights against the rule.
func (p *judgement) checkWeightRule(f *faults) {
	r := p.m.WeightRule
	if r == nil {
		return
	}
	name, parameter, _ := strings.Cut(r.Text, ":")
	w, s, n := p.m.Weights, r.Sums, len(p.m.Weights)
	lengths := map[string]int{"align": 2*n + 1, "alignf": (n + 1) * (n + 1),
		"kandola": (n + 1) * (n + 1), "frobenius": (n + 1) * (n + 1), "fsm": 3 * n, "accuracy": n,
		"correlation": n, "mse": n}
	number, err := 0.0, error(nil)
	if name == "kandola" || name == "accuracy" {
		number, err = strconv.ParseFloat(parameter, 64)
	}
	if lengths[name] == 0 || lengths[name] != len(s) || err != nil {
		f.add("rule", "%d sums of %d kernels for the rule %s", len(s), n, fail.Quote(r.Text))
		return
	}
	var total neumaier
	for _, x := range w {
		total.add(x)
	}
	if !(math.Abs(total.value()-1) <= exact) {
		f.add("rule", "the weights of the rule %s sum to %.9g, not 1", name, total.value())
		return
	}
	switch name {
	case "alignf", "kandola", "frobenius":
		checkProgram(f, name, w, s, number)
	case "fsm":
		measure := func(m int) float64 {
			return (math.Sqrt(s[m]) + math.Sqrt(s[n+m])) / math.Sqrt(s[2*n+m])
		}
		for m, x := range w {
			for k := range w {
				if x > 0 && measure(k) < measure(m) {
					f.add("rule", "weight %d is %v, and kernel %d measures less by the rule fsm", m+1, x,
						k+1)
					return
				}
			}
		}
	default:
		checkShares(f, name, w, s, number)
	}
}

// checkShares checks weights that are proportional to figures.
func checkShares(f *faults, name string, w, s []float64, threshold float64) {
	n := len(w)
	share := make([]float64, n)
	var errors, total neumaier
	for _, e := range s {
		errors.add(e)
	}
	for m := range share {
		switch name {
		case "align":
			share[m] = s[m] / math.Sqrt(s[n+m]) / math.Sqrt(s[2*n])
			if !(s[n+m] > 0) {
				share[m] = 0
			}
		case "accuracy":
			share[m] = s[m] - threshold
		case "correlation":
			share[m] = s[m]
		case "mse":
			share[m] = errors.value() - s[m]
			if n == 1 {
				share[m] = 1
			}
		}
		share[m] = max(0, share[m])
		total.add(share[m])
	}
	for m, x := range w {
		if want := share[m] / total.value(); !(math.Abs(x-want) <= exact) {
			f.add("rule", "weight %d is %v, and the rule %s gives %v", m+1, x, name, want)
		}
	}
}

// checkProgram checks the conditions of a quadratic program, kernel by kernel in units in which its
// product with itself is 1.
func checkProgram(f *faults, name string, w, s []float64, ridge float64) {
	n, side := len(w), len(w)+1
	product := func(m, h int) float64 {
		if m == h {
			return s[m*side+h] + ridge
		}
		return s[m*side+h]
	}
	// a_m and sum_h A_mh w_h, and their sums over the weights.
	a, b := make([]float64, n), make([]float64, n)
	var linear, quadratic neumaier
	for m := range n {
		var sum neumaier
		for h, x := range w {
			sum.add(product(m, h) * x)
		}
		a[m], b[m] = s[m*side+n], sum.value()
		linear.add(w[m] * a[m])
		quadratic.add(w[m] * b[m])
	}
	// The scale of w is free except for frobenius: that for which sum_m w_m r_m = 0.
	scale, common := linear.value()/quadratic.value(), 0.0
	if name == "frobenius" {
		scale, common = 1, linear.value()-quadratic.value()
	}
	largest := 0.0
	for m := range n {
		if d := product(m, m); s[m*side+m] > 0 {
			largest = max(largest, math.Abs(a[m])/math.Sqrt(d), math.Abs(scale*b[m])/math.Sqrt(d))
		}
	}
	for m, x := range w {
		d := product(m, m)
		if !(s[m*side+m] > 0) {
			if x != 0 {
				f.add("rule", "weight %d is %v, of a kernel that vanishes", m+1, x)
			}
			continue
		}
		rest := (a[m] - scale*b[m] - common) / math.Sqrt(d)
		if rest > ruleSlack*largest || x > 0 && rest < -ruleSlack*largest {
			f.add("rule", "weight %d is %v, and the rule %s asks for a %s one", m+1, x, name,
				map[bool]string{true: "larger", false: "smaller"}[rest > 0])
			return
		}
	}
}
