package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// trainReport reports trained models: one at its end, and many with a line each.
type trainReport struct {
	*console
	// start is when the process began.
	// The printed time counts from start, so it includes the reading of the data.
	start time.Time
	json  bool
	// model is the file of the model, and test the file of the rows to test it on, "" if there
	// are none.
	model, test string
	// kernels are the specifications of the command line, which name files of matrices.
	kernels string
	// costGiven is set if the command line has a cost.
	costGiven bool
	// columns are warnings about the columns of a table, of one training alone.
	columns []string
	// views are the views of the data.
	views []dataset.View
}

// account has the facts to report about a training. Text and JSON come from one account, so they cannot
// differ.
type account struct {
	trained
	bank *kernelspec.Bank
	// test has the figures of the test, nil if nothing was tested.
	test     *evaluation
	warnings []string
}

// show prints the warnings and the report of one training.
// The model is already written, so a closed pipe costs only the report.
func (t *trainReport) show(x trained) error {
	a, err := t.account(x, "")
	if err != nil {
		return err
	}
	if t.json {
		return t.printJSON("train", newTrainJSON(a, t.start))
	}
	// A model on standard output must not be mixed with text.
	out := t.stdout
	if isStandardOutput(t.model) {
		out = t.stderr
	}
	return t.printSummary(out, a)
}

// printSummary writes the report of one training as text. It begins with the proof and the sizes, and
// ends with the weights: the last lines stay visible on a terminal.
func (t *trainReport) printSummary(w io.Writer, a *account) error {
	// Kernels of files have the names of these files here, because the model has only their numbers.
	m, r, b := a.model, a.result, withFileNames(a.bank, t.kernels)
	// classifier is -1 if there is one classifier alone.
	cert, classifier := m.Convergence().Worst()
	status := strings.ReplaceAll(string(r.Status), "_", " ")
	if classifier >= 0 {
		fmt.Fprintf(w,
			"%s after %s of %d %ss: largest relative gap %.3g (asked %.3g)%s, of %s %s\n",
			status, count(r.Iterations, "iteration"), len(m.Classifiers), m.Noun(), cert.RelativeGap, m.Gap, ofGates(&m.Model),
			m.Noun(), m.ShortName(classifier))
	} else {
		fmt.Fprintf(w,
			"%s after %s: relative gap %.3g (asked %.3g)%s, primal %.9g, dual %.9g\n",
			status, count(r.Iterations, "iteration"), cert.RelativeGap, m.Gap, ofGates(&m.Model), cert.Primal, cert.Dual)
	}
	// Iterations count from the start of the first run.
	if r.Resumed > 0 {
		fmt.Fprintf(w, "resumed from the checkpoint after iteration %d\n", r.Resumed)
	}
	fmt.Fprintf(w,
		"%s, %s, %s, %s, %s; %s; %s (%s to read)\n",
		count(m.Points, "row"), describeFeatures(&m.Model), count(m.Len(), "kernel"), describeNorm(&m.Model,
			b), describeCost(&m.Model), count(len(m.Support), "support vector"), formatTime(time.Since(t.start)), formatTime(r.Read))
	// Each line below is absent in an ordinary run.
	if s := m.Input().Scaling(); s.Choice != "" {
		fmt.Fprintf(w, "scaling %s\n", s.Choice)
	}
	// A view that no kernel uses is mostly a mistake in --kernels.
	if text := describeUnusedViews(t.views, b); text != "" {
		fmt.Fprintln(w, text)
	}
	if m.Scaling.Imputes() {
		fmt.Fprintf(w, "missing values filled in: %s of the training rows\n", describeImputation(m.Scaling.Impute))
	}
	// Default values of C and epsilon are multiples of this deviation.
	if r.TargetUnit > 0 {
		fmt.Fprintf(w, "deviation of the targets %.4g: %s\n", r.TargetUnit, describeLossInUnits(&m.Model))
	}
	// Without --event the column of events is a feature, and every row an event.
	if lacksEvents(&m.Model) {
		fmt.Fprintln(w, "every row is an event: --event COLUMN names the column that marks the rows with an event, if there is one")
	}
	if p := describeProjection(&m.Model); p != "" {
		fmt.Fprintf(w, "%s\n", p)
	}
	if gates := describeGates(&m.Model); gates != "" {
		fmt.Fprintf(w, "%s\n", gates)
	}
	if d := m.Discriminant; d != nil {
		fmt.Fprintf(w, "criterion %.9g of %d classes\n", d.Criterion, len(m.Classes))
	}
	printMixture(w, &m.Model)
	printPosteriors(w, &m.Model)
	// The iterations above do not contain the iterations of these trainings.
	if f := r.Folding; f.Trainings > 0 {
		fmt.Fprintf(w, "probabilities from %d trainings without a fold: %d iterations, %s\n",
			f.Trainings, f.Iterations, formatFine(f.Time))
		fmt.Fprint(w, describeHeldOutProbabilities(r))
	}
	// The problem of such a kernel or family is not convex, so a small gap proves no optimum.
	if cert.Kind == "stationary" {
		fmt.Fprintln(w, describeStationary(&m.Model, b))
	}
	if c := newCostsJSON(&m.Model, b, b.Costs()); c != nil {
		fmt.Fprintf(w, "total cost %s\n", c.describe(&m.Model))
	}
	// The figures of new rows come before the weights, since they are the result that a user looks for.
	if a.test != nil {
		fmt.Fprintf(w, "%s: %s\n", t.test, a.test)
	}
	fmt.Fprintln(w)
	if m.Several() {
		if err := printClassifiers(w, &m.Model, r.Sides, false); err != nil {
			return err
		}
		over := "averaged over " + describeTrained(&m.Model)
		if m.OneTheta {
			over = fmt.Sprintf("of all %d %ss", len(m.Classifiers), m.Noun())
		}
		fmt.Fprintf(w, "\n%s:\n", over)
	}
	by, list := summarizeWeights(averageClassifiers(&m.Model), b)
	if err := printWeights(w, by, list); err != nil {
		return err
	}
	// One kernel has the weight 1 in any case.
	if m.Len() > 1 {
		fmt.Fprintf(w, "\n%s\n", howToReadWeights(&m.Model))
	}
	return nil
}

