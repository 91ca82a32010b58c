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

// intervalSets are the regressions of the experiment.
var intervalSets = []string{"concrete", "motorcycle", "whitewine", "sleep"}

// intervalStudy is what the flags of the experiment ask for.
type intervalStudy struct{ splitStudy }

// intervalSplits is its default number of splits.
const intervalSplits = 30

// intervalRow is a data set: what the intervals of both kinds hold, and how wide they are.
type intervalRow struct {
	Set      string  `json:"set" table:"data set"`
	Rows     int     `json:"rows" table:"rows"`
	Scores   int     `json:"scores" table:"scores"`
	Expected float64 `json:"expected" table:"k/(n+1)|%.3f"`
	// Error is the standard error of the share that is held, over the splits.
	Error float64 `json:"error" table:"error|%.3f"`
	Met   float64 `json:"square_met" table:"square met|%.3f"`
	Width float64 `json:"square_width" table:"mean width|%.4g"`
	// Quantiles are the intervals of two quantiles.
	QuantilesMet   float64 `json:"quantiles_met" table:"quantiles met|%.3f"`
	QuantilesWidth float64 `json:"quantiles_width" table:"mean width|%.4g"`
	// Plain is the share that the quantiles hold without scores.
	Plain float64 `json:"plain_met" table:"without scores|%.3f"`
}

// Intervals measures both kinds of intervals.
func Intervals() harness.Experiment {
	c := intervalStudy{}
	return harness.Experiment{
		Name: "intervals", Short: "intervals of quantiles beside intervals around one prediction",
		Long: "Trains task square, and task quantile with two quantiles, both with --conformal split:0.2, on random splits of regressions, and\n" +
			"counts the rows of the other part whose target is in the interval. The trainings run in this process.",
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
	table.Note("error: the standard error of the share, of the beta-binomial distribution. without scores: the share between the two quantiles themselves.")
	for _, set := range sets {
		if set.task == bigmkl.TaskClass {
			continue
		}
		d, err := set.read(c.seed, c.rows)
		if err != nil {
			return err
		}
		row, err := c.measure(ctx, d)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		table.Add(*row)
		c.session.PrintLine("%s: square %.4f and %.4g wide, quantiles %.4f and %.4g wide", d.name, row.Met, row.Width, row.QuantilesMet, row.QuantilesWidth)
	}
	return nil
}

// measure trains both kinds of models on every split of a data set.
func (c *intervalStudy) measure(ctx context.Context, d *defaultsData) (*intervalRow, error) {
	row := &intervalRow{Set: d.name, Rows: len(d.rows)}
	outside, variance, n := (1-c.coverage)/2, 0.0, float64(c.splits)
	for k := range c.splits {
		c.session.Progress.ShowNow("%s: split %d of %d", d.name, k+1, c.splits)
		// The seed of the training draws the calibration rows; another one draws the test rows.
		seed := c.seed<<32 + uint64(k)
		train, test := d.part(holdout.Mark(len(d.rows), defaultsShare, seed^0x5eed<<48))
		o := bigmkl.Options{Task: bigmkl.TaskSquare, Threads: c.session.Threads, Scratch: c.session.Scratch, Seed: seed}
		around, err := c.hold(ctx, o, train, test)
		if err != nil {
			return nil, err
		}
		o.Task, o.Taus = bigmkl.TaskQuantile, []float64{outside, 1 - outside}
		between, err := c.hold(ctx, o, train, test)
		if err != nil {
			return nil, err
		}
		expected, spread := conformal.Expected(around.scores, len(test), c.coverage)
		row.Scores, row.Expected, variance = around.scores, expected, variance+spread*spread/(n*n)
		row.Met, row.Width = row.Met+around.met/n, row.Width+around.width/n
		row.QuantilesMet, row.QuantilesWidth = row.QuantilesMet+between.met/n, row.QuantilesWidth+between.width/n
		row.Plain += between.plain / n
	}
	row.Error = math.Sqrt(variance)
	return row, nil
}

// held is what the intervals of a model hold of the rows of a test.
type held struct {
	scores            int
	met, width, plain float64
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
	h, share := &held{scores: m.Conformal.Len()}, 1/float64(len(test))
	err = m.Predict(ctx, dataset.Narrow(harness.SourceOf(test), m.Input().Features()), bigmkl.PredictOptions{Threads: c.session.Threads}, func(p bigmkl.Prediction) error {
		low, high := r.Interval(&p)
		h.width += max(high-low, 0) * share
		if low <= p.Target && p.Target <= high {
			h.met += share
		}
		if q := p.Decisions; q != nil && min(q[0], q[1]) <= p.Target && p.Target <= max(q[0], q[1]) {
			h.plain += share
		}
		return nil
	})
	return h, err
}
