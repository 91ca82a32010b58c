package letters

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/libsvm"
)

// addProbability adds the probabilities of models without classes.
// Models with classes have sigmoids, which the training itself adds.
func addProbability(ctx context.Context, t *trainer, s *solution) error {
	switch {
	case !t.options.probability || s.model.HasClasses():
		return nil
	case s.model.IsRegression():
		return addLaplace(ctx, t, s)
	}
	return addMarks(ctx, t, s)
}

// addLaplace adds the scale of a Laplace distribution of the errors of a regression (Lin and Weng
// 2004). The scale is the mean absolute error in cross-validation, without errors of more than five
// standard deviations.
func addLaplace(ctx context.Context, t *trainer, s *solution) error {
	// Residuals of training rows would be too small, so each row is predicted without its fold.
	predictions, _, err := t.crossValidate(ctx, probabilityFolds, newRandom())
	if err != nil {
		return err
	}
	// m.ab is the sum of the absolute errors.
	m := moments{}
	for i, v := range predictions {
		m.add(v, t.problem.target[i])
	}
	// The standard deviation of a Laplace distribution is the square root of 2 times its scale.
	most := 5 * math.Sqrt2 * m.ab / float64(m.rows)
	// The second mean leaves outliers out, which a Laplace distribution does not describe.
	near := moments{}
	for i, v := range predictions {
		if math.Abs(v-t.problem.target[i]) <= most {
			near.add(v, t.problem.target[i])
		}
	}
	s.model.ProbA = []float64{near.ab / float64(near.rows)}
	return nil
}

// addMarks adds the ten marks of a model of one class (Que and Lin 2022). Limits divide the negative
// decision values of the training rows into five parts with equally many rows, and the other values
// likewise. A mark is the middle between two neighbouring limits.
func addMarks(ctx context.Context, t *trainer, s *solution) error {
	p, err := newPredictor(s.model)
	if err != nil {
		return err
	}
	// values are the decision values of the training rows, which the limits divide.
	var values []float64
	if err := p.decide(ctx, t.problem.asked(t.problem.all()), t.predictOptions(),
		func(_ float64, f []float64) error {
			values = append(values, f[0])
			return nil
		}); err != nil {
		return err
	}
	slices.Sort(values)
	const half = 5
	// negative is the number of values below 0, which are the outliers.
	negative, _ := slices.BinarySearch(values, 0)
	positive := len(values) - negative
	if negative < half || positive < half {
		t.process.Warn("warning: fewer than %d rows are inside, or outside: too few for probabilities", half)
		return nil
	}
	// Eleven limits have ten intervals between them, five on each side of 0.
	var limits [2*half + 1]float64
	for k := range half {
		limits[k] = values[k*negative/half]
		limits[half+1+k] = values[negative-1+(k+1)*positive/half]
	}
	s.model.Marks = make([]float64, 2*half)
	for k := range s.model.Marks {
		s.model.Marks[k] = (limits[k] + limits[k+1]) / 2
	}
	return nil
}

// laplaceText is the text of svm-train and svm-predict on the probabilities of a regression.
func laplaceText(h *libsvm.Head) string {
	return "Prob. model for test data: target value = predicted value + z,\n" +
		"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=" + short(h.ProbA[0]) + "\n"
}
