// Package lewis repeats the experiments of Lewis's thesis: stationary kernel combination and mixtures of kernels by
// maximum entropy discrimination.
package lewis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/gonen"
	"bigmkl/bench/internal/harness"
	"bigmkl/chunking"
	"bigmkl/dataset"
)

// mixtureParts lists the parts of chapters 1 and 4 of Lewis 2006 that are repeated.
// The names are the arguments of the command.
var mixtureParts = []string{"gaussians", "curve", "sets", "figure4.5"}

// Mixtures repeats the experiments with mixtures of Lewis's thesis.
func Mixtures() harness.Experiment {
	var seed uint64
	return harness.Experiment{
		Name: "mixtures", Short: "maximum entropy discrimination after Lewis (2006), chapters 3 and 4",
		Long: "Repeats the synthetic sets (eight Gaussians, the curve min(x^2, 1)), Tables 4.2 and 4.3 (sets: sonar and\n" +
			"heart in 5 x 3 folds, raw features, spherical normalisation, C = 1e4) and Figure 4.5 (one projection by\n" +
			"steps of pairs, by chunks and by a dense barrier method). All trainings run in this process.",
		Argument: "PART...", StandIn: "gaussians", Several: true,
		Flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "seed", 17, "seed of the rows that are drawn, of folds and of starts")
		},
		// Parts run in the order of the command line, and an unknown one ends the run.
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, args []string) error {
			m := &mixing{session: s, report: r, seed: seed}
			for _, part := range args {
				var err error
				switch part {
				case "gaussians":
					err = m.gaussians(ctx)
				case "curve":
					err = m.curve(ctx)
				case "sets":
					err = m.sets(ctx)
				case "figure4.5":
					err = m.projection(ctx)
				default:
					err = fmt.Errorf("no part %s (one of %s)", part, strings.Join(mixtureParts, ", "))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// mixing is what the parts share.
// Each part has a stream of random numbers of its own, by the seed and a number.
type mixing struct {
	session *harness.Session
	report  *harness.Report
	seed    uint64
}

// mixtureMethod is a way to train that is compared.
type mixtureMethod struct {
	name    string
	printed string // the thesis's accuracy, "" for none
	// options lack threads, seed and folder, which fit adds.
	options bigmkl.Options
}

// mixtureRow is one line of a table. Ended counts trainings that did not converge, whose accuracies are
// of the last step.
type mixtureRow struct {
	Method   string `json:"method" table:"method"`
	Training string `json:"training" table:"training accuracy"`
	Test     string `json:"test" table:"test accuracy"`
	Printed  string `json:"printed" table:"printed"`
	// Ended has the form "2 of 15", and is empty if all have converged.
	Ended string `json:"ended" table:"not converged"`
}

// fit trains one method. It returns its accuracies on the rows of the training and on test rows
// in percent, and whether it has converged. Without test rows the second one is 0. Predictions of the
// training rows count as accuracy here, because the figures of the thesis are about separability.
func (m *mixing) fit(ctx context.Context, o bigmkl.Options, train, test []dataset.Row) (own, other float64, converged bool, err error) {
	// The seed decides the starts of a mixture, so a second run gives the same figures.
	o.Threads, o.Scratch, o.Seed = m.session.Threads, m.session.Scratch, m.seed
	model, r, err := bigmkl.Train(ctx, harness.SourceOf(train), harness.AsPosed(o))
	if err != nil {
		return 0, 0, false, err
	}
	defer model.Close()
	if own, err = gonen.Accuracy(ctx, model, train); err == nil && test != nil {
		other, err = gonen.Accuracy(ctx, model, test)
	}
	return own, other, r.Status == chunking.Converged, err
}

// point is a row of two features.
// The first feature is x, the second one y.
func point(positive bool, x, y float64) dataset.Row {
	label := "-1"
	if positive {
		label = "1"
	}
	return dataset.Row{Label: label, Index: []int32{0, 1}, Value: []float64{x, y}}
}

// synthetic compares methods by their accuracy on the rows of the training: the sets show which
// decision functions a method can represent, and not how it generalises.
func (m *mixing) synthetic(ctx context.Context, t *harness.Table, methods []mixtureMethod, rows []dataset.Row) error {
	for _, method := range methods {
		m.session.Progress.ShowNow("%s, %s", t.Title, method.name)
		own, _, converged, err := m.fit(ctx, method.options, rows, nil)
		if err != nil {
			return err
		}
		row := mixtureRow{Method: method.name, Training: fmt.Sprintf("%.3f", own/100), Printed: method.printed}
		if !converged {
			row.Ended = "1 of 1"
		}
		t.Add(row)
	}
	return nil
}

// gaussians draws eight clouds of five rows, whose classes alternate (Figures 1.1 to 1.3, 4.1).
// Two linear components of each class can separate them. Components that are fitted to each
// class alone do not look at the boundary, and the thesis prints an accuracy of 0.50 for them.
func (m *mixing) gaussians(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(m.seed, 20))
	var rows []dataset.Row
	for k := range 40 {
		// The three lowest bits of k choose the cloud: the class, one of two pairs in x, and the side
		// in y.
		sign := func(bit int) float64 { return float64(1 - k/bit%2*2) }
		rows = append(rows, point(k%2 == 0, sign(1)+3*sign(2)+0.3*rng.NormFloat64(), 6*sign(4)+0.3*rng.NormFloat64()))
	}
	// 32 starts are tried, because the result of EM depends on its start.
	of := func(task string) bigmkl.Options {
		return bigmkl.Options{Task: task, Kernels: "linear", Components: "1,1/1,1", Normalize: "none", Restarts: 32}
	}
	return m.synthetic(ctx, m.report.Table("Eight Gaussians: 40 rows, two linear components a class, 32 starts"), []mixtureMethod{
		{"mixture of maximum likelihood", "0.50", of(bigmkl.TaskMixture)}, {"latent MED", "1.00", of(bigmkl.TaskMED)},
	}, rows)
}

// drawCurve draws rows above and below the curve min(x^2, 1) (Figures 4.2 and 4.3). A row is 0.125 to
// 0.375 above or below the curve, so both classes are separable by a margin.
// x is uniform in [-3, 3], and the classes alternate.
func drawCurve(n int, rng *rand.Rand) (rows []dataset.Row) {
	for k := range n {
		// The positive class lies above the curve.
		x, shift := 6*rng.Float64()-3, 0.125+0.25*rng.Float64()
		if k%2 == 1 {
			shift = -shift
		}
		rows = append(rows, point(k%2 == 0, x, min(x*x, 1)+shift))
	}
	return rows
}

// curve compares nonstationary with stationary combination. The curve is a parabola near 0 and a
// line beyond 1. One weight for each kernel cannot be right in both places, and weights that
// depend on the row can.
func (m *mixing) curve(ctx context.Context) error {
	rows := drawCurve(80, rand.New(rand.NewPCG(m.seed, 21)))
	of := func(kernels string, o bigmkl.Options) bigmkl.Options {
		o.Kernels, o.Normalize = kernels, "none"
		// Maximum likelihood has no cost.
		if o.Task != bigmkl.TaskMixture {
			o.C = 1000
		}
		return o
	}
	const both = "linear,poly:2"
	return m.synthetic(ctx, m.report.Table("The curve min(x^2, 1): 80 rows, linear and poly:2, C = 1000"), []mixtureMethod{
		// The thesis prints accuracies of NSKC alone, as figures show the others.
		{"linear", "", of("linear", bigmkl.Options{Norm: 2})}, {"quadratic", "", of("poly:2", bigmkl.Options{Norm: 2})},
		{"plain sum", "", of(both, bigmkl.Options{Norm: 2})}, {"learned weights (p = 1)", "", of(both, bigmkl.Options{Norm: 1})},
		{"mixture of maximum likelihood", "", of(both, bigmkl.Options{Task: bigmkl.TaskMixture})},
		{"NSKC", "1.00", of(both, bigmkl.Options{Task: bigmkl.TaskMED})},
		{"NSKC, without the entropy", "1.00", of(both, bigmkl.Options{Task: bigmkl.TaskMED, Entropy: bigmkl.EntropyDrop})},
	}, rows)
}

// sets repeats Tables 4.2 and 4.3: accuracies in five times three folds, with their standard
// errors. Features are raw and C is 1e4 as in the thesis, so some classifiers are badly
// conditioned; the column of the table counts those that did not converge.
func (m *mixing) sets(ctx context.Context) error {
	const quadratic, gauss, linear = "poly:2", "gauss:1", "linear"
	all := strings.Join([]string{quadratic, gauss, linear}, ",")
	for at, set := range []string{"sonar", "heart"} {
		d, ok := m.session.Data.Find(set, "")
		if !ok {
			m.report.Note("%s", m.session.Data.DescribeAbsence(set))
			continue
		}
		// Both sets have streams of their own.
		rng := rand.New(rand.NewPCG(m.seed, 22+uint64(at)))
		// 0 rows mean all.
		repeats, most := 5, 0
		if m.session.Quick {
			repeats, most = 1, 60
		}
		rows, err := gonen.ReadRows(d, gonen.Task{Set: set, Positive: []string{"1", "+1"}}, most, rng)
		if err != nil {
			return err
		}
		t := m.report.Table("Table 4.%d, %s: %d x 3 folds, C = 1e4", 2+at, set, repeats)
		// p = 2 on one kernel is an ordinary support vector machine.
		classifier := func(kernels string, p float64) bigmkl.Options {
			return bigmkl.Options{Kernels: kernels, Norm: p, C: 1e4, Normalize: "spherical"}
		}
		// The index of a list of printed values is the number of the set.
		methods := []mixtureMethod{
			{"quadratic", []string{"0.8145 ± 0.010", "0.6141 ± 0.032"}[at], classifier(quadratic, 2)},
			{"RBF", []string{"0.8595 ± 0.009", "0.5556 ± 0.010"}[at], classifier(gauss, 2)},
			{"linear", []string{"0.7297 ± 0.010", "0.5237 ± 0.020"}[at], classifier(linear, 2)},
			{"learned weights (p = 1)", []string{"0.8595 ± 0.009", "0.5556 ± 0.010"}[at], classifier(all, 1)},
			{"mixture of maximum likelihood", []string{"0.6817 ± 0.022", "0.5361 ± 0.024"}[at],
				bigmkl.Options{Task: bigmkl.TaskMixture, Kernels: all, Restarts: 1}},
			{"NSKC, without the entropy", []string{"0.8634 ± 0.008", "0.6052 ± 0.016"}[at],
				bigmkl.Options{Task: bigmkl.TaskMED, Kernels: all, C: 1e4, Entropy: bigmkl.EntropyDrop, Restarts: 1}},
			{"NSKC", "", bigmkl.Options{Task: bigmkl.TaskMED, Kernels: all, C: 1e4, Restarts: 1}},
		}
		var folds []gonen.Fold
		for range repeats {
			// Three equal parts with the shares of the classes. Each part is the test once.
			parts := gonen.Stratify(rows, []float64{1.0 / 3, 2.0 / 3, 1}, rng)
			for k := range parts {
				folds = append(folds, gonen.Fold{Train: slices.Concat(parts[(k+1)%3], parts[(k+2)%3]), Test: parts[k]})
			}
		}
		for _, method := range methods {
			var own, other []float64
			missed := 0
			for k, f := range folds {
				m.session.Progress.ShowNow("%s, %s, fold %d of %d", set, method.name, k+1, len(folds))
				// A classifier that raw features leave ill-conditioned may take for ever.
				method.options.MaxIterations = 3000
				a, b, converged, err := m.fit(ctx, method.options, f.Train, f.Test)
				if err != nil {
					return err
				}
				own, other = append(own, a/100), append(other, b/100)
				// The accuracy of the last step counts, and the column shows how many such trainings there
				// are.
				if !converged {
					missed++
				}
			}
			row := mixtureRow{Method: method.name, Training: harness.MeanAndError(own, "%.4f ± %.3f").String(),
				Test: harness.MeanAndError(other, "%.4f ± %.3f").String(), Printed: method.printed}
			if missed > 0 {
				row.Ended = fmt.Sprintf("%d of %d", missed, len(folds))
			}
			t.Add(row)
		}
	}
	return nil
}
