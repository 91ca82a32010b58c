// Package ye repeats the experiments of Ye, Ji and Chen (2008) on discriminant kernel learning.
package ye

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/internal/discriminant"
)

// discriminantRow is one method on one set: means over random splits.
type discriminantRow struct {
	Set      string `json:"set" table:"set"`
	Method   string `json:"method" table:"method"`
	Accuracy string `json:"accuracy" table:"test accuracy %"`
	// Weights has ten numbers, one for each width of a Gaussian.
	Weights string `json:"weights" table:"mean weights, sigma = 0.1 .. 100"`
	Cost    string `json:"cost_weight" table:"weight of lambda or 1/C"`
	Support string `json:"support" table:"support vectors"`
	// Printed has the figures of the paper, and Verdict whether they agree within their errors.
	Printed string `json:"printed" table:"printed in the paper"`
	Verdict string `json:"verdict" table:"verdict"`
}

// discriminantMethods lists the methods in the order of the tables. The classifiers of two classes
// have C = 1 and weights that sum to 10 in the paper, which is C = 10 here.
// RKDA is the discriminant with a given lambda. SM1, SM2 and SM2_C are classifiers with one norm and
// different losses.
var discriminantMethods = []string{"RKDA", "RKDA, joint", "SM1", "SM2", "SM2_C"}

// discriminantResult is what one training gives. Weights are in the order of the paper.
type discriminantResult struct {
	// accuracy is in percent. costWeight is the weight of lambda or 1/C, and support the number of support
	// vectors.
	accuracy, costWeight, support float64
	// weights sum to 1, from the narrowest kernel to the widest.
	weights []float64
}

