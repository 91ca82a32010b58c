package gonen

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// The protocol of Goenen 2010, section 5: a third of the rows is for testing, and the rest is halved
// five times, each half once for training and once for validation. Classes are spread evenly. The
// ten trainings of the chosen C are tested.

// Task is one task of two classes.
// Set is the name of the data set.
type Task struct {
	Set string
	// Positive and negative are the labels of the two classes; rows of other labels are left out.
	// If negative is nil, all others are.
	Positive, negative []string
	// drawn asks for images of what a pen has written, behind the points that it went through.
	drawn bool
}

// Fold is one training with its rows for validation and for testing. The rows for validation choose C
// or a decay, and the rows for testing are used once.
type Fold struct{ Train, validation, Test []dataset.Row }

// ReadRows reads the rows of a task, labelled 1 and -1, at most `most` of them by chance, classes in
// their proportion. 0 takes all. Rows are shuffled within each class by rng, so equal seeds give equal
// rows.
// rng may be nil if most is 0, because nothing is drawn then.
func ReadRows(d harness.DataSet, task Task, most int, rng *rand.Rand) ([]dataset.Row, error) {
	src, err := d.Open(bigmkl.TaskClass)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var rows []dataset.Row
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		// Labels are compared as text, in the form that the file has.
		positive := slices.Contains(task.Positive, row.Label)
		if !positive && task.negative != nil && !slices.Contains(task.negative, row.Label) {
			continue
		}
		// The source may use the memory of a row again.
		kept := dataset.Row{Label: "-1", Index: slices.Clone(row.Index), Value: slices.Clone(row.Value)}
		if positive {
			kept.Label = "1"
		}
		// The images are features behind the coordinates.
		if task.drawn {
			kept = drawPen(kept)
		}
		rows = append(rows, kept)
	}
	if most > 0 && most < len(rows) {
		// The first part is the draw, and the second one is dropped.
		rows = Stratify(rows, []float64{float64(most) / float64(len(rows)), 1}, rng)[0]
	}
	return rows, nil
}

// Stratify deals the rows of each class out by chance: part k gets those up to the share until[k].
// until ascends to 1. Rounding is by class, so parts can differ from their shares by one row of each.
func Stratify(rows []dataset.Row, until []float64, rng *rand.Rand) [][]dataset.Row {
	parts := make([][]dataset.Row, len(until))
	// The order of the classes is fixed, so equal random numbers give equal parts.
	for _, class := range []string{"1", "-1"} {
		var own []dataset.Row
		for _, r := range rows {
			if r.Label == class {
				own = append(own, r)
			}
		}
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		at := 0
		for k, share := range until {
			end := int(math.Round(share * float64(len(own))))
			parts[k], at = append(parts[k], own[at:end]...), end
		}
	}
	return parts
}

// drawFolds returns the ten folds: five times two halves, each with the same rows for testing.
func drawFolds(rows []dataset.Row, rng *rand.Rand) (folds []Fold) {
	parts := Stratify(rows, []float64{1.0 / 3, 1}, rng)
	for range 5 {
		// Five times two halves are the protocol of the 5x2cv test (Alpaydin 1999).
		halves := Stratify(parts[1], []float64{0.5, 1}, rng)
		folds = append(folds, Fold{halves[0], halves[1], parts[0]},
			Fold{halves[1], halves[0], parts[0]})
	}
	return folds
}

// Result is what one training gives, all but the weights in percent.
type Result struct {
	// support is the share of the training rows that are support vectors.
	validation, test, support, cost float64
	// weights are theta divided by their sum.
	weights []float64
}

// trainGonen trains one fold for each C as a path, and returns the figures in the order of the
// costs. Cost is the total cost of a prediction as a share of all support vectors with all
// kernels. A path prepares the kernels once, and each C starts from the dual variables of the previous
// one.
func trainGonen(ctx context.Context, o bigmkl.Options, fold Fold, costs []float64) (
	results []Result, err error) {
	// These are the settings of the thesis.
	o.Scale, o.Normalize, o.Norm, o.Gap = "standard", "spherical", 1, 1e-4
	if o.Views == nil { // A feature that is 0 in all rows of a fold is one of the model all the same.
		last := 0
		for _, r := range slices.Concat(fold.Train, fold.validation, fold.Test) {
			for _, j := range r.Index {
				last = max(last, int(j)+1)
			}
		}
		o.Views = []dataset.View{{Name: "all", First: 1, Last: last}}
	}
	err = bigmkl.Path(ctx, harness.SourceOf(fold.Train), harness.AsPosed(o), bigmkl.Grid([]float64{1}, costs),
		func(_ bigmkl.PathPoint, m *bigmkl.Model, _ *bigmkl.Result) error {
			r := Result{support: 100 * float64(len(m.Support)) / float64(m.Points)}
			var bank *kernelspec.Bank
			if bank, err = m.Bank(); err != nil {
				return err
			}
			// The cost is the share of support vectors times the share of the active kernels in all costs.
			if d := bank.Costs(); d != nil {
				r.cost = 100 * m.Active().TotalCost(len(m.Support), d) / float64(m.Points)
			}
			// The thesis prints weights that sum to 1.
			sum := 0.0
			for _, t := range m.Theta {
				sum += t
			}
			for _, t := range m.Theta {
				r.weights = append(r.weights, t/sum)
			}
			// Both accuracies are computed for every C. The choice of C uses the first one alone.
			if r.validation, err = Accuracy(ctx, m, fold.validation); err == nil {
				r.test, err = Accuracy(ctx, m, fold.Test)
			}
			results = append(results, r)
			return err
		})
	return results, err
}

// Accuracy returns the share of rows that a model predicts right, in percent.
// An empty list has the accuracy 0.
func Accuracy(ctx context.Context, m *bigmkl.Model, rows []dataset.Row) (float64, error) {
	right := 0
	err := m.Predict(ctx, harness.SourceOf(rows), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
		if p.Label == p.Known {
			right++
		}
		return nil
	})
	return 100 * float64(right) / float64(max(1, len(rows))), err
}
