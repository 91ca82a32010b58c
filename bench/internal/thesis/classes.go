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
	Way         string  `json:"way" table:"ten digits"`
	Points      int     `json:"n" table:"n"`
	Norm        string  `json:"p" table:"p"`
	Classifiers int     `json:"machines" table:"classifiers"`
	Seconds     float64 `json:"train_seconds" table:"seconds|%.2f"`
	CPU         float64 `json:"cpu_seconds" table:"CPU s with reading|%.2f"`
	Against     float64 `json:"against_alone" table:"of ten runs alone|%.2f"`
	harness.Certificate
	Run harness.Outcome `json:"run"`
}

// Classes compares several classifiers in one run with one run for each classifier.
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
			digits := findTenDigits(s, r)
			t := r.Table("ten digits, %s", harness.FiftyGaussians)
			for _, n := range s.ChooseInts(sizes, []int{4000, 20000}, []int{300}) {
				for _, norm := range harness.OrDefault(norms, []string{"4/3"}) {
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
	train := func(o bigmkl.Options, positive []string) (harness.Outcome, error) {
		u := harness.ThesisTraining(digits, positive, harness.FiftyGaussians, norm, n)
		u.Options.Multiclass, u.Options.OneTheta = o.Multiclass, o.OneTheta
		return s.Train(ctx, u)
	}
	var alone harness.Outcome
	for k := range count {
		o, err := train(bigmkl.Options{}, []string{strconv.Itoa(k)})
		if err != nil {
			return err
		}
		alone = addRuns(alone, o)
	}
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
		{"ovo", count * (count - 1) / 2, bigmkl.Options{Multiclass: bigmkl.OneVsOne}, nil},
		{"even against odd", 1, bigmkl.Options{}, harness.EvenDigits},
	} {
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
func addRuns(o, next harness.Outcome) harness.Outcome {
	next.Seconds += o.Seconds
	next.CPU += o.CPU
	next.Iterations += o.Iterations
	next.Passes += o.Passes
	next.Rows += o.Rows
	next.Support += o.Support
	next.Gap = max(next.Gap, o.Gap)
	if o.Status != "" && !o.Converged() {
		next.Status = o.Status
	}
	next.Resident, next.Anonymous = max(next.Resident, o.Resident), max(next.Anonymous, o.Anonymous)
	return next
}
