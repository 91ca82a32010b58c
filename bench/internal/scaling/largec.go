package scaling

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// A large C lets the dual variables grow, and kernels that nearly depend on each other leave directions in which the
// dual is flat. First-order steps need many iterations then. The list has the cases on which versions of the solver
// differed most. Turns run all problems one after the other, so a slow minute of the computer meets all of them.

// largeRow is a training with a large C or a small gap. Seconds are medians over the turns. Iterations,
// gap and status are the same in every turn, and come from the first.
type largeRow struct {
	Name    string  `json:"data" table:"data"`
	Points  int     `json:"n" table:"n"`
	Kernels int     `json:"kernels" table:"kernels"`
	Norm    string  `json:"p" table:"p"`
	C       float64 `json:"C" table:"C|%g"`
	// Target is the gap to reach, and Gap the one that was reached.
	Target  float64 `json:"target_gap" table:"gap asked|%.0e"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU     float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	// Steps counts iterations of chunking.
	Steps  int     `json:"iterations" table:"iterations"`
	Gap    float64 `json:"relative_gap" table:"relative gap|%.1e"`
	Status string  `json:"status" table:"status"`
}

// largeLine is a problem on a data set.
type largeLine struct {
	// set is the name of a data set, and norm the text of a block norm.
	set, norm string
	options   bigmkl.Options
}

// LargeC trains with large costs, kernels that are nearly linear combinations of each other, and small gaps.
// A training may end at the time limit. Its gap is then the figure to compare.
func LargeC() harness.Experiment {
	// turns is the number of repetitions, and most the time limit of a training.
	var turns int
	var most time.Duration
	return harness.Experiment{
		Name: "largec", Short: "large costs, dependent kernels and small gaps",
		Long: "Trains problems that are badly conditioned: large C, or kernels that are nearly linear combinations of\n" +
			"each other. The last lines have the same problem with the gaps 1e-3 and 1e-6. The problems are trained one\n" +
			"after the other, in several turns.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&turns, "turns", 3, "`NUMBER` of times that each problem is trained")
			f.DurationVar(&most, "most", 40*time.Second, "`TIME` after which a training ends")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// found[k] has the outcome of problem k in each turn.
			lines, data := presentLines(s, r)
			found := make([][]harness.Outcome, len(lines))
			var err error
			for range max(turns, 1) {
				for k, l := range lines {
					u := harness.Training{Data: data[k], Norm: l.norm, Options: l.options}
					u.Options.MaxTime = most
					var o harness.Outcome
					if o, err = s.Train(ctx, u); err != nil {
						break
					}
					found[k] = append(found[k], o)
				}
				// A quick run has one turn.
				if err != nil || s.Quick {
					break
				}
			}
			// After an interrupt, problems without a training have no line.
			t := r.Table("Large costs and small gaps")
			for k, l := range lines {
				if len(found[k]) > 0 {
					t.Add(l.row(found[k]))
				}
			}
			t.Note("Seconds and CPU s are medians over the turns. A training that takes longer than %s ends with the gap in hand.", most)
			return err
		},
	}
}

// presentLines lists the problems whose data are found, and their data. It notes data sets that
// are absent. Quick runs have generated rows in place of all.
func presentLines(s *harness.Session, r *harness.Report) (lines []largeLine, data []harness.DataSet) {
	for _, l := range largeLines(s) {
		// The name of the set stays in the table, also for generated rows.
		d, ok := s.Data.Find(l.set, "")
		// Four features and 120 rows train in milliseconds.
		if d.Name = l.set; s.Quick {
			d.Synthetic = &harness.Synthetic{Kind: "dense", Points: 120, Features: 4, Seed: 7}
		} else if !ok {
			r.Note("%s", s.Data.DescribeAbsence(l.set))
			continue
		}
		lines, data = append(lines, l), append(data, d)
	}
	return lines, data
}

// largeLines lists the problems. Each line varies one thing: C, the number of rows, or the gap,
// so the table shows what the time grows with.
func largeLines(s *harness.Session) (list []largeLine) {
	const gap = 1e-3
	if s.Quick {
		return []largeLine{
			{"one kernel", "1", bigmkl.Options{Kernels: "gauss:0.05", C: 1e3, Gap: gap}},
			{"a kernel for each feature", "1", bigmkl.Options{Kernels: "gauss:auto/3@each-feature", C: 1e3, Gap: 1e-5}},
		}
	}
	wine := bigmkl.Options{Task: bigmkl.TaskSVR, Epsilon: 0.1, Scale: dataset.ScaleMinMax, Normalize: "none", Kernels: "gauss:5", Gap: gap, Limit: 2000}
	// o is passed by value, so each line has options of its own.
	add := func(set, norm string, o bigmkl.Options, c float64) {
		o.C = c
		list = append(list, largeLine{set, norm, o})
	}
	for _, c := range []float64{10, 100, 1e3, 1e4} {
		add("whitewine", "1", wine, c)
	}
	// The next two lines have more rows at one C.
	wine.Limit = 3500
	add("whitewine", "1", wine, 1e3)
	wine.Limit = 0
	add("whitewine", "1", wine, 1e3)
	// Ten widths on each feature are nearly linear combinations of each other.
	features := bigmkl.Options{Task: bigmkl.TaskSVR, Epsilon: 0.1, Scale: dataset.ScaleStandard, Kernels: "gauss:auto/10@each-feature", Gap: gap, Limit: 1000}
	for _, c := range []float64{100, 1e3} {
		add("whitewine", "4/3", features, c)
	}
	// The width is fixed, so C alone changes the condition.
	adult := bigmkl.Options{Normalize: "none", Kernels: "gauss:0.00813", Gap: gap, Limit: 2000}
	for _, c := range []float64{1e3, 1e5} {
		add("a9a", "1", adult, c)
	}
	add("a9a", "4", bigmkl.Options{Kernels: "gauss:auto@random:10*100", Seed: 1, Gap: gap, Limit: 2000}, 56)
	trees := bigmkl.Options{Positive: []string{"2"}, Scale: dataset.ScaleMinMax, Normalize: "none", Kernels: "gauss:1", Gap: gap, Limit: 2000}
	add("covtype20k", "1", trees, 1e3)
	add("wine", "1", bigmkl.Options{Positive: []string{"1"}, Kernels: "linear@each-feature", Gap: 1e-6}, 1e4)
	// Three kernels of growing degree are nearly dependent on 200 rows.
	digits := bigmkl.Options{Positive: harness.EvenDigits, Kernels: "linear,poly:2,poly:3", Gap: 1e-6, Limit: 200}
	add("mnist", "4/3", digits, 1542)
	// The last two lines differ in their gap alone, so they show what three digits more cost.
	digits.Limit, digits.Scale, digits.Kernels = 4000, "global", "gauss:auto/50"
	for _, small := range []float64{1e-3, 1e-6} {
		digits.Gap = small
		add("mnist", "4/3", digits, 1)
	}
	return list
}

// row makes a row of the trainings of a problem.
func (l *largeLine) row(found []harness.Outcome) largeRow {
	var seconds, cpu []float64
	for _, o := range found {
		seconds, cpu = append(seconds, o.Seconds), append(cpu, o.CPU)
	}
	// Every turn solves the same problem to the same bits.
	o := found[0]
	return largeRow{Name: l.set, Points: o.Points, Kernels: o.Kernels, Norm: l.norm, C: l.options.C, Target: l.options.Gap,
		Seconds: harness.MedianOf(seconds), CPU: harness.MedianOf(cpu), Steps: o.Iterations, Gap: o.Gap, Status: o.Status}
}
