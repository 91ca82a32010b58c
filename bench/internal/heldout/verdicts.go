package heldout

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/selection"
)

// A selection reports whether the data show a difference of two combinations. The experiment
// simulates the null: two sources that are alike by construction must be called different in one
// data set of twenty. With sources that differ it counts how often the difference is found.

// sourceFeatures is the number of features of each of the two sources.
const sourceFeatures = 4

// twoSources draws rows of two classes. The first feature of a source has the class, times its shift,
// and all features have a normal error: given the class, the sources are independent. The classes
// alternate, so both have equally many rows in each data set.
// Row i has class 1 for even i, and -1 for odd i. f_s = y shift_s + e for the first feature of source s, e
// standard normal.
func twoSources(rng *rand.Rand, n int, shifts [2]float64) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		y := 1 - 2*float64(i%2)
		rows[i].Label = strconv.Itoa(int(y))
		for f := range 2 * sourceFeatures {
			x := rng.NormFloat64()
			if f%sourceFeatures == 0 {
				x += y * shifts[f/sourceFeatures]
			}
			rows[i].Index = append(rows[i].Index, int32(f))
			rows[i].Value = append(rows[i].Value, x)
		}
	}
	return rows
}

// schemes are the ways to leave rows out whose verdicts are counted. They differ in how many rows the
// trainings share, which is what the correction of the test has to account for.
// The names are the values of --scheme.
var schemes = []struct {
	name   string
	splits selection.Splits
}{
	{"5 folds", selection.Splits{Folds: 5}},
	{"10 folds", selection.Splits{Folds: 10}},
	{"5 folds, 5 times", selection.Splits{Folds: 5, Repeat: 5}},
	{"2 folds, 5 times", selection.Splits{Folds: 2, Repeat: 5}},
	{"30 splits of 0.2", selection.Splits{Random: 30, Share: 0.2}},
	{"10 splits of 0.5", selection.Splits{Random: 10, Share: 0.5}},
}

// verdictRow is a line of the table: the number of data sets, and in how many of them each test reports
// a difference.
type verdictRow struct {
	Scheme string `json:"scheme" table:"left out"`
	Sets   int    `json:"sets" table:"data sets"`
	// Corrected counts p-values of the corrected resampled t test below 0.05, Plain and Ranks the tests
	// without a correction.
	Corrected int `json:"corrected" table:"p < 0.05"`
	// Decided and Equivalent count verdicts of the Bayesian test, at a probability above 0.95.
	Decided    int `json:"decided" table:"better or worse"`
	Equivalent int `json:"equivalent" table:"equivalent"`
	Plain      int `json:"plain" table:"plain t test"`
	Ranks      int `json:"ranks" table:"signed ranks"`
}

// Verdicts counts how often a selection calls two sources different.
func Verdicts() harness.Experiment {
	var sets int
	var only string
	var seed uint64
	return harness.Experiment{
		Name: "verdicts", Short: "how often select calls alike sources different, and different ones",
		Long: "Draws data sets of 60 to 400 rows with two sources and compares them by selections of several schemes of\n" +
			"folds and splits. The sources are alike by construction, and then one has a larger effect. The plain t test and\n" +
			"signed ranks stand beside the corrected test for comparison. The trainings run in this process.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&sets, "sets", 0, "number of data sets (default 200)")
			f.StringVar(&only, "scheme", "", "measure this line of the table alone")
			f.Uint64Var(&seed, "seed", 1, "seed of the data sets")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			if sets == 0 {
				sets = s.ChooseInts(nil, []int{200}, []int{2})[0]
			}
			for _, c := range []struct {
				title  string
				shifts [2]float64
			}{
				// Equal shifts make every difference of the sources chance.
				{"Two sources that are alike", [2]float64{0.8, 0.8}},
				{"Two sources of which the first has a larger effect (0.9 against 0.5 deviations)", [2]float64{0.9, 0.5}},
			} {
				t := r.Table("%s: in how many data sets of 60, 120, 200 and 400 rows a difference is called", c.title)
				for _, scheme := range schemes {
					if only != "" && only != scheme.name {
						continue
					}
					row := verdictRow{Scheme: scheme.name}
					for k := range sets {
						// Sizes alternate, so the first data sets of a run already have all sizes.
						n := []int{60, 120, 200, 400}[k%4]
						rows := twoSources(rand.New(rand.NewPCG(seed, uint64(k))), n, c.shifts)
						if err := countVerdict(ctx, s, rows, scheme.splits, &row); err != nil {
							return err
						}
						s.Progress.ShowNow("%s, data set %d of %d", scheme.name, k+1, sets)
					}
					t.Add(row)
				}
				// The number of false calls is binomial with p = 0.05, of variance 0.05 x 0.95 for each
				// data set.
				if c.shifts[0] == c.shifts[1] {
					t.Note("a test at 5 %% calls %.1f of %d different, and up to %.1f within two binomial errors", 0.05*float64(sets), sets,
						0.05*float64(sets)+2*math.Sqrt(0.0475*float64(sets)))
				}
			}
			return nil
		},
	}
}

// countVerdict compares the sources of one data set, and counts what tests call different. The cost and
// the norm are fixed: a choice among several would add an optimism that is not the subject here.
func countVerdict(ctx context.Context, s *harness.Session, rows []dataset.Row, splits selection.Splits, row *verdictRow) error {
	folder, err := os.MkdirTemp(s.Scratch, "verdicts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	src := dataset.FromSeq(slices.Values(rows))
	defer src.Close()
	// Each source has a linear kernel of its own, so a selection of two lists compares them.
	banks := []string{fmt.Sprintf("linear@1-%d", sourceFeatures), fmt.Sprintf("linear@%d-%d", sourceFeatures+1, 2*sourceFeatures)}
	found, err := selection.Run(ctx, src, selection.Options{
		Training: bigmkl.Options{Scale: dataset.ScaleNone, Threads: s.Threads, Scratch: s.Scratch, Gap: 1e-2}, Banks: banks, Norms: []float64{2},
		Costs: []float64{1}, NoBaselines: true, Splits: splits, Folder: filepath.Join(folder, "s"),
	})
	if err != nil {
		return err
	}
	row.Sets++
	// Both cells have the same folds, so values are compared in pairs.
	var differences []float64
	for k, x := range found.Cells[0].Values {
		differences = append(differences, x-found.Cells[1].Values[k])
	}
	corrected := found.Difference(0, 1)
	if corrected.P() < 0.05 {
		row.Corrected++
	}
	// The three probabilities sum to 1, so at most one case applies.
	switch worse, equivalent, better := corrected.Practical(selection.DefaultRope); {
	case max(worse, better) > 0.95:
		row.Decided++
	case equivalent > 0.95:
		row.Equivalent++
	}
	// Without the correction the test assumes independent folds, and reports differences too often.
	if evaluate.Resample(differences, 0).P() < 0.05 {
		row.Plain++
	}
	if evaluate.Wilcoxon(differences) < 0.05 {
		row.Ranks++
	}
	return nil
}