// account prints the warnings about a training and its test, and returns the facts to report. Of several
// models, file is the file of the model that the warnings are about.
// It is called once for each model, because it also prints.
func (t *trainReport) account(x trained, file string) (*account, error) {
	m, r, s := x.model, x.result, x.score
	b, err := m.Bank()
	if err != nil {
		return nil, err
	}
	// The copy is never nil, so JSON has an empty array and not null.
	warnings := append([]string{}, r.Warnings...)
	warnings = append(warnings, t.columns...)
	// Trainings without a fold have caches of their own.
	stats := r.Gradient.And(r.Folding.Gradient)
	if off := stats.Cache.DiskOff; off != "" {
		warnings = append(warnings, "kernel rows are not cached on disk: "+off)
	}
	// Cached rows have checksums. Damage costs time and changes no bit of the model.
	if n := stats.Cache.Damaged; n > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d cached rows were damaged on disk and have been computed again", n))
	}
	// The flag is accepted, because configurations are shared by tasks.
	if name := model.InPlaceOfCost(m.Task); t.costGiven && name != "" {
		warnings = append(warnings, fmt.Sprintf("-C has no effect with --task %s: use --%s", m.Task, name))
	}
	for _, advice := range []string{adviseSupport(&m.Model), adviseWidths(&m.Model, b)} {
		// Warnings about the data are the same for all models and are shown once. These are not.
		if advice != "" && file != "" {
			advice = file + ": " + advice
		}
		if advice != "" {
			warnings = append(warnings, advice)
		}
	}
	var test *evaluation
	if s != nil {
		e := evaluation{Evaluation: s.Evaluation()}
		test = &e
		warnings = append(warnings, s.Warnings()...)
	}
	t.warn(warnings...)
	return &account{x, b, test, warnings}, nil
}
