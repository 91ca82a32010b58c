package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/host"
	"bigmkl/internal/selection"
	"bigmkl/internal/trial"
)

// newPlanCommand defines the plan command. It takes the flags of train: a planned command line can be
// run by replacing one word. A training that is rejected after an hour of reading costs that hour. The
// plan finds the rejection first, and shows which budget is too small.
func newPlanCommand(a *app) *cobra.Command {
	// planned lets the flags of train be used without -o.
	t, ranks, importance, tries := &trainFlags{planned: true}, 0, false, false
	c := &cobra.Command{
		Use:   "plan [flags] DATA...",
		Short: "Predict the memory, disk and time of a training",
		Long: "Plan takes the flags of train, reads the data and prints how much memory, disk and time the\n" +
			"training would need. The code of train computes the budgets. Plan writes no file and no model. It\n" +
			"measures the cost of an iteration on some of the points. The number of iterations is a guess from\n" +
			"other problems at a gap of 1e-3. --trial trains on samples of the rows instead. Plan also measures\n" +
			"the time of a value of each kernel relative to the cheapest, which can serve as cost=D. No training\n" +
			"depends on a clock.\n\n" +
			"Plan ends with exit code 6 if the training would be rejected.",
		Example: "  bigmkl plan --kernels gauss:2^-10..2^2,linear --memory 1GiB adverts.libsvm.gz\n" +
			"  bigmkl plan --trial --kernels gauss:auto/10 adverts.libsvm.gz",
	}
	f := newFlags(c)
	t.defineFlags(f)
	// The flags below belong to plan alone.
	add(f, &ranks, "ranks", "N", "", parsePositiveCount,
		"print memory, disk and messages of each process, if N processes train together")
	f.BoolVar(&importance, "importance", false, "also count the trainings of bigmkl importance with its defaults, and estimate their time")
	f.BoolVar(&tries, "trial", false, "train on samples of the rows for some seconds, and estimate the time of the training from these trainings")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := t.readArguments(f, args); err != nil {
			return err
		}
		if err := errors.Join(f.err(), t.checkFlags(f)); err != nil {
			return err
		}
		return runPlan(c.Context(), a, t, ranks, importance, tries)
	}
	return c
}

// runPlan computes and reports what a training by the given number of ranks would need; 0 means
// one process. It adds the work of an importance and a trial where they are requested. Nothing else may
// depend on measured times: a training that chose by a clock would not give the same bits twice.
func runPlan(ctx context.Context, a *app, t *trainFlags, ranks int, importance, tries bool) error {
	// The test rows of train are not needed for a plan.
	src, _, err := t.openInputs(ctx, a.opener, a.console)
	if err != nil {
		return err
	}
	defer src.Close()
	// The plan reads the data as the training would, under the same limit of the heap.
	defer limitHeap(&t.options)()
	progress := newProgress(a.messages, t.quiet)
	rows := progress.countRows(src)
	var sample *trial.Sample
	if tries {
		// The sample is taken while the plan reads the rows: a pipe cannot be read a second
		// time.
		sample = trial.NewSample(rows, host.Memory()/trialShare, t.options.Seed)
		rows = sample
	}
	// Calibration holds rows out, so the planned training has fewer.
	p, err := t.folds.conformal.plan(ctx, rows, t.options, ranks)
	progress.finish()
	if err != nil {
		return nameFiles(err, t.rows.paths)
	}
	// The trial runs after the plan, because it needs the sample to be complete.
	var tried *trial.Estimate
	if tries {
		if tried, err = sample.Run(ctx, t.options, trialTime); err != nil {
			return err
		}
	}
	// An importance trains many models with these options, so its time follows from the time of one
	// training.
	var work *selection.Work
	if importance {
		if work, err = selection.WorkOf(p.Expanded, p.Rows, &t.options); err != nil {
			return err
		}
	}
	// With --json there is one object, whatever was requested.
	if t.json {
		err = a.printJSON("plan", newPlanJSON(p, t.options.Objects, work, tried))
	} else if err = printPlan(a.stdout, p, t.options.Objects, len(t.taus) > 1); err == nil && work != nil {
		err = printWork(a.stdout, p, work)
	}
	if !t.json && err == nil && tried != nil {
		err = printTrial(a.stdout, tried)
	}
	// The plan of a training that would be rejected is printed too, because it shows which share
	// is too large. The exit code is the code of the rejection.
	return errors.Join(err, p.Check())
}

