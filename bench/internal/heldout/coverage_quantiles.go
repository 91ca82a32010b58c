package heldout

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"bigmkl"
	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/dataset/holdout"
)

// The experiment compares intervals around one prediction, which are as long at every row, with intervals between two quantiles, whose
// length follows the data (Romano, Patterson and Candès 2019). Both have the same scores' rows and the same guarantee.

// intervalSets are the regressions of the experiment. columnTargets has the targets of the last six.
var intervalSets = []string{"concrete", "motorcycle", "whitewine", "sleep", "heart", "pima", "magic", "eeg", "higgs7k", "covtype20k"}

// intervalStudy is what the flags of the experiment ask for.
// splitStudy has the flags that it shares with the experiment coverage.
type intervalStudy struct{ splitStudy }

// intervalSplits is its default number of splits. Three kinds of models are trained on each split, so
// there are fewer splits than for coverage.
const intervalSplits = 30

// intervalRow is a data set: what the intervals of each kind hold, how many standard errors this is off
// the expected share, and how wide they are. Widths are in units of the targets of the set.
type intervalRow struct {
	Set    string `json:"set" table:"data set"`
	Rows   int    `json:"rows" table:"rows"`
	Scores int    `json:"scores" table:"scores"`
	// Expected is k/(n+1), the share for n scores of which the k-th is the threshold.
	Expected float64 `json:"expected" table:"k/(n+1)|%.3f"`
	// Error is the standard error of the share that is held, over the splits.
	Error float64 `json:"error" table:"error|%.3f"`
	// Met is the share of test rows in their intervals, off its distance from Expected in standard errors.
	Square      float64 `json:"square_met" table:"square met|%.3f"`
	SquareOff   float64 `json:"square_off" table:"errors off|%+.1f"`
	SquareWidth float64 `json:"square_width" table:"mean width|%.4g"`
	SVR         float64 `json:"svr_met" table:"svr met|%.3f"`
	SVROff      float64 `json:"svr_off" table:"errors off|%+.1f"`
	SVRWidth    float64 `json:"svr_width" table:"mean width|%.4g"`
	// Quantiles are the intervals of two quantiles.
	Quantiles      float64 `json:"quantiles_met" table:"quantiles met|%.3f"`
	QuantilesOff   float64 `json:"quantiles_off" table:"errors off|%+.1f"`
	QuantilesWidth float64 `json:"quantiles_width" table:"mean width|%.4g"`
	// Plain is the share that the quantiles hold without scores.
	Plain      float64 `json:"plain_met" table:"without scores|%.3f"`
	PlainWidth float64 `json:"plain_width" table:"mean width|%.4g"`
}

// Intervals measures both kinds of intervals.
// The tasks square and svr predict one number, and task quantile the two ends.
func Intervals() harness.Experiment {
	// The flags and the run share one value.
	c := intervalStudy{}
	return harness.Experiment{
		Name: "intervals", Short: "intervals of quantiles beside intervals around one prediction",
		Long: "Trains tasks square and svr, and task quantile with two quantiles, all with --conformal split:0.2, on random splits of regressions,\n" +
			"and counts the rows of the other part whose target is in the interval. Of sets of classes one feature is the target. The trainings\n" +
			"run in this process.",
		Flags: func(f *pflag.FlagSet) {
			c.defineFlags(f, intervalSplits)
		},
		Run: func(ctx context.Context, s *harness.Session, r *harness.Report, _ []string) error {
			c.begin(s, intervalSplits)
			return c.run(ctx, r)
		},
	}
}

// run measures one data set after the other.
func (c *intervalStudy) run(ctx context.Context, r *harness.Report) error {
	if c.session.Quick {
		c.only = harness.OrDefault(c.only, []string{"motorcycle"})
	}
	sets, err := listDefaultsSets(c.session, r, harness.OrDefault(c.only, intervalSets))
	if err != nil {
		return err
	}
	table := r.Table("Intervals of a coverage of %g on %d random splits, 30 %% of the rows for the test and a fifth of the others for the scores", c.coverage, c.splits)
	table.Note("error: the standard error of the share, of the beta-binomial distribution. errors off: the share less k/(n+1), in these errors. " +
		"without scores: the two quantiles themselves.")
	for _, set := range sets {
		// A generated set of classes has no column that could be a target.
		if set.Synthetic != nil && set.task == bigmkl.TaskClass {
			continue
		}
		d, err := set.readRegression(c.seed, c.rows)
		if err != nil {
			return err
		}
		row, err := c.measure(ctx, d)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		table.Add(*row)
		c.session.PrintLine("%s: svr %.4f and %.4g wide, quantiles %.4f and %.4g wide", d.name, row.SVR, row.SVRWidth, row.Quantiles, row.QuantilesWidth)
	}
	return nil
}

