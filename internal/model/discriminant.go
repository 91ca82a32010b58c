package model

import (
	"math"
)

// These are the rules by which TaskRKDA chooses a class from the scores of all classes.
const (
	// RuleMeans chooses the class whose training rows have the mean scores that are nearest, as
	// points of a score for each class. Of two classes the midpoint of the means decides.
	RuleMeans = "means"
	// RuleIndicator chooses the class c with the largest f_c (n_c/n)^(1/2) + n_c/n, which
	// approximates 1 on class c and 0 elsewhere.
	RuleIndicator = "indicator"
)

// DiscriminantRules lists them.
var DiscriminantRules = []string{RuleMeans, RuleIndicator}

// MostColumns is the largest number of classes of TaskRKDA, of which every two have a class mean, and
// of SingleClassifier, of which every two have an entry in the curvature of its biases.
const MostColumns = 1024

// Discriminant is what a model of TaskRKDA has beside its classifiers: one for each class, with one
// set of weights. The classifier of class c has the dual variables alpha_c and the bias b_c of the
// squared loss with the targets
//
//	h_ic = (n/n_c)^(1/2) - (n_c/n)^(1/2) on the rows of class c, -(n_c/n)^(1/2) elsewhere.
type Discriminant struct {
	// Lambda is the ridge parameter. The cost C of the squared loss is 1/(n Lambda). If it was found
	// along with the weights, it is the CostWeight of the model, theta_0 in [0, 1]: with the other weights
	// brought to a sum of 1 the ridge is theta_0 / (n (1 - theta_0)).
	Lambda float64 `json:"lambda"`
	// Criterion is 2 Lambda D / (k-1) of the dual value D and k classes, and 2 D / (n (k-1)) if Lambda
	// was found. It is in (0, 1] at the optimum.
	Criterion float64 `json:"criterion"`
	// Rule is one of DiscriminantRules.
	Rule string `json:"rule"`
	// Rows is the number n_c of training rows of each class.
	Rows []int `json:"rows"`
	// Means has the mean score of every class j over the training rows of every class c, at c k + j.
	Means []float64 `json:"-"`
}

// CriterionOf returns the criterion of a dual value for the rows of each class. found means that
// lambda was found along with the weights.
func (d *Discriminant) CriterionOf(dual float64, found bool) float64 {
	scale, n := d.Lambda, 0
	for _, rows := range d.Rows {
		n += rows
	}
	if found {
		scale = 1 / float64(n)
	}
	return 2 * scale * dual / float64(len(d.Rows)-1)
}

// Choose returns the class that the rule chooses for the scores of a row. Of equal ones it is the
// first.
func (d *Discriminant) Choose(scores []float64) int {
	best, most, n := 0, math.Inf(-1), 0.0
	for _, rows := range d.Rows {
		n += float64(rows)
	}
	for c := range scores {
		worth := 0.0
		if d.Rule == RuleIndicator {
			share := float64(d.Rows[c]) / n
			worth = scores[c]*math.Sqrt(share) + share
		} else {
			for j, f := range scores {
				off := f - d.Means[c*len(scores)+j]
				worth -= off * off
			}
		}
		if worth > most {
			best, most = c, worth
		}
	}
	return best
}

// scalars returns the numbers that are in the settings.
func (d *Discriminant) scalars() *Discriminant {
	if d == nil {
		return nil
	}
	r := *d
	r.Means = nil
	return &r
}
