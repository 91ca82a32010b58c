package train

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// Some weights of kernels come from a rule and not from the training of a classifier. With the
// kernel yy' of the labels, products <K, L> = sum_ij K_ij L_ij, and weights w >= 0 that sum to 1 in
// the end (Goenen 2010, sections 2.2.1.3 and 2.3):
//
//	align        w_m proportional to <K_m, yy'> / (<K_m, K_m> <yy', yy'>)^(1/2)         (2.7)
//	alignf       max over w of the alignment of sum_m w_m K_m with yy', all centred     (2.6)
//	kandola:L    max sum_m w_m <K_m, yy'> - sum_mh w_m w_h <K_m, K_h> - L sum_m w_m^2
//	frobenius    min of the distance of sum_m w_m K_m from yy' over weights of sum 1    (2.8)
//	fsm          min (s_+ + s_-) / |m_+ - m_-|, standard deviations and centres of the classes
//	accuracy:T   w_m proportional to what the accuracy of K_m alone is above T
//	correlation  w_m proportional to the correlation of what K_m alone predicts with the targets
//	mse          w_m = (sum_h e_h - e_m) / ((M - 1) sum_h e_h) for mean squared errors e_m
//
// alignf is centred as in Cortes, Mohri and Rostamizadeh 2012, the others are not. The last three
// look at rows that were held out. A weight that would be below 0 is 0.
//
// The squares s_+^2, s_-^2 and |m_+ - m_-|^2 are sums over the kernels, weighted by w. With u and v
// for the quotients of the first two by the third, the measure is u^(1/2) + v^(1/2), concave in (u, v),
// which lies in the convex hull of the points of the single kernels. So fsm is least for one
// kernel alone, and chooses that.

// WeightRule is a rule for weights of kernels.
type WeightRule struct {
	// Name is one of weightRules.
	Name string
	// Parameter is L of kandola and T of accuracy, and 0 for others.
	Parameter float64
}

// weightRules lists the names of rules; those of heldOutRules look at rows that were held out.
var (
	weightRules = []string{"align", "alignf", "kandola", "frobenius", "fsm", "accuracy",
		"correlation", "mse"}
	heldOutRules = weightRules[5:]
)

// ParseWeightRule parses NAME, or NAME:PARAMETER for the rules that have one. Faults are of class
// fail.Usage.
func ParseWeightRule(text string) (*WeightRule, error) {
	name, parameter, given := strings.Cut(text, ":")
	r := &WeightRule{Name: name}
	if !slices.Contains(weightRules, name) {
		return nil, fail.New(fail.Usage, "there is no rule %s for weights", fail.Quote(text)).
			WithHint("there are align, alignf, kandola:L, frobenius and fsm, accuracy:T, correlation and mse")
	}
	if needs := name == "kandola" || name == "accuracy"; needs != given {
		return nil, fail.New(fail.Usage, "the rule %s with the wrong number of parameters",
			fail.Quote(text)).WithHint("kandola:L and accuracy:T have one, the others none")
	}
	if !given {
		return r, nil
	}
	var err error
	r.Parameter, err = strconv.ParseFloat(parameter, 64)
	most := math.MaxFloat64
	if name == "accuracy" {
		most = 1
	}
	if err != nil || !(r.Parameter >= 0 && r.Parameter <= most) || strings.Trim(parameter, "0123456789.eE+-") != "" {
		return nil, fail.New(fail.Usage, "the parameter of the rule %s is no number from 0 on, "+
			"for accuracy up to 1", fail.Quote(text))
	}
	return r, nil
}

// String returns the text that ParseWeightRule takes.
func (r *WeightRule) String() string {
	if r.Name == "kandola" || r.Name == "accuracy" {
		return r.Name + ":" + strconv.FormatFloat(r.Parameter, 'g', -1, 64)
	}
	return r.Name
}

// HoldsOut reports whether the rule looks at rows that were held out of trainings.
func (r *WeightRule) HoldsOut() bool { return slices.Contains(heldOutRules, r.Name) }

// Centred reports whether the products that the rule takes are of centred matrices.
func (r *WeightRule) Centred() bool { return r.Name == "alignf" }

// Weigh returns the weights of so many kernels from the sums of the rule, whose length identifies
// them:
//
//	align                       <K_m, yy'>, then <K_m, K_m>, then <yy', yy'>
//	alignf, kandola, frobenius  the products of all pairs of K_1 .. K_M and yy', row by row
//	fsm                         s_+^2, then s_-^2, then |m_+ - m_-|^2 of each kernel
//	others                      the figure of each kernel
//
// Weights that all vanish are of class fail.Input.
func (r *WeightRule) Weigh(kernels int, sums []float64) ([]float64, error) {
	w := make([]float64, kernels)
	switch r.Name {
	case "align":
		for m := range w {
			if a, k, y := sums[m], sums[kernels+m], sums[2*kernels]; k > 0 && y > 0 {
				w[m] = a / (math.Sqrt(k) * math.Sqrt(y))
			}
		}
	case "alignf":
		w = quadraticWeights(kernels, sums, 0)
	case "kandola":
		w = quadraticWeights(kernels, sums, r.Parameter)
	case "frobenius":
		w = simplexWeights(kernels, sums)
	case "fsm":
		least, best := math.Inf(1), -1
		for m := range w {
			f := (math.Sqrt(sums[m]) + math.Sqrt(sums[kernels+m])) / math.Sqrt(sums[2*kernels+m])
			if f < least {
				least, best = f, m
			}
		}
		if best >= 0 {
			w[best] = 1
		}
	case "accuracy":
		for m, a := range sums {
			w[m] = a - r.Parameter
		}
	case "correlation":
		copy(w, sums)
	case "mse":
		all := 0.0
		for _, e := range sums {
			all += e
		}
		for m, e := range sums {
			w[m] = all - e
		}
		if kernels == 1 {
			w[0] = 1
		}
	}
	total := 0.0
	for m, x := range w {
		if !(x > 0) { // This covers NaN too.
			w[m] = 0
		}
		total += w[m]
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return nil, fail.New(fail.Input, "the rule %s gives no kernel a weight above 0", r)
	}
	for m := range w {
		w[m] /= total
	}
	return w, nil
}