// measure trains all kinds of models on every split of a data set. The two quantiles leave out (1 -
// coverage)/2 of the rows on each side, so they have the coverage before any score.
func (c *intervalStudy) measure(ctx context.Context, d *defaultsData) (*intervalRow, error) {
	// outside is the share of the rows below the interval, and above it.
	outside, variance, n := (1-c.coverage)/2, 0.0, float64(c.splits)
	kinds := []struct {
		task string
		taus []float64
	}{{task: bigmkl.TaskSquare}, {task: bigmkl.TaskSVR}, {bigmkl.TaskQuantile, []float64{outside, 1 - outside}}}
	// mean[j] has the means of kind j over the splits.
	row, mean := &intervalRow{Set: d.name, Rows: len(d.rows)}, make([]held, len(kinds))
	for k := range c.splits {
		c.session.Progress.ShowNow("%s: split %d of %d", d.name, k+1, c.splits)
		// The seed of the training draws the calibration rows; another one draws the test rows.
		seed := c.seed<<32 + uint64(k)
		train, test := d.part(holdout.Mark(len(d.rows), defaultsShare, seed^0x5eed<<48))
		// All kinds have the same split and the same calibration rows.
		for j, kind := range kinds {
			o := bigmkl.Options{Task: kind.task, Taus: kind.taus, Threads: c.session.Threads, Scratch: c.session.Scratch, Seed: seed}
			h, err := c.hold(ctx, o, train, test)
			if err != nil {
				return nil, err
			}
			mean[j].add(h, 1/n)
			row.Scores = h.scores
		}
		// spread is the deviation of the share in one split, by the beta-binomial distribution.
		expected, spread := conformal.Expected(row.Scores, len(test), c.coverage)
		row.Expected, variance = expected, variance+spread*spread/(n*n)
	}
	row.Error = math.Sqrt(variance)
	// Beyond about three errors a deviation is not chance.
	off := func(h held) float64 { return (h.met - row.Expected) / row.Error }
	row.Square, row.SquareOff, row.SquareWidth = mean[0].met, off(mean[0]), mean[0].width
	row.SVR, row.SVROff, row.SVRWidth = mean[1].met, off(mean[1]), mean[1].width
	row.Quantiles, row.QuantilesOff, row.QuantilesWidth = mean[2].met, off(mean[2]), mean[2].width
	row.Plain, row.PlainWidth = mean[2].plain, mean[2].plainWidth
	return row, nil
}

// held has the share of test rows whose target is in the interval of a model, and the mean width of the
// intervals.
type held struct {
	// met is a share, and width has the unit of the targets.
	scores            int
	met, width        float64
	plain, plainWidth float64 // of quantiles without scores
}

// add adds a share of the figures of another model, for the mean over splits.
// With the share 1/n of each of n splits, the sums are means.
func (h *held) add(other *held, share float64) {
	h.met, h.width = h.met+share*other.met, h.width+share*other.width
	h.plain, h.plainWidth = h.plain+share*other.plain, h.plainWidth+share*other.plainWidth
}

// hold trains a model with scores and counts the rows of a test in its intervals.
func (c *intervalStudy) hold(ctx context.Context, o bigmkl.Options, train, test []dataset.Row) (*held, error) {
	m, _, err := calibration.Train(ctx, harness.SourceOf(train), o, calibration.Options{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	r, err := conformal.New(&m.Model, c.coverage)
	if err != nil {
		return nil, err
	}
	// share is the part of one test row.
	h, share := &held{scores: m.Conformal.Len()}, 1/float64(len(test))
	err = m.Predict(ctx, dataset.Narrow(harness.SourceOf(test), m.Input().Features()), bigmkl.PredictOptions{Threads: c.session.Threads}, func(p bigmkl.Prediction) error {
		// Scores can be negative, so the quantiles may be narrowed until they cross. Such an interval has
		// the width 0.
		low, high := r.Interval(&p)
		h.width += max(high-low, 0) * share
		if low <= p.Target && p.Target <= high {
			h.met += share
		}
		// Two quantiles may cross, since each is trained by itself.
		if q := p.Decisions; q != nil {
			low, high = min(q[0], q[1]), max(q[0], q[1])
			h.plainWidth += (high - low) * share
			if low <= p.Target && p.Target <= high {
				h.plain += share
			}
		}
		return nil
	})
	return h, err
}
