package thesis

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"bigmkl/bench/internal/harness"
	"bigmkl/chunking"
)

// solverChoice is one internal parameter of the solver, set to a value.
type solverChoice struct {
	// The names are words of the table, and not names of fields.
	name, value string
	tuning      chunking.Tuning
}

// listChoices varies one parameter at a time around the default values, which the zero Tuning
// represents. A table of all combinations would take days; interactions of two parameters are
// not found.
func listChoices() []solverChoice {
	// The first line has the defaults, and all other times are relative to it.
	list := []solverChoice{{name: "as chosen"}}
	// vary adds a line for each value of one parameter.
	vary := func(name string, set func(t *chunking.Tuning, v float64), values ...float64) {
		for _, v := range values {
			c := solverChoice{name: name, value: fmt.Sprintf("%g", v)}
			set(&c.tuning, v)
			list = append(list, c)
		}
	}
	// 0 leaves the size of the working set to the solver, which lets it grow with n.
	vary("working set", func(t *chunking.Tuning, v float64) { t.WorkingSet = int(v) }, 64, 128, 256,
		384, 512, 768, 1024)
	vary("share of new violators", func(t *chunking.Tuning, v float64) { t.Fresh = v }, 0.25, 0.375,
		0.5, 0.625, 0.75, 1)
	vary("inner tolerance", func(t *chunking.Tuning, v float64) { t.Inner = v }, 0.3, 0.2, 0.1,
		0.05, 0.02, 0.01, 0.001)
	vary("coarse tolerance", func(t *chunking.Tuning, v float64) { t.Coarse = v }, 0.05, 0.3, 0.5,
		0.8)
	vary("shrinking to", func(t *chunking.Tuning, v float64) { t.Shrink = v }, 0.3, 0.4, 0.5, 0.75,
		0.9)
	return append(list,
		solverChoice{name: "shrinking to", value: "never", tuning: chunking.Tuning{NoShrink: true}})
}

// choiceRow is a parameter value on a problem. Seconds are the median of the repeats; the other
// figures belong to the last run.
type choiceRow struct {
	Choice  string  `json:"choice" table:"choice"`
	Value   string  `json:"value" table:"value"`
	Seconds float64 `json:"train_seconds" table:"seconds|%.2f"`
	Against float64 `json:"against_chosen" table:"of the time as chosen|%.2f"`
	// Repeats is smaller than asked after an interrupt.
	Repeats int `json:"repeats" table:"runs"`
	// Whole counts rows by the share of the points that they are on: a row on the active points
	// alone is a part of one, as is the merged row of a point for those that wake.
	Whole float64 `json:"whole_rows" table:"whole rows|%.0f"`
	harness.Certificate
	Run harness.Outcome `json:"run"`
}

// Choices measures the effect of the internal parameters of the solver. The defaults of chunking.Tuning
// rest on these tables.
func Choices() harness.Experiment {
	var points []int
	var repeats int
	return harness.Experiment{
		Name:  "choices",
		Short: "working-set size, share of new violators, inner tolerance and shrinking",
		Long: "Varies one internal parameter of the solver at a time and reports iterations, passes,\n" +
			"rows and seconds. The values take turns, and seconds are the median.",
		Flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&points, "points", nil,
				"numbers of points of MNIST (default 4000, 20000)")
			f.IntVar(&repeats, "repeat", 0, "number of runs of each value (default 3)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			if repeats == 0 {
				repeats = s.ChooseInts(nil, []int{3}, []int{1})[0]
			}
			// Each problem has a table of its own, because a good value may differ between them.
			for _, u := range listChoiceProblems(s, r,
				s.ChooseInts(points, []int{4000, 20000}, []int{700})) {
				if err := runChoicesInTurns(ctx, s, r.Table("%s, one choice varied at a time", u), u,
					repeats); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// listChoiceProblems returns MNIST with 50 kernels on a common base at two norms, and sparse data
// with ten kernels.
func listChoiceProblems(s *harness.Session, r *harness.Report, points []int) []harness.Training {
	digits, positive := s.Data.FindDigits(r)
	var list []harness.Training
	for _, n := range points {
		for _, norm := range []string{"4/3", "1"} {
			list = append(list, harness.ThesisTraining(digits, positive, harness.FiftyGaussians, norm, n))
		}
	}
	if a9a, there := s.Data.Find("a9a", ""); there {
		u := harness.ThesisTraining(a9a, nil, "gauss:auto/10", "4/3", 2*points[0])
		// The features of a9a are 0 and 1 already.
		u.Options.Scale = "none"
		list = append(list, u)
	} else {
		r.Note("%s", s.Data.DescribeAbsence("a9a"))
	}
	if s.Quick {
		list = list[:1]
	}
	return list
}

// runChoicesInTurns runs a problem with each parameter value in turn. After an interrupt, the table
// keeps what was measured. Against is relative to the line "as chosen" of the same turns, so slow
// minutes of the computer cancel.
func runChoicesInTurns(ctx context.Context, s *harness.Session, t *harness.Table, u harness.Training,
	repeats int) error {
	var err error
	all := listChoices()
	times := make([][]float64, len(all))
	last := make([]harness.Outcome, len(all))
turns:
	for range repeats {
		for i, c := range all {
			v := u
			v.Options.Tuning = c.tuning
			var o harness.Outcome
			if o, err = s.Train(ctx, v); err != nil {
				break turns
			}
			times[i], last[i] = append(times[i], o.Seconds), o
		}
	}
	for i, c := range all {
		if len(times[i]) == 0 {
			continue
		}
		median := harness.MedianOf(times[i])
		o := last[i]
		// Entries counts kernel values. A whole row has as many as points times kernels.
		whole := float64(o.Entries) / max(float64(o.Points)*float64(o.Kernels), 1)
		t.Add(choiceRow{c.name, c.value, median, harness.Ratio(median, harness.MedianOf(times[0])), len(times[i]),
			whole, o.Certificate, o})
	}
	return err
}
