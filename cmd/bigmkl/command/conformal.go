package command

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// conformalFlag is the value of --conformal: how many rows are held out, and whether each class has its
// own scores. The field asked is false without the flag.
// Options with neither folds nor a share mean the default of package calibration.
type conformalFlag struct {
	calibration.Options
	asked bool
}

// byClass is the word for scores of each class.
const byClass = "by-class"

// parseConformal parses folds:K, split:SHARE and by-class, joined by commas. Folds use every row for
// both purposes and cost K further trainings. A split costs none, but its rows do not train.
func parseConformal(text string) (c conformalFlag, err error) {
	c.asked = true
	// A later word of the same kind replaces an earlier one. Package calibration rejects folds beside a
	// share.
	for word := range strings.SplitSeq(text, ",") {
		kind, value, _ := strings.Cut(word, ":")
		var e error
		switch kind {
		case "folds":
			c.Folds, e = parseFolds(value)
		case "split":
			c.Share, e = strconv.ParseFloat(value, 64)
			if e == nil && !(c.Share > 0 && c.Share < 1) {
				e = fmt.Errorf("a share of %g", c.Share)
			}
		case byClass:
			c.ByClass = true
		default:
			e = fmt.Errorf("unknown %s", fail.Quote(word))
		}
		if e != nil {
			return c, fmt.Errorf("%s is not folds:10, split:0.2 or by-class, joined by commas", fail.Quote(text))
		}
	}
	return c, nil
}

// textOf returns the value of --conformal with which the scores of a model were made, so config
// --of can repeat the training.
func textOf(c *model.Conformal) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("folds:%d", c.Folds)
	// The share has all its digits, since it draws the held-out rows.
	if c.Split() {
		text = "split:" + strconv.FormatFloat(c.Share, 'g', -1, 64)
	}
	if c.ByClass {
		text += "," + byClass
	}
	return text
}

// describeConformal describes how the scores of a model were made.
func describeConformal(c *model.Conformal) string {
	text := fmt.Sprintf("%s of rows held out by %d folds", count(c.Len(), "score"), c.Folds)
	if c.Split() {
		text = fmt.Sprintf("%s of %.4g %% of %d rows, which had no part in the training", count(c.Len(), "score"), 100*c.Share, c.Rows)
	}
	// A model of times keeps residuals, from which curves and not intervals follow.
	if c.Shares != nil {
		text = strings.Replace(text, "score", "residual", 1)
		return text + " (predict --survival-at)"
	}
	// An interrupted training has no time for its scores.
	if c.Len() == 0 {
		return text + ": the training was interrupted"
	}
	if c.ByClass {
		text += ", class by class"
	}
	return text + " (predict --coverage)"
}

// calibrationJSON describes how the scores of a model were made. Unbounded counts infinite
// scores, which the file does not list. Coverage is the largest coverage that has a finite
// threshold, null if there is none. With n scores, infinite ones included, and k finite ones, the
// largest coverage is k/(n+1).
type calibrationJSON struct {
	// Folds or Share is there, and never both. Rows is the number of rows of the data.
	Folds     int     `json:"folds,omitempty"`
	Share     number  `json:"share,omitempty"`
	Rows      int     `json:"rows"`
	ByClass   bool    `json:"by_class"`
	Scores    int     `json:"scores"`
	Unbounded int     `json:"unbounded"`
	Coverage  *number `json:"largest_coverage"`
}

// newCalibrationJSON returns nil for a model without scores.
func newCalibrationJSON(c *model.Conformal) *calibrationJSON {
	if c == nil {
		return nil
	}
	out := &calibrationJSON{Folds: c.Folds, Share: number(c.Share), Rows: c.Rows, ByClass: c.ByClass, Scores: c.Len(), Unbounded: c.Len() - len(c.Scores)}
	largest := math.Inf(1)
	// Each class with scores of its own needs a threshold, so the class with the fewest scores
	// limits the coverage.
	for scores, unbounded := range c.Lists() {
		largest = min(largest, conformal.Largest(len(scores), unbounded))
	}
	// Residuals of times have no coverage of this kind.
	if largest > 0 && c.Shares == nil {
		x := number(largest)
		out.Coverage = &x
	}
	return out
}

// train trains a model, with calibration scores if there is --conformal. Calibration is a layer above
// the training: it trains on parts of the rows and adds scores to a model.
func (c *conformalFlag) train(ctx context.Context, src dataset.Source, o bigmkl.Options) (*bigmkl.Model, *bigmkl.Result, error) {
	if !c.asked {
		return bigmkl.Train(ctx, src, o)
	}
	return calibration.Train(ctx, src, o, c.Options)
}

// plan computes the memory, disk and time of a training with or without calibration scores, by the
// given number of ranks. A number of 0 means one process.
func (c *conformalFlag) plan(ctx context.Context, src dataset.Source, o bigmkl.Options, ranks int) (*bigmkl.Plan, error) {
	switch {
	case !c.asked:
		return bigmkl.NewPlanOfRanks(ctx, src, o, ranks)
	case ranks > 1:
		return nil, fail.New(fail.Usage, "ranks train no model with calibration scores").WithHint("leave --conformal out")
	}
	return calibration.Plan(ctx, src, o, c.Options)
}

