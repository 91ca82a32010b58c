package command

import (
	"fmt"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/internal/selection"
)

// tunedNames names the quantity of a factor for each kind of tuning. A cost makes a kernel harder to
// use, and a weight makes it count more, so the column must name which one it has.
var tunedNames = map[selection.TuneKind]string{
	selection.TuneCosts: "cost", selection.TuneWeights: "weight",
}

// printTuning prints what the tuning of the best cell has found: the point that is trained beside the
// first one, and what each factor has there. The first point is the combination before the tuning, so
// the difference is the gain.
// Points are numbered from 1 in the order of their trainings.
func (s *selectReport) printTuning(found *selection.Selection, t *selection.Tuning) error {
	first, best := &t.Points[0], &t.Points[t.Best]
	how := "ended at a point that was measured before"
	if !t.Settled {
		how = "ended after its last step"
	}
	fmt.Fprintf(s.stdout, "\ntuned by a surface over %d points on %d rows, which %s\n", len(t.Points), t.Rows, how)
	fmt.Fprintf(s.stdout, "* point %d: %s %s, %s at the first point: %+.4f ±%.4f\n", t.Best+1, found.Measure,
		meanAndError(best.Figure), meanAndError(first.Figure), t.Difference.Mean, t.Difference.Error)
	// Trainings above their gap make the figures of a surface uncertain.
	unconverged := 0
	for _, p := range t.Points {
		unconverged += p.Unconverged
	}
	if unconverged > 0 {
		fmt.Fprintf(s.stdout, "! %s ended above the gap\n", count(unconverged, "training"))
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  factor\t%s\n", tunedNames[t.Kind])
	// A factor belongs to a kernel or to a group of kernels.
	for k, name := range t.Factors {
		fmt.Fprintf(w, "  %s\t%.4g\n", fail.Cut(longNumber().ReplaceAllStringFunc(name, shortenNumber)), best.Factors[k])
	}
	return w.Flush()
}
