package heldout

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/selection"
)

// The experiment measures what the findings of an importance are worth. Of generated cohorts it is known which sources
// are noise and which show the same quantity; what a source adds is measured on freshRows further rows, by the
// classifier that is trained on all rows of the cohort and the one without the source.

// freshRows is the number of rows that the truth is measured on: the standard error of an area of .8 is .01, and the
// standard error of the difference of two classifiers is smaller.
const freshRows = 2000

// findingRow is a line of the table of findings: sources of a kind, or of a range of what they add.
type findingRow struct {
	// The other columns count the findings of these sources.
	Kind      string `json:"kind" table:"sources"`
	Count     int    `json:"number" table:"number"`
	Needed    int    `json:"needed" table:"needed"`
	Helps     int    `json:"helps" table:"helps"`
	Redundant int    `json:"redundant" table:"redundant"`
	NoSign    int    `json:"no_sign" table:"no sign of use"`
	Undecided int    `json:"undecided" table:"undecided"`
}

// add counts a finding.
// An unknown finding has no column and panics, since a new one must get its own.
func (r *findingRow) add(f selection.Finding) {
	// Every source has one finding, so the counts of a line sum up to Count.
	r.Count++
	*map[selection.Finding]*int{selection.Needed: &r.Needed, selection.Helps: &r.Helps, selection.Redundant: &r.Redundant,
		selection.NoSign: &r.NoSign, selection.UndecidedYet: &r.Undecided}[f]++
}

// calibrationRow is a line of the table of probabilities: sources whose probability of a loss above the region of practical
// equivalence is in a range, and the share of those whose loss is. A probability is calibrated if the
// two columns agree: of sources with a probability of about 0.7, seven in ten matter.
type calibrationRow struct {
	Range string  `json:"range" table:"said"`
	Count int     `json:"count" table:"number"`
	Mean  float64 `json:"mean" table:"mean said"`
	True  float64 `json:"true" table:"true"`
	// held counts the sources with such a loss, and said is the sum of the probabilities.
	held int
	said float64
}

// pairRow counts the pairs that show the same quantity. Without one of the pair the other replaces it,
// so only the pair together shows a loss.
type pairRow struct {
	Rows  string `json:"rows" table:"pairs"`
	Count int    `json:"count" table:"number"`
	Named int    `json:"named" table:"named as redundant"`
}

// importanceTables has the counts of all cohorts, line by line.
type importanceTables struct {
	// gains has the ranges of gainRanges twice: for all cohorts, and for cohorts of 400 rows.
	kinds, gains []*findingRow
	calibration  []*calibrationRow
	pairs        []*pairRow
}

// newImportanceTables returns empty tables.
func newImportanceTables() *importanceTables {
	t := &importanceTables{}
	for _, kind := range []string{noiseSource, weakSource, strongSource, pairSource} {
		t.kinds = append(t.kinds, &findingRow{Kind: kind})
	}
	// The order is the order in which count indexes the rows.
	for _, n := range []string{"all n", "n = 400"} {
		for _, g := range gainRanges {
			t.gains = append(t.gains, &findingRow{Kind: fmt.Sprintf("%s, adding %s", n, g.name)})
		}
	}
	// The ranges are the ends in count.
	for _, name := range []string{"to .05", ".05 to .25", ".25 to .5", ".5 to .75", ".75 to .95", "above .95"} {
		t.calibration = append(t.calibration, &calibrationRow{Range: name})
	}
	for _, name := range []string{"all that matter", "all others", "n = 80, that matter", "n = 400, that matter"} {
		t.pairs = append(t.pairs, &pairRow{Rows: name})
	}
	return t
}

// gainRanges are ranges of what a source adds to the AUC.
// A range includes its lower end.
var gainRanges = []struct {
	name     string
	from, to float64
}{
	{"less than .02", math.Inf(-1), .02}, {".02 to .04", .02, .04}, {".04 to .06", .04, .06}, {".06 to .08", .06, .08}, {".08 or more", .08, math.Inf(1)},
}

// Importance counts what an importance finds of sources about which the truth is known.
// --from and --folder divide a long run into several, whose cohorts do not repeat.
func Importance() harness.Experiment {
	var cohorts, from int
	var seed uint64
	var kernels, keep string
	return harness.Experiment{
		Name: "importance", Short: "what bigmkl importance finds of sources about which the truth is known",
		Long: "Draws cohorts of 80 to 400 rows with 3 to 6 sources of 5 to 2,000 features: noise, weak and strong ones, and pairs\n" +
			"that show the same quantity. What a source adds is measured on 2,000 further rows.",
		Flags: func(f *pflag.FlagSet) {
			f.IntVar(&cohorts, "cohorts", 0, "number of cohorts (default 200)")
			f.IntVar(&from, "from", 0, "number of the first cohort")
			f.Uint64Var(&seed, "seed", 1, "seed of the cohorts")
			f.StringVar(&keep, "folder", "", "keep what was measured in this folder, and go on with what it has")
			f.StringVar(&kernels, "kernels", "gauss:auto@each-view", "kernels of the sources")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			if cohorts == 0 {
				cohorts = s.ChooseInts(nil, []int{200}, []int{1})[0]
			}
			// A cohort is drawn by its number, so a run can begin at any of them.
			t := newImportanceTables()
			for k := range cohorts {
				if err := t.measure(ctx, s, newCohort(seed, from+k), kernels, keep); err != nil {
					return err
				}
				s.Progress.ShowNow("cohort %d of %d", k+1, cohorts)
			}
			t.report(r)
			return nil
		},
	}
}

