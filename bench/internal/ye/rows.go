package ye

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/discriminant"
)

// discriminantBank has the ten widths exp(-d^2 / sigma) of the paper, sigma = 100 to 0.1 for
// features in [-1, 1], in terms of features in [0, 1]. Features in [0, 1] have a quarter of the squared
// distances of features in [-1, 1], so gamma = 4/sigma.
const discriminantBank = "gauss:0.04..40/10"

// scaledRows are the rows of a set with features in [0, 1] and classes numbered from 0.
type scaledRows struct {
	// features[i] has as many values as there are features, classes[i] is the number of its class.
	features [][]float64
	classes  []int32
	labels   []string // of each row
	count    int      // of classes
}

// readScaled reads a set and scales each feature by its range over all rows, test rows among
// them, as the paper does. So its figures can be compared with the printed ones, and not with
// other experiments.
// Feature x becomes (x - low) / (high - low). A constant feature becomes 0.
func readScaled(d harness.DataSet) (*scaledRows, error) {
	src, err := d.Open(bigmkl.TaskClass)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	r, number, width := &scaledRows{}, map[string]int32{}, 0
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n := len(row.Index); n > 0 {
			width = max(width, int(row.Index[n-1])+1)
		}
		// width grows with the rows read so far. Shorter rows are filled up below.
		x := make([]float64, width)
		for k, j := range row.Index {
			x[j] = row.Value[k]
		}
		// Classes are numbered in the order of their first rows.
		c, ok := number[row.Label]
		if !ok {
			c = int32(len(number))
			number[row.Label] = c
		}
		r.features, r.classes = append(r.features, x), append(r.classes, c)
		r.labels = append(r.labels, row.Label)
	}
	r.count = len(number)
	for j := range width {
		low, high := math.Inf(1), math.Inf(-1)
		// The first feature fills all rows to the full width.
		for i, x := range r.features {
			x = append(x, make([]float64, width-len(x))...)
			r.features[i] = x
			low, high = min(low, x[j]), max(high, x[j])
		}
		for _, x := range r.features {
			if x[j] -= low; high > low {
				x[j] /= high - low
			}
		}
	}
	return r, nil
}

// gammas are the widths of discriminantBank, for the code here that computes kernels itself.
func gammas() (list []float64) {
	for k := range 10 {
		// 0.04 to 40 are three decades in nine steps, so a step is 10^(1/3).
		list = append(list, 0.04*math.Pow(10, float64(k)/3))
	}
	return list
}

// distance is the squared distance of two rows.
func (d *scaledRows) distance(i, j int) (sum float64) {
	for k, x := range d.features[i] {
		x -= d.features[j][k]
		sum += x * x
	}
	return sum
}

// problem gives the matrices of some rows, each with a trace of n once it is centred. The paper
// normalises the kernels of discriminant learning so. A sum with weights that sum to 1 then has the
// trace n.
func (d *scaledRows) problem(rows []int) *discriminant.Problem {
	n, p := len(rows), &discriminant.Problem{Count: d.count}
	for _, i := range rows {
		p.Classes = append(p.Classes, d.classes[i])
	}
	for _, gamma := range gammas() {
		// sum is the sum of all elements off the diagonal.
		k, sum := mat.NewSymDense(n, nil), 0.0
		for a, i := range rows {
			k.SetSym(a, a, 1)
			for b := range a {
				x := math.Exp(-gamma * d.distance(i, rows[b]))
				k.SetSym(a, b, x)
				sum += 2 * x
			}
		}
		// The trace of the centred matrix is n minus the mean of each row summed, n (1 - (sum of
		// all elements) / n^2), as k(x,x) = 1.
		k.ScaleSym(1/(1-(sum+float64(n))/float64(n*n)), k)
		p.Kernels = append(p.Kernels, k)
	}
	return p
}

// testMeans returns the share of test rows, in percent, whose class has the nearest mean. Means
// are over the scores of the training rows of a class. It computes kernels by their definition,
// so the accuracy depends on the weights and dual variables alone, and not on the code of
// predictions.
func (d *scaledRows) testMeans(s *discriminant.Solution, p *discriminant.Problem,
	train, test []int) float64 {
	// The bias is the same for all rows and no matter.
	scores := func(i int) []float64 {
		// f_c(x) = sum_j k(x, x_j) alpha_cj, with k = sum_m theta_m k_m.
		f := make([]float64, d.count)
		for a, j := range train {
			square, k := d.distance(i, j), 0.0
			for m, gamma := range gammas() {
				// The diagonal has the factor, as k(x,x) = 1.
				k += s.Theta[m] * p.Kernels[m].At(0, 0) * math.Exp(-gamma*square)
			}
			for c := range f {
				f[c] += k * s.Alpha[c][a]
			}
		}
		return f
	}
	// means[c] is the sum of the scores of class c. It is divided by count[c] where it is used.
	means, count := make([][]float64, d.count), make([]float64, d.count)
	for c := range means {
		means[c] = make([]float64, d.count)
	}
	for _, i := range train {
		of := d.classes[i]
		count[of]++
		for c, f := range scores(i) {
			means[of][c] += f
		}
	}
	right := 0
	for _, i := range test {
		f := scores(i)
		nearest, least := 0, math.Inf(1)
		// The distance is Euclidean in the space of the scores.
		for c, mean := range means {
			square := 0.0
			for e, x := range f {
				x -= mean[e] / count[c]
				square += x * x
			}
			if square < least {
				nearest, least = c, square
			}
		}
		if int32(nearest) == d.classes[i] {
			right++
		}
	}
	return 100 * float64(right) / float64(len(test))
}

// source returns some rows as a source of data for the library. All features are given, zeros
// too, because their number must be the same in all splits.
func (d *scaledRows) source(rows []int) dataset.Source {
	var list []dataset.Row
	for _, i := range rows {
		row := dataset.Row{Label: d.labels[i]}
		for j, x := range d.features[i] {
			row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, x)
		}
		list = append(list, row)
	}
	return dataset.FromSeq(slices.Values(list))
}

// testClassifier gives the share of rows that a model predicts right, in percent.
// Label is the predicted class, and Known the class of the data.
func (d *scaledRows) testClassifier(ctx context.Context, m *bigmkl.Model, rows []int) (
	float64, error) {
	right := 0
	err := m.Predict(ctx, d.source(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if p.Label == p.Known {
			right++
		}
		return nil
	})
	return 100 * float64(right) / float64(len(rows)), err
}

// reversed lists weights from the narrowest kernel on, as the paper does.
// discriminantBank begins with the widest kernel, whose gamma is least.
func reversed(theta []float64) []float64 {
	weights := slices.Clone(theta)
	slices.Reverse(weights)
	return weights
}

// draw returns rows drawn at random, the given number of each class. classes is the number of
// classes, the first ones in the order of their labels.
func (d *scaledRows) draw(classes, rows int, rng *rand.Rand) *scaledRows {
	// Labels are sorted as text.
	names := slices.Compact(slices.Sorted(slices.Values(d.labels)))[:classes]
	drawn := &scaledRows{count: classes}
	taken := make([]int, classes)
	// The rows are taken in random order until each class is full.
	for _, i := range rng.Perm(len(d.features)) {
		c := slices.Index(names, d.labels[i])
		if c < 0 || taken[c] == rows {
			continue
		}
		taken[c]++
		drawn.features = append(drawn.features, d.features[i])
		drawn.labels = append(drawn.labels, d.labels[i])
		drawn.classes = append(drawn.classes, int32(c))
	}
	return drawn
}
