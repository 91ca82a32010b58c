package model

import (
	"math"
	"strconv"

	"bigmkl/internal/fail"
)

// Decomposition states how a problem of several classes or labels is divided among classifiers.
type Decomposition struct {
	// Multiclass is one of Multiclasses, or Quantiles. It is "" for a model of one classifier, for
	// which the other fields are empty.
	Multiclass string
	// Taus lists the quantiles of a model of several, ascending: it has a regressor for each, and no
	// classes. It is nil for other models.
	Taus []float64
	// Classes lists the class names in order.
	Classes []string
	// ClassWeights multiply C for the rows of each class. If it is nil, all are 1.
	ClassWeights []float64
	Classifiers  []Classifier
	// OneTheta is true if all classifiers have the same weights. Certificate is then that of all
	// classifiers together.
	OneTheta bool
}

// Classifier is one of several two-class classifiers that share data, kernels and support vectors, or
// the regressor of one of several quantiles.
type Classifier struct {
	// Positive and Negative are indices into Model.Classes. Negative may be Rest. The regressor of
	// Taus[k] has k and Rest.
	Positive, Negative int32
	// Double has the meaning of Model.Double.
	Double        bool
	Theta, WNorms []float64
	Bias          float64
	// Support lists indices into Model.Support, ascending.
	Support     []int32
	Alpha       []float64
	Certificate Certificate
}

// Several reports whether the model has several classifiers. Its own weights, bias and dual
// variables are then empty.
func (d *Decomposition) Several() bool { return d.Multiclass != "" }

// kernels returns the number of kernels of each of several classifiers.
func (d *Decomposition) kernels() int {
	if len(d.Classifiers) == 0 {
		return 0
	}
	return len(d.Classifiers[0].Theta)
}

// Shared returns the common weights of classifiers with OneTheta, one for each kernel. A classifier
// itself has no weight for a kernel whose function vanishes.
func (d *Decomposition) Shared() []float64 {
	theta := make([]float64, d.kernels())
	for i := range d.Classifiers {
		for k, x := range d.Classifiers[i].Theta {
			theta[k] = max(theta[k], x)
		}
	}
	return theta
}

// SharedNorms returns the norm ||w_m|| of each kernel over all classifiers, which is the square root
// of the sum of squares.
func (d *Decomposition) SharedNorms() []float64 {
	w := make([]float64, d.kernels())
	for i := range d.Classifiers {
		for k, x := range d.Classifiers[i].WNorms {
			w[k] = math.Hypot(w[k], x)
		}
	}
	return w
}

// Noun names what the model has several of.
func (d *Decomposition) Noun() string {
	if d.Multiclass == Quantiles {
		return "regressor"
	}
	return "classifier"
}

// parts returns the number of classes or of quantiles.
func (d *Decomposition) parts() int { return max(len(d.Classes), len(d.Taus)) }

// nameOf returns the name of a class, or a quantile as text.
func (d *Decomposition) nameOf(part int32) string {
	if d.Multiclass == Quantiles {
		return strconv.FormatFloat(d.Taus[part], 'g', -1, 64)
	}
	return d.Classes[part]
}

// Name returns the names of the classes that classifier k separates, or the quantile of regressor k.
func (d *Decomposition) Name(k int) string {
	a := &d.Classifiers[k]
	if a.Negative == Rest {
		return d.nameOf(a.Positive)
	}
	return d.Classes[a.Positive] + " and " + d.Classes[a.Negative]
}

// ShortName returns the name of classifier k, cut to the length that messages and tables show.
func (d *Decomposition) ShortName(k int) string {
	a := &d.Classifiers[k]
	if a.Negative == Rest {
		return fail.Label(d.nameOf(a.Positive))
	}
	return fail.Label(d.Classes[a.Positive]) + " and " + fail.Label(d.Classes[a.Negative])
}

// negativeName returns the name of what a classifier separates its positive class from.
func (d *Decomposition) negativeName(a *Classifier) string {
	if a.Negative == Rest {
		return "rest"
	}
	return d.Classes[a.Negative]
}

func (d *Decomposition) classWeight(class int32) float64 {
	if d.ClassWeights == nil {
		return 1
	}
	return d.ClassWeights[class]
}
