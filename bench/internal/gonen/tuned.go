package gonen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/selection"
)

// tunedTable tunes the regularisation parameters of the six views of multifeat, digits 0-4 against
// 5-9 at C = 1, by five times two folds of the two thirds of the rows that are not for testing. Then
// it trains the ten folds without and with them, and tests. In the tuning, features are standardised by
// all of its rows. The thesis calls this method RMKL. Its point of comparison is MKL with equal
// parameters, on the same folds.
// A parameter d_m of view m multiplies the norm of w_m: min sum d_m ||w_m||, so a small d_m favours the
// view.
func tunedTable(ctx context.Context, s *harness.Session, r *harness.Report, seed uint64) error {
	d, ok := s.Data.Find("multifeat", "")
	if !ok {
		r.Note("%s", s.Data.DescribeAbsence("multifeat"))
		return nil
	}
	views, err := dataset.ReadViews(filepath.Join(filepath.Dir(d.File), "multifeat.views.txt"))
	if err != nil {
		return err
	}
	task := Task{Positive: strings.Split("01234", "")}
	// 0 means all rows, so no random numbers are needed.
	rows, err := ReadRows(d, task, 0, nil)
	if err != nil {
		return err
	}
	// The rows for testing are the same third in all folds, so the tuning has the training and validation rows of one
	// fold.
	folds := drawFolds(rows, rand.New(rand.NewPCG(seed, 1)))
	// The folder keeps the trainings of the selection, and nothing of it is needed later.
	folder, err := os.MkdirTemp(s.Scratch, "tuning")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	o := selection.Options{
		Training: bigmkl.Options{
			Kernels: "linear@each-view", Views: views, Scale: "standard", Normalize: "spherical", Norm: 1,
			Gap: 1e-4, Threads: s.Threads, Scratch: s.Scratch, Seed: seed,
		},
		// Five times two folds, as in the thesis: each half once for training and once for
		// validation.
		Costs: []float64{1}, Norms: []float64{1}, Splits: selection.Splits{Folds: 2, Repeat: 5}, NoBaselines: true,
		Tune: selection.TuneCosts, Folder: filepath.Join(folder, "s"),
		Report: func(p selection.Progress) { s.Progress.ShowNow("%d of at most %d trainings", p.Done, p.Total) },
	}
	// One repetition shows that the selection works.
	if s.Quick {
		o.Splits.Repeat = 1
	}
	// The test rows are not among these rows, so the final figures are honest.
	found, err := selection.Run(ctx, harness.SourceOf(slices.Concat(folds[0].Train, folds[0].validation)), o)
	if err != nil {
		return err
	}
	t := r.Table("MULTIFEAT-SL of table 5.6, RMKL: one linear kernel for each of six views")
	if s.Quick {
		folds = folds[:2]
	}
	var weights []float64
	// The printed figures are accuracy, support vectors and weights of the views in table 5.6.
	for _, c := range []struct{ variant, kernels, printed string }{
		{"MKL", o.Training.Kernels, "97.4, 32.6 % SVs, 0.25-0.30-0.09-0.15-0.15-0.07"},
		{"RMKL", found.Tuning.Kernels, "97.1, 27.6 % SVs, 0.31-1.11-0.13-0.47-0.00-0.00"},
	} {
		// Both variants have the same ten folds.
		var results []Result
		for k, fold := range folds {
			s.Progress.ShowNow("%s, fold %d of %d", c.variant, k+1, len(folds))
			training := bigmkl.Options{Kernels: c.kernels, Views: views, Threads: s.Threads, Scratch: s.Scratch}
			list, err := trainGonen(ctx, training, fold, []float64{1})
			if err != nil {
				return err
			}
			results = append(results, list[0])
		}
		// After the loop, weights has the means of RMKL.
		weights = weights[:0]
		for k := range results[0].weights {
			weights = append(weights, meanOf(results, func(r Result) float64 { return r.weights[k] }))
		}
		t.Add(newRow("MULTIFEAT-SL", c.variant, 1, results, c.printed))
	}
	// The last training has all rows that are not for testing, as a user would train after a
	// tuning. It shows whether weights are 0 that means over folds hide.
	noteTuning(t, found.Tuning, weights)
	m, _, err := bigmkl.Train(ctx, harness.SourceOf(slices.Concat(folds[0].Train, folds[0].validation)), bigmkl.Options{
		Kernels: found.Tuning.Kernels, Views: views, Scale: "standard", Normalize: "spherical", Norm: 1, Gap: 1e-4,
		Threads: s.Threads, Scratch: s.Scratch})
	if err != nil {
		return err
	}
	t.Note("weights theta of the model of all rows that are not for testing: %.2g", m.Theta)
	return nil
}

// noteTuning adds the notes about a tuning: its points, its best factors, and the validation
// error before and after it. The argument weights has the mean theta of each kernel over the folds.
func noteTuning(t *harness.Table, tuned *selection.Tuning, weights []float64) {
	// The first point has equal factors, which is plain MKL.
	first, best := &tuned.Points[0], &tuned.Points[tuned.Best]
	// A surface whose minimum is a known point has nothing new to try.
	end := "ended at a point seen before"
	if !tuned.Settled {
		end = "ended after its last step"
	}
	var factors []string
	for _, d := range best.Factors {
		factors = append(factors, fmt.Sprintf("%.2f", d))
	}
	t.Note("%d points of the design and %d more, which %s; point %d is the best, with d = %s", tuned.Design,
		len(tuned.Points)-tuned.Design, end, tuned.Best+1, strings.Join(factors, "-"))
	t.Note("validation error %.2f %% at the first point, %.2f %% at the best", 100*(1-first.Figure.Mean),
		100*(1-best.Figure.Mean))
	// The thesis reports that RMKL leaves views out.
	unused := 0
	for _, w := range weights {
		if w < 1e-3 {
			unused++
		}
	}
	t.Note("%d kernels have a mean weight below 1e-3", unused)
}
