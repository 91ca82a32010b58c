package thesis

import (
	"context"
	"strconv"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
)

// Classifiers of one run share the cached kernel rows, which ten runs compute ten times. The ratio of the processor
// times shows how much of a training is kernel values. One set of weights couples the classifiers, so each is
// optimised again after every move of the weights; pairs have many small problems.

// classesRow is one way to train classifiers for the ten digits.
type classesRow struct {
	// Way names how the digits are trained, and Classifiers their number.
	Way         string  `json:"way" table:"ten digits"`
	Points      int     `json:"n" table:"n"`
	Norm        string  `json:"p" table:"p"`
	Classifiers int     `json:"machines" table:"classifiers"`
	Seconds     float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU         float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	// Against is the processor time relative to ten runs, each for one digit.
	Against float64 `json:"against_alone" table:"of ten runs alone|%.2f"`
	harness.Certificate
	Run harness.Outcome `json:"run"`
}

// Classes compares several classifiers in one run with one run for each classifier.
// All trainings have the same kernels and the same gap.
func Classes() harness.Experiment {
	var sizes []int
	var norms []string
	return harness.Experiment{
		Name: "classes", Short: "ten classes in one run against a run for each",
		Long: "Trains the ten digits of MNIST with 50 Gaussians as in figure31: ten classifiers of one\n" +
			"class against the rest in ten runs, the same in one run, with one set of weights, and\n" +
			"the 45 classifiers of the pairs. The run of even against odd digits shows the size of one.",
		Flags: func(f *pflag.FlagSet) {
			f.IntSliceVar(&sizes, "sizes", nil, "numbers of points (default 4000, 20000)")
			f.StringSliceVar(&norms, "norms", nil, "block norms (default 4/3)")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			// Sizes and norms make a grid, with all ways at each point.
			// All trainings have the same digits.
			digits := findTenDigits(s, r)
			t := r.Table("ten digits, %s", harness.FiftyGaussians)
			for _, n := range s.ChooseInts(sizes, []int{4000, 20000}, []int{300}) {
				for _, norm := range harness.OrDefault(norms, []string{"4/3"}) {
					// Each size and norm adds five lines.
					if err := compareClasses(ctx, s, t, digits, norm, n); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// findTenDigits returns MNIST, or generated images of ten classes if it is absent.
func findTenDigits(s *harness.Session, r *harness.Report) harness.DataSet {
	// The generated digits have two classes. Patterns have ten.
	d, _ := s.Data.FindDigits(r)
	if d.Synthetic != nil {
		d.Synthetic.Kind = "patterns"
	}
	return d
}

// compareClasses trains the ten digits in each way and adds the rows. Processor time is
// compared, because the ways use threads to different degrees.
func compareClasses(ctx context.Context, s *harness.Session, t *harness.Table, digits harness.DataSet, norm string,
	n int) error {
	const count = 10
	// o has only the way in which several classifiers are trained.
	train := func(o bigmkl.Options, positive []string) (harness.Outcome, error) {
		// Only the positive labels and the kind of several classifiers change.
		u := harness.ThesisTraining(digits, positive, harness.FiftyGaussians, norm, n)
		u.Options.Multiclass, u.Options.OneTheta = o.Multiclass, o.OneTheta
		return s.Train(ctx, u)
	}
	// The ten runs come first, because the other rows are relative to their sum.
	var alone harness.Outcome
	for k := range count {
		// Digit k is the positive class, and all others are negative.
		o, err := train(bigmkl.Options{}, []string{strconv.Itoa(k)})
		if err != nil {
			return err
		}
		alone = addRuns(alone, o)
	}
	// The processor time includes the reading, which ten runs do ten times.
	add := func(way string, classifiers int, o harness.Outcome) {
		t.Add(classesRow{way, o.Points, norm, classifiers, o.Seconds, o.CPU, o.CPU / alone.CPU,
			o.Certificate, o})
	}
	add("ten runs", count, alone)
	for _, c := range []struct {
		way         string
		classifiers int
		o           bigmkl.Options
		positive    []string
	}{
		{"ovr", count, bigmkl.Options{Multiclass: bigmkl.OneVsRest}, nil},
		{"ovr, one set of weights", count,
			bigmkl.Options{Multiclass: bigmkl.OneVsRest, OneTheta: true}, nil},
		// Each of the 45 pairs trains on the rows of two classes.
		{"ovo", count * (count - 1) / 2, bigmkl.Options{Multiclass: bigmkl.OneVsOne}, nil},
		{"even against odd", 1, bigmkl.Options{}, harness.EvenDigits},
	} {
		// The options of a line and its positive labels define its way.
		o, err := train(c.o, c.positive)
		if err != nil {
			return err
		}
		add(c.way, c.classifiers, o)
	}
	return nil
}

// addRuns adds up two runs that follow each other. Times and counts are sums. Peaks of memory
// are maxima, since the runs are not at the same time. The certificate is the worse one.
// The zero value of o is the sum of no runs.
func addRuns(o, next harness.Outcome) harness.Outcome {
	// CPU includes the reading, and Seconds the training alone.
	next.Seconds += o.Seconds
	next.CPU += o.CPU
	next.Iterations += o.Iterations
	next.Passes += o.Passes
	next.Rows += o.Rows
	next.Support += o.Support
	// The largest gap describes all runs.
	next.Gap = max(next.Gap, o.Gap)
	// One run that missed its gap marks the sum.
	if o.Status != "" && !o.Converged() {
		next.Status = o.Status
	}
	next.Resident, next.Anonymous = max(next.Resident, o.Resident), max(next.Anonymous, o.Anonymous)
	return next
}