// Experiment repeats tables of Ye, Ji and Chen (2008).
// The parts share the sets and the kernels.
func Experiment() harness.Experiment {
	var seed uint64
	var splits int
	var programs []string
	return harness.Experiment{
		Name: "discriminant", Short: "tables of Ye, Ji and Chen (2008)",
		Long: "Discriminant kernel learning with a given lambda of 5e-4 and one that is found, by cutting\n" +
			"planes and with nearest means, and classifiers of the hinge (SM1), of the squared hinge (SM2) and with\n" +
			"a cost that is found (SM2_C), with their support vectors, on random splits of the sets of Tables 2, 3,\n" +
			"5, 9, 10 to 14 and 17. Of satimage and segment 100 rows of each class are drawn. Features are scaled on\n" +
			"all rows, and there are ten Gaussian kernels, for the classifiers without normalisation. That is the part\n" +
			"accuracy; the part times is Table 16, the time of each program, and lambda is Figure 3, the accuracy\n" +
			"against lambda.",
		Argument: "PART...", StandIn: "accuracy", Several: true,
		Flags: func(f *pflag.FlagSet) {
			f.Uint64Var(&seed, "seed", 18, "seed of the splits")
			f.IntVar(&splits, "splits", 30, "number of random splits")
			f.StringSliceVar(&programs, "programs", ridgePrograms, "programs of the part lambda")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, args []string) error {
			// Two splits give an error of the mean.
			if s.Quick {
				splits = 2
			}
			// The parts run in the order of the command line, and the first error ends the run.
			for _, part := range args {
				var err error
				switch part {
				case "accuracy":
					err = discriminantTables(ctx, s, r, splits, seed)
				case "times":
					err = discriminantTimes(ctx, s, r, seed)
				case "lambda":
					err = discriminantRidges(ctx, s, r, programs, splits, seed)
				default:
					err = fmt.Errorf("no part %s (accuracy, times or lambda)", part)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// paperGap and paperLambda are values from the paper.
const (
	// The first is the relative gap of every training, and the second the ridge parameter of RKDA.
	paperGap    = 5e-4
	paperLambda = 5e-4
)

// discriminantTables adds the rows of all sets.
func discriminantTables(ctx context.Context, s *harness.Session, r *harness.Report, splits int,
	seed uint64) error {
	t := r.Table("Tables 2, 3, 5, 9, 10 to 14 and 17: means of %d splits with their standard errors",
		splits)
	for _, set := range discriminantSets() {
		// A set that is absent has a note, and the others follow.
		d, ok := s.Data.FindFile(set.folder, set.file)
		if !ok {
			r.Note("%s", s.Data.DescribeAbsence(set.folder))
			continue
		}
		if err := discriminantTable(ctx, s, t, set, d, splits, seed); err != nil {
			return err
		}
	}
	return nil
}

// discriminantTable adds the rows of one set. All methods have the same splits, so their
// differences are not differences of splits.
func discriminantTable(ctx context.Context, s *harness.Session, t *harness.Table, set discriminantSet,
	d harness.DataSet, splits int, seed uint64) error {
	// The paper scales on all rows, so the test rows have part in the scaling.
	rows, err := readScaled(d)
	if err != nil {
		return err
	}
	// The seed of a set does not depend on other sets, so a part of the sets gives the same rows.
	rng, results := rand.New(rand.NewPCG(seed, 18)), make([]map[string]discriminantResult, splits)
	// Tables 10 to 14 have parts of larger sets.
	if set.classes > 0 {
		rows = rows.draw(set.classes, drawnRows, rng)
	}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(s.Threads)
	// The order is drawn outside of the goroutine. Splits then do not depend on which goroutine
	// is first.
	for k := range splits {
		// The first rows of a random order are for training.
		order := rng.Perm(len(rows.features))
		cut := int(math.Round(set.share * float64(len(order))))
		group.Go(func() (err error) {
			s.Progress.ShowNow("%s, split %d of %d", set.name, k+1, splits)
			// Each goroutine writes its own entry, so no lock is needed.
			results[k], err = rows.trainSplit(inner, s, order[:cut], order[cut:])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	// Sets of more than two classes have no rows of the classifiers of two classes.
	for _, method := range discriminantMethods {
		var list []discriminantResult
		for _, found := range results {
			if r, ok := found[method]; ok {
				list = append(list, r)
			}
		}
		if len(list) > 0 {
			t.Add(newDiscriminantRow(set, method, list))
		}
	}
	return nil
}

// newDiscriminantRow compares the means of a method with the printed ones: the accuracy by two
// standard errors of the difference, and each weight by 0.1.
func newDiscriminantRow(set discriminantSet, method string,
	list []discriminantResult) discriminantRow {
	// The first pass computes means, and the second the deviation, whose divisor is n - 1.
	n, mean, square, cost, support := float64(len(list)), 0.0, 0.0, 0.0, 0.0
	weights := make([]float64, len(list[0].weights))
	for _, r := range list {
		mean, cost, support = mean+r.accuracy/n, cost+r.costWeight/n, support+r.support/n
		for k, x := range r.weights {
			weights[k] += x / n
		}
	}
	for _, r := range list {
		square += (r.accuracy - mean) * (r.accuracy - mean)
	}
	// deviation belongs to single splits, and deviation / sqrt(n) to their mean.
	deviation := math.Sqrt(square / max(1, n-1))
	row := discriminantRow{
		Set: set.name, Method: method,
		Accuracy: fmt.Sprintf("%.2f ± %.2f", mean, deviation/math.Sqrt(n)), Weights: formatWeights(weights),
	}
	// Only these methods find the cost.
	if strings.HasSuffix(method, "joint") || method == "SM2_C" {
		row.Cost = fmt.Sprintf("%.2g", cost)
	}
	if support > 0 {
		row.Support = fmt.Sprintf("%.1f", support)
	}
	// Not every method has a printed figure for every set.
	p, ok := set.printed[method]
	if !ok {
		return row
	}
	// The printed number follows in parentheses.
	if p.support > 0 {
		row.Support += fmt.Sprintf(" (%.1f)", p.support)
	}
	// The paper prints deviations over 30 splits. Its standard error is the deviation divided by sqrt(30).
	const printedSplits = 30
	row.Printed = fmt.Sprintf("%.2f ± %.2f", p.accuracy, p.deviation/math.Sqrt(printedSplits))
	if p.weights != nil {
		row.Printed += ", " + formatWeights(p.weights)
	}
	// A verdict needs a printed figure. Rows without one have none.
	row.Verdict = "met"
	// Both means are of random splits that the other does not have, so their difference has the
	// sum of both squared errors.
	apart := math.Sqrt(deviation*deviation/n + p.deviation*p.deviation/printedSplits)
	if off := mean - p.accuracy; math.Abs(off) > 2*apart {
		row.Verdict = fmt.Sprintf("accuracy off by %.2f", off)
	}
	// 0.1 is a tolerance of this comparison and not of the paper.
	for k, x := range p.weights {
		if off := weights[k] - x; math.Abs(off) > 0.1 {
			row.Verdict += fmt.Sprintf(", weight %d off by %.2f", k+1, off)
		}
	}
	// A weight that is off replaces "met".
	row.Verdict = strings.TrimPrefix(row.Verdict, "met, ")
	return row
}

// drawnRows is the number of rows of each class of Tables 10 to 14. The paper does not state how
// many they were.
const drawnRows = 100

// formatWeights writes weights in three digits.
// The zero before the point is left out, as in the paper.
func formatWeights(weights []float64) string {
	var text []string
	for _, x := range weights {
		text = append(text, strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0"))
	}
	return strings.Join(text, " ")
}

// trainSplit trains all methods on some rows and tests them on others. RKDA is solved by package
// discriminant on matrices, as in the paper. The classifiers of two classes are trained by the
// library.
func (d *scaledRows) trainSplit(ctx context.Context, s *harness.Session, train, test []int) (
	map[string]discriminantResult, error) {
	found := map[string]discriminantResult{}
	// joint finds lambda together with the weights, as the weight of the identity.
	for _, joint := range []bool{false, true} {
		name, p := "RKDA", d.problem(train)
		if p.Lambda = paperLambda; joint {
			name, p.Joint, p.Lambda = "RKDA, joint", true, 0
		}
		p.Gap = paperGap
		// Solve works on centred matrices in float64.
		solved, err := discriminant.Solve(ctx, discriminant.CPMWrapper, p)
		if err != nil {
			return nil, err
		}
		// The discriminant assigns a test row to the nearest mean of a class.
		accuracy := d.testMeans(solved, p, train, test)
		found[name] = discriminantResult{
			accuracy: accuracy, costWeight: solved.CostWeight, weights: reversed(solved.Theta),
		}
	}
	if d.count != 2 {
		return found, nil
	}
	// SM1 has the hinge, SM2 the squared hinge, and SM2_C also finds C.
	for name, o := range map[string]bigmkl.Options{
		"SM1": {C: 10}, "SM2": {C: 10, Loss: bigmkl.LossSquaredHinge},
		"SM2_C": {JointCost: true, Loss: bigmkl.LossSquaredHinge},
	} {
		// The weights sum to 1 at p = 1, so C = 10 replaces weights that sum to 10.
		o.Kernels, o.Norm, o.Gap, o.Threads, o.Scratch = discriminantBank, 1, paperGap, 1, s.Scratch
		o.Normalize = "none" // a Gaussian has k(x,x) = 1
		// AsPosed keeps the problem of the paper, without the changes of the defaults.
		m, _, err := bigmkl.Train(ctx, d.source(train), harness.AsPosed(o))
		if err != nil {
			return nil, err
		}
		r := discriminantResult{weights: reversed(m.Theta), support: float64(len(m.Support))}
		// CostWeight is 1/C, found along with the weights.
		if m.CostWeight != nil {
			r.costWeight = *m.CostWeight
		}
		if r.accuracy, err = d.testClassifier(ctx, m, test); err != nil {
			return nil, err
		}
		found[name] = r
	}
	return found, nil
}
