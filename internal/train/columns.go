package train

import (
	"math"

	"bigmkl/chunking"
	"bigmkl/internal/model"
)

// columnsSolution is a solution in columns of dual variables, one for each class, and f without
// biases on all points, variable by variable.
type columnsSolution struct {
	solution  chunking.Solution
	decisions []float64
	double    bool
}

// classifiers returns each column as a classifier of its class, without its certificate. n is the
// number of points, bias has a number for each column and energies has V_m of each,
// [column][kernel].
func (s *columnsSolution) classifiers(d *decomposition, n int, bias, energies []float64) []model.Classifier {
	classifiers := make([]model.Classifier, len(d.pairs))
	for c := range classifiers {
		a := &classifiers[c]
		a.Positive, a.Negative, a.Double = d.pairs[c][0], d.pairs[c][1], s.double
		a.Theta, a.Bias = s.solution.Theta, bias[c]
		for m, theta := range s.solution.Theta {
			v := max(energies[c*len(s.solution.Theta)+m], 0)
			a.WNorms = append(a.WNorms, theta*math.Sqrt(v))
		}
		for i, x := range s.solution.Alpha[c*n : (c+1)*n] {
			if x != 0 {
				a.Support, a.Alpha = append(a.Support, int32(i)), append(a.Alpha, x)
			}
		}
	}
	return classifiers
}

// columnsTrainer trains classifiers that are columns of one solution.
type columnsTrainer struct {
	*classifierTrainer
	d *decomposition
}