// printPlan writes a plan as text, of rows that name objects if there are any, and of regressors if there are several
// quantiles. Each line has its formula in n, M and q. A user can thus see which of the numbers to
// change. The text leaves out the formulas of shares that are the remainder of a budget.
func printPlan(w io.Writer, p *bigmkl.Plan, named *objects.Set, quantiles bool) error {
	fmt.Fprintf(w, "n = %s, d = %s, %d values that are not zero, stored %s\n", count(p.Rows, "row"),
		count(p.Features, "feature"), p.Nonzeros, storedLayout(p))
	// The lines without a budget come first: sizes, kernels, classifiers.
	if named != nil {
		fmt.Fprintf(w, "objects: %s\n", describeObjects(named))
	}
	fmt.Fprintf(w,
		"M = %s in %s of shared computations; working sets have q = %d points\n\n",
		count(p.Kernels, "kernel"), count(p.Groups, "group"), p.WorkingSet)
	each, noun := "", "classifier"
	if quantiles {
		noun = "regressor"
	}
	// Classifiers that share their rows need the memory of one. Columns of one problem need it for each.
	if p.Classifiers > 0 {
		text := "%d " + noun + "s are trained one after the other and share points, kernels and cached rows\n\n"
		if p.Together {
			text = "%d columns of dual variables are trained together, as one problem\n\n"
		} else {
			each = " for each " + noun
		}
		fmt.Fprintf(w, text, p.Classifiers)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	// An empty line with tabs keeps the columns of the table aligned.
	printShare(t, "memory", "gradients in memory", &p.Memory)
	fmt.Fprintln(t, "\t\t")
	printShare(t, "disk", "gradients out of core", &p.Disk)
	fmt.Fprintln(t, "\t\t")
	fmt.Fprintf(t, "one checkpoint\t%s, at most\t%s\n", p.Checkpoints.Formula,
		formatBytes(p.Checkpoints.Bytes))
	// Two checkpoints are kept while the third one is written.
	fmt.Fprintf(t, "the most at a time (three), on the disk of --checkpoint\t\t%s\n",
		formatBytes(p.Checkpoints.Most))
	// A negative number means that the free space is not known, as without --checkpoint.
	if p.Checkpoints.Free >= 0 {
		fmt.Fprintf(t, "free there\t\t%s\n", formatBytes(p.Checkpoints.Free))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	// The message names how many bytes the disk lacks.
	if short := p.Checkpoints.Short(); short != "" {
		fmt.Fprintf(w, "\n%s\n", short)
	}
	if err := printExchange(w, p.Exchange); err != nil {
		return err
	}
	if err := printValues(w, p); err != nil {
		return err
	}
	// Each time is a measurement on some of the points, extended to all. The two ends of the last one come
	// from the numbers of iterations.
	f := &p.Time
	_, err := fmt.Fprintf(w,
		"\ntime: %s to read; %s to prepare the kernels and %s to normalise them; %s for a pass over all points and %s for a quadratic model without cached rows;\n"+
			"between %d and %d iterations%s, as a rule, to a gap of 1e-3: training takes between %s and %s\n",
		formatTime(f.Read), formatTime(f.Prepare), formatTime(f.Normalize), formatFine(f.Pass), formatFine(f.Model), f.Iterations[0], f.Iterations[1], each, formatTime(f.Train[0]), formatTime(f.Train[1]))
	return err
}

// workTime returns between which times an importance takes, reading included. Both are bounds: the
// first from few iterations for each training, the second from many. Rows are read once.
func workTime(p *bigmkl.Plan, w *selection.Work) [2]time.Duration {
	t := w.Time(p.Time.Train, p.Rows)
	return [2]time.Duration{t[0] + p.Time.Read, t[1] + p.Time.Read}
}

// printWork writes what an importance takes.
// The choice of norm and C is made on few rows, so its trainings are counted apart.
func printWork(w io.Writer, p *bigmkl.Plan, work *selection.Work) error {
	took := workTime(p, work)
	_, err := fmt.Fprintf(w, "\nan importance of %s: %s of %s; %s on at most %s to choose norm and C, and %s for shares: between %s and %s\n",
		count(work.Sources, "source"), count(work.Folds, "fold"), count(work.Trainings, "training"), count(work.Folds*work.Choices, "training"),
		count(selection.FewRows, "row"), count(work.Samples, "training"), formatTime(took[0]), formatTime(took[1]))
	return err
}

// printExchange writes what ranks send each other, nothing if there is one process. In the formulas, q
// is the size of a working set, n the number of rows and M the number of kernels. The number of units U
// does not depend on the number of ranks, so the sums have the same bits for any number.
func printExchange(w io.Writer, x *budget.Exchange) error {
	if x == nil {
		return nil
	}
	fmt.Fprintf(w, "\n%d ranks, of at most %d rows each, take the memory and disk above each; one of them writes the checkpoints, and\n"+
		"times are those of one process. An iteration in which all points are awake sends\n", x.Ranks, x.Rows)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		what, formula string
		bytes         int64
	}{
		{"from rank 0 to each other", "36 q + 8 M", x.ToEach},
		{"to rank 0, the combined gradient", "8 n", x.Combined},
		{"to rank 0, sums of U units", "8 U M", x.Sums},
		{"to rank 0, the quadratic model", "16 q M + 4 q^2", x.Model},
	} {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", line.what, line.formula, formatBytes(line.bytes))
	}
	return t.Flush()
}

// printShare writes the rows of the table for one budget. The text gradients names the form in
// which gradients are kept within it.
// The remainder of the budget is for cached rows. Least is the smallest budget that is accepted.
func printShare(t io.Writer, name, gradients string, s *budget.Share) {
	fmt.Fprintf(t, "%s\t\t%s\n", name, formatBytes(s.Budget))
	// Fixed shares do not depend on the budget.
	for _, p := range s.Fixed {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", p.Name, p.Formula, formatBytes(p.Bytes))
	}
	fmt.Fprintf(t, "  %s\t\t%s\n", gradients, formatBytes(s.Gradients))
	fmt.Fprintf(t, "  remaining for cached rows\t\t%s\n", formatBytes(s.Rows))
	fmt.Fprintf(t, "the least that is enough\t\t%s\n", formatBytes(s.Least))
	fmt.Fprintf(t, "everything is in memory from\t\t%s\n", formatBytes(s.InCore))
	fmt.Fprintf(t, "all rows are cached from, at most\t\t%s\n", formatBytes(s.Ample))
}

// printValues writes how long a value of each kernel takes beside the cheapest. Kernels with the
// same time, which are those that differ in their numbers alone, share a line. The figures are times
// and depend on the computer. They may serve as costs of kernels (cost=D), if the time of a prediction
// is what has to be saved.
func printValues(w io.Writer, p *bigmkl.Plan) error {
	fmt.Fprintf(w, "\na value of each kernel takes, beside the cheapest, about:\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines := 0
	// Equal neighbours are joined. NaN means that a value was not timed, and equals no number.
	for first := 0; first < len(p.Values); {
		end := first + 1
		for end < len(p.Values) && (p.Values[end] == p.Values[first] || math.IsNaN(p.Values[first]) &&
			math.IsNaN(p.Values[end])) {
			end++
		}
		// A list of a thousand different kernels would hide the lines below it.
		if lines++; lines > mostListed {
			fmt.Fprintf(t, "  and %d further kernels (--json)\t\n", len(p.Values)-first)
			break
		}
		name := fmt.Sprintf("kernel %d", first+1)
		if end > first+1 {
			name = fmt.Sprintf("kernels %d to %d", first+1, end)
		}
		text := fmt.Sprintf("%.3g", p.Values[first])
		if math.IsNaN(p.Values[first]) {
			text = "(not timed)"
		}
		fmt.Fprintf(t, "  %s\t%s\n", name, text)
		first = end
	}
	return t.Flush()
}

// storedLayout returns how the points would be stored.
// The layout is chosen by the share of zeros, unless an option gives it.
func storedLayout(p *bigmkl.Plan) dataset.Layout {
	if p.Sparse {
		return dataset.LayoutSparse
	}
	return dataset.LayoutDense
}