// report writes the tables.
func (t *importanceTables) report(r *harness.Report) {
	kinds := r.Table("Findings by the kind of the source")
	for _, row := range t.kinds {
		kinds.Add(*row)
	}
	gains := r.Table("Findings by what the source adds to the AUC of fresh rows")
	for _, row := range t.gains {
		gains.Add(*row)
	}
	calibration := r.Table("Said and true: the probability that a source adds more than .01")
	for _, row := range t.calibration {
		// Means of an empty range stay 0.
		if n := float64(row.Count); n > 0 {
			row.Mean, row.True = row.said/n, float64(row.held)/n
		}
		calibration.Add(*row)
	}
	pairs := r.Table("Pairs of sources that show the same quantity, and matter: without both the AUC falls by .05 or more")
	for _, row := range t.pairs {
		pairs.Add(*row)
	}
}

// measure measures the importance of one cohort, and counts. The truth has the median norm and cost of
// the folds, so the classifiers of the truth are the classifiers that the findings are about.
func (t *importanceTables) measure(ctx context.Context, s *harness.Session, c *cohort, kernels, keep string) error {
	scratch, err := os.MkdirTemp(s.Scratch, "importance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	folder := filepath.Join(scratch, "i")
	// The folder is named by the seed of the cohort. A later run with more cohorts finds its earlier
	// results there.
	if keep != "" {
		folder = filepath.Join(keep, fmt.Sprintf("%016x", c.seed))
	}
	training := bigmkl.Options{Kernels: kernels, Views: c.views(), Threads: s.Threads, Scratch: s.Scratch}
	src := dataset.FromSeq(c.all(0, c.rows))
	defer src.Close()
	// Samples is zero: trainings at p = 1 on samples of rows are not the subject here.
	found, err := selection.Measure(ctx, src, selection.ImportanceOptions{Samples: bigmkl.Zero,
		Options: selection.Options{Training: training, Folder: folder, Resume: true}})
	if err != nil {
		return err
	}
	training.Norm, training.C = float64(found.Norms[len(found.Norms)/2]), found.Costs[len(found.Costs)/2]
	// whole is the AUC with all sources. What a source adds is the fall without it.
	whole, err := c.area(ctx, training, nil)
	if err != nil {
		return err
	}
	for k, source := range c.sources {
		without, err := c.area(ctx, training, []int{k})
		if err != nil {
			return err
		}
		t.count(c, source.kind, whole-without, &found.Sources[k])
	}
	for _, p := range found.Pairs {
		// Other pairs have no common quantity.
		a, b := c.sources[p.First], c.sources[p.Second]
		if a.kind != pairSource || b.kind != pairSource {
			continue
		}
		without, err := c.area(ctx, training, []int{p.First, p.Second})
		if err != nil {
			return err
		}
		t.countPair(c.rows, whole-without, p.Redundant)
	}
	return nil
}

// count counts a source that adds a gain.
func (t *importanceTables) count(c *cohort, kind string, gain float64, found *selection.Source) {
	for _, row := range t.kinds {
		if row.Kind == kind {
			row.add(found.Finding)
		}
	}
	for k, g := range gainRanges {
		if gain >= g.from && gain < g.to {
			t.gains[k].add(found.Finding)
			if c.rows == 400 {
				t.gains[len(gainRanges)+k].add(found.Finding)
			}
		}
	}
	// Relevant is the probability that the loss exceeds the region of practical equivalence.
	said := found.LeftOut.Relevant
	at := slices.IndexFunc([]float64{.05, .25, .5, .75, .95, math.Inf(1)}, func(x float64) bool { return said <= x })
	row := t.calibration[at]
	row.Count++
	row.said += said
	if gain > selection.DefaultRope {
		row.held++
	}
}

// countPair counts a pair without which the AUC falls by a loss. A pair matters if the AUC falls by
// 0.05, five times the region of practical equivalence.
func (t *importanceTables) countPair(rows int, loss float64, named bool) {
	matters := loss >= .05
	// A pair counts in every row of the table that describes it.
	for k, is := range []bool{matters, !matters, matters && rows == 80, matters && rows == 400} {
		if is {
			t.pairs[k].Count++
			if named {
				t.pairs[k].Named++
			}
		}
	}
}

// area trains on all rows of a cohort without some sources, and returns the area under the curve of
// fresh rows. Without any source a classifier can only guess, which is an area of 0.5.
func (c *cohort) area(ctx context.Context, o bigmkl.Options, without []int) (float64, error) {
	if len(without) == len(c.sources) {
		return 0.5, nil
	}
	var specs []string
	// The views of the other sources keep their kernels.
	for k, v := range c.views() {
		if !slices.Contains(without, k) {
			specs = append(specs, strings.ReplaceAll(o.Kernels, "each-view", v.Name))
		}
	}
	o.Kernels = strings.Join(specs, ",")
	src := dataset.FromSeq(c.all(0, c.rows))
	defer src.Close()
	m, _, err := bigmkl.Train(ctx, src, o)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	// Rows from c.rows on belong to the same cohort and to no training.
	fresh := dataset.FromSeq(c.all(c.rows, freshRows))
	defer fresh.Close()
	scored, err := score.Of(ctx, m, fresh, bigmkl.PredictOptions{Threads: o.Threads})
	if err != nil {
		return 0, err
	}
	for _, f := range scored.Evaluation().Figures {
		if f.Key == "auc" {
			return f.Value, nil
		}
	}
	return math.NaN(), nil
}