// regionFigures writes the regions of predictions, and counts how often they contain the known
// class or target. On exchangeable rows this share is near the coverage, which users can check
// so.
type regionFigures struct {
	regions  *conformal.Regions
	coverage float64
	rows     int
	known    int     // rows whose class or target is known
	held     int     // of these, those whose region has it
	sizes    float64 // of all sets, or the widths of all intervals
	empty    int
	// set is the set of the row in progress, as numbers of classes. Its memory serves all rows.
	set   []int
	names []string // of the classes, as a set has them
}

// newRegionFigures returns nil without --coverage. A model without calibration scores is an error that
// names --conformal of train.
func newRegionFigures(m *model.Model, coverage float64) (*regionFigures, error) {
	if coverage == 0 {
		return nil, nil
	}
	// New finds the threshold: the k-th smallest of n scores with k = ceil((n + 1) coverage).
	r, err := conformal.New(m, coverage)
	if err != nil {
		return nil, err
	}
	g := &regionFigures{regions: r, coverage: coverage}
	for _, name := range r.Classes() {
		g.names = append(g.names, nameInSet(name))
	}
	return g, nil
}

// nameInSet returns the name of a class as a set lists it. Names that contain a comma or a
// quotation mark, and the name "-", are quoted as in JSON: unquoted, they could be read as
// several names or as the empty set.
func nameInSet(name string) string {
	if name != "-" && !strings.ContainsAny(name, `,"`) {
		return name
	}
	text, _ := json.Marshal(name) // Texts have no errors.
	return string(text)
}

// columns returns the names of the cells of a region.
func (g *regionFigures) columns() []string {
	if g.regions.Classes() == nil {
		return []string{"low", "high"}
	}
	return []string{"classes"}
}

// add adds the region of a row to its cells, and counts it.
func (g *regionFigures) add(to *cells, p *bigmkl.Prediction) {
	g.rows++
	// classes is nil for intervals.
	classes := g.regions.Classes()
	if classes == nil {
		low, high := g.regions.Interval(p)
		// Widths may be infinite, and their mean is infinite then, which --json writes as null.
		g.sizes += high - low
		if !math.IsNaN(p.Target) {
			if g.known++; p.Target >= low && p.Target <= high {
				g.held++
			}
		}
		to.addNumber(low, 9)
		to.addNumber(high, 9)
		return
	}
	// A set has the classes whose score is at most the threshold.
	g.set = g.regions.Set(p, g.set[:0])
	if g.sizes += float64(len(g.set)); len(g.set) == 0 {
		g.empty++
		to.text = append(to.text, '-')
	}
	// The class of a row may be one that the model lacks. No set has it, so the row counts as
	// not held.
	known, holds := p.Known != "", false
	for k, c := range g.set {
		if k > 0 {
			to.text = append(to.text, ',')
		}
		to.text = append(to.text, g.names[c]...)
		holds = holds || classes[c] == p.Known
	}
	if known {
		if g.known++; holds {
			g.held++
		}
	}
	to.end()
}

// regionsJSON is the object regions of predict --json.
type regionsJSON struct {
	// Thresholds has one number, or one for each class if scores are by class.
	Coverage float64 `json:"coverage"`
	// Held is the share of the rows with a known class or target whose region has it, null if none is known.
	Held number `json:"held"`
	// MeanSize is the mean number of classes of a set, and MeanWidth the mean width of an interval.
	MeanSize   *number  `json:"mean_size,omitempty"`
	Empty      *int     `json:"empty,omitempty"`
	MeanWidth  *number  `json:"mean_width,omitempty"`
	Thresholds []number `json:"thresholds"`
}

// json returns the object for --json. A share of no rows is 0/0, which becomes null.
func (g *regionFigures) json() regionsJSON {
	// The mean is over all rows, also rows without a label.
	mean := number(g.sizes / float64(g.rows))
	out := regionsJSON{Coverage: g.coverage, Held: number(float64(g.held) / float64(g.known))}
	for _, t := range g.regions.Thresholds() {
		out.Thresholds = append(out.Thresholds, number(t))
	}
	if g.regions.Classes() == nil {
		out.MeanWidth = &mean
	} else {
		out.MeanSize, out.Empty = &mean, &g.empty
	}
	return out
}

// String describes the figures in a line.
func (g *regionFigures) String() string {
	text := fmt.Sprintf("coverage %.4g asked", g.coverage)
	if g.known > 0 {
		text += fmt.Sprintf(", %.4f of %d rows held", float64(g.held)/float64(g.known), g.known)
	}
	// A one-sided region has no width.
	if mean := g.sizes / float64(max(g.rows, 1)); !g.regions.TwoSided() {
		text += fmt.Sprintf(", the quantile is shifted by %.6g", g.regions.Thresholds()[0])
	} else if g.regions.Classes() == nil {
		text += fmt.Sprintf(", mean width %.6g", mean)
	} else {
		text += fmt.Sprintf(", mean size %.4g, %d empty", mean, g.empty)
	}
	return text
}

// warning warns of too few scores where regions hold everything. The regions may be nil. With fewer
// scores than LeastScores the threshold is infinite. Such a region is right and useless.
func (g *regionFigures) warning() string {
	if g == nil || g.regions.Bounded() {
		return ""
	}
	return fmt.Sprintf("a coverage of %g takes at least %d scores, of each class by itself if they are by class: regions without a bound hold everything",
		g.coverage, conformal.LeastScores(g.coverage))
}
