package heldout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/dataset/holdout"
)

// The experiment measures whether intervals and sets hold as many rows as they promise. The mean over splits is held to conformal.Expected,
// which is exact for a given set of rows, as splits are drawn again: at least the coverage that was asked for, and at most 1/(n+1) above it. Ties
// can only raise it.

// coverageSets are the sets of the experiment: of two classes, of several and regressions.
var coverageSets = []string{
	"heart", "pima", "german-numeric", "spambase", "wine", "segment", "satimage", "optdigits", "concrete", "whitewine",
}

// splitStudy has the flags that experiments on random splits share: which sets, how many rows and
// splits, the coverage and the seed.
type splitStudy struct {
	// coverage is the share that regions have to hold, such as 0.9.
	only         []string
	rows, splits int
	coverage     float64
	seed         uint64
	session      *harness.Session
}

// defineFlags defines them. splits is the default number of splits.
func (c *splitStudy) defineFlags(f *pflag.FlagSet, splits int) {
	// 0 means the default below, because a quick run has another.
	f.StringSliceVar(&c.only, "only", nil, "`SETS` to measure (default: all)")
	f.IntVar(&c.rows, "rows", 0, "rows of a set, drawn from larger ones (default 1000)")
	f.IntVar(&c.splits, "splits", 0, fmt.Sprintf("number of splits (default %d)", splits))
	f.Float64Var(&c.coverage, "coverage", 0.9, "coverage that is asked for")
	f.Uint64Var(&c.seed, "seed", 1, "seed of the rows and splits")
}

// begin takes the session, and gives the numbers without a flag their defaults. A quick run has few
// rows and three splits, which show that the code works.
func (c *splitStudy) begin(s *harness.Session, splits int) {
	c.session = s
	c.rows = s.ChooseInts(positive(c.rows), []int{1000}, []int{120})[0]
	c.splits = s.ChooseInts(positive(c.splits), []int{splits}, []int{3})[0]
}

// coverageStudy has the flags of the experiment coverage.
type coverageStudy struct {
	splitStudy
	// folds is K of --conformal folds:K, 0 without it. python is the interpreter that may have MAPIE.
	folds  int
	python string
}

// coverageSplits is its default number of splits. It makes the standard error of the mean small beside
// the differences that the table is about.
const coverageSplits = 100

// coverageRow is the line of a data set: the share of test rows whose target or class is in the region,
// and the size of the regions.
type coverageRow struct {
	Set     string `json:"set" table:"data set"`
	Rows    int    `json:"rows" table:"rows"`
	Classes int    `json:"classes,omitempty" table:"classes|%d|blank"`
	// Scores is the number n of calibration scores. Expected is the coverage in theory, Met the
	// measured one, Error the standard error of the difference, and Off the difference in such errors.
	Scores   int     `json:"scores" table:"scores"`
	Expected float64 `json:"expected" table:"expected|%.4f"`
	Met      float64 `json:"met" table:"met|%.4f"`
	Error    float64 `json:"error" table:"error|%.4f"`
	Off      float64 `json:"off" table:"errors off|%+.1f"`
	// Size is the mean number of classes of a set, or the median length of an interval.
	Size float64 `json:"size" table:"size or length|%.4g"`
	// Folds is the coverage of scores from folds, whose model has all training rows. Theory gives no
	// guarantee for it.
	Folds      float64 `json:"folds_met,omitempty" table:"folds met|%.4f|blank"`
	FoldsError float64 `json:"folds_error,omitempty" table:"error|%.4f|blank"`
	FoldsSize  float64 `json:"folds_size,omitempty" table:"size or length|%.4g|blank"`
	// Same is the number of splits on which MAPIE's regions of the same score hold as many rows and are as large. Of several classes MAPIE's
	// score is another one.
	Same string `json:"mapie_same,omitempty" table:"MAPIE the same||blank"`
	// LAC and APS are two scores of MAPIE for classes: 1 minus the probability of a class, and
	// cumulated probabilities.
	LAC     float64 `json:"mapie_met,omitempty" table:"MAPIE met|%.4f|blank"`
	LACSize float64 `json:"mapie_size,omitempty" table:"MAPIE size|%.4g|blank"`
	APS     float64 `json:"mapie_aps_met,omitempty" table:"APS met|%.4f|blank"`
	APSSize float64 `json:"mapie_aps_size,omitempty" table:"APS size|%.4g|blank"`
}

// rareRow is the rarest class of a data set, with scores of all rows and with its own. Scores of all
// classes together may cover a rare class too seldom: other classes make up for it. Scores by class
// cannot.
type rareRow struct {
	Set      string  `json:"set" table:"data set"`
	Share    float64 `json:"share" table:"share of the class|%.3f"`
	All      float64 `json:"all" table:"met, scores of all|%.4f"`
	Own      float64 `json:"by_class" table:"met, by class|%.4f"`
	Error    float64 `json:"error" table:"error|%.4f"`
	AllSize  float64 `json:"all_size" table:"mean size, scores of all|%.4g"`
	OwnSize  float64 `json:"by_class_size" table:"mean size, by class|%.4g"`
	Expected float64 `json:"expected" table:"expected by class|%.4f"`
}

// Coverage measures coverages.
// The model and the scores come from one part of the rows, and the share from the other part.
func Coverage() harness.Experiment {
	c := coverageStudy{}
	return harness.Experiment{
		Name: "coverage", Short: "what share of fresh rows the intervals and sets of train --conformal hold",
		Long: "Trains with calibration scores on random splits of public sets, cut to some rows, and counts the rows of the other part\n" +
			"whose target or class is in the interval or set. Where Python has MAPIE, it makes regions of the same predictions.\n" +
			"The trainings run in this process.",
		Flags: func(f *pflag.FlagSet) {
			c.defineFlags(f, coverageSplits)
			f.IntVar(&c.folds, "folds", 0, "measure --conformal folds:`K` as well")
			f.StringVar(&c.python, "python", "python3", "Python `PROGRAM` that may have MAPIE")
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			c.begin(s, coverageSplits)
			return c.run(ctx, r)
		},
	}
}

// positive lists a number unless it is 0. The lists of ChooseInts are empty if no flag was given.
func positive(n int) []int {
	if n == 0 {
		return nil
	}
	return []int{n}
}

// run measures one data set after the other.
func (c *coverageStudy) run(ctx context.Context, r *harness.Report) error {
	if c.session.Quick {
		c.only = harness.OrDefault(c.only, []string{"heart", "motorcycle"})
	}
	sets, err := listDefaultsSets(c.session, r, harness.OrDefault(c.only, coverageSets))
	if err != nil {
		return err
	}
	// Without MAPIE its columns are blank.
	python := c.findMAPIE(ctx, r)
	all := r.Table("Coverage of %g on %d random splits, 30 %% of the rows for the test and a fifth of the others for the scores", c.coverage, c.splits)
	all.Note("expected: k/(n+1) of n scores, of which the k-th smallest is the threshold. errors off: met less expected, in standard errors of the beta-binomial distribution.")
	all.Note("size or length: the mean number of classes of a set, the median length of an interval.")
	rare := r.Table("The rarest class: scores of all rows, and --conformal by-class")
	rare.Note("error: of the share by class, from the spread of the splits.")
	for _, set := range sets {
		d, err := set.read(c.seed, c.rows)
		if err != nil {
			return err
		}
		found, err := c.measure(ctx, d)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		row := found.row()
		if python != "" {
			if err := c.compare(ctx, python, found, &row); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				all.Note("%s: %s", d.name, strings.ReplaceAll(err.Error(), "\n", ": ")) // A failure of another program is not a fault of the experiment.
			}
		}
		all.Add(row)
		if d.task == bigmkl.TaskClass {
			rare.Add(found.rareRow())
		}
		c.session.PrintLine("%s: %.4f met, %.4f expected", d.name, row.Met, row.Expected)
	}
	return nil
}

// measure trains on every split of a data set and predicts its other part. Test rows have no influence
// on the model or the scores: both come from the training part alone.
func (c *coverageStudy) measure(ctx context.Context, d *defaultsData) (*coverageFound, error) {
	found := newCoverageFound(d, c.coverage)
	for k := range c.splits {
		c.session.Progress.ShowNow("%s: split %d of %d", d.name, k+1, c.splits)
		// The seed of the training draws the calibration rows; another one draws the test rows.
		seed := c.seed<<32 + uint64(k)
		train, test := d.part(holdout.Mark(len(d.rows), defaultsShare, seed^0x5eed<<48))
		o := bigmkl.Options{Task: d.task, Threads: c.session.Threads, Scratch: c.session.Scratch, Seed: seed}
		if d.classes > 2 {
			o.Multiclass = bigmkl.OneVsRest
		}
		// By class, each class has scores of its own.
		how := calibration.Options{Share: calibration.DefaultShare, ByClass: d.task == bigmkl.TaskClass}
		m, _, err := calibration.Train(ctx, harness.SourceOf(train), o, how)
		if err != nil {
			return nil, err
		}
		held := holdout.Mark(len(train), how.Share, seed)
		// These are the rows that calibration.Train held out for the scores, by the same seed.
		scored := slices.Collect(func(yield func(dataset.Row) bool) {
			for i, r := range train {
				if held[i] && !yield(r) {
					return
				}
			}
		})
		err = found.add(ctx, m, scored, test)
		m.Close()
		if err != nil {
			return nil, err
		}
		if c.folds > 0 {
			// Scores of folds use every row, so the model needs no second part.
			if m, _, err = calibration.Train(ctx, harness.SourceOf(train), o, calibration.Options{Folds: c.folds}); err != nil {
				return nil, err
			}
			err = found.addFolds(ctx, m, test)
			m.Close()
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// average returns the mean, and 0 for an empty list.
func average(list []float64) (mean float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	return mean
}
