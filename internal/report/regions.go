package report

import (
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/conformal"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Split conformal prediction promises that a new row exchangeable with the scored rows is
// covered with at least the requested probability. This is a mean over rows and over sets of
// scored rows. The section compares the promise with the share on the rows of a test, and with
// the spread that this many rows have by chance.

// coverages are the rows of the table of a page.
//
// They are the usual ones. A page shows three because the length of an interval grows steeply towards
// 1.
var coverages = []float64{0.8, 0.9, 0.95}

// regionCounts counts the rows whose target or class the intervals or sets of one coverage
// contain.
//
// held counts the rows whose truth is contained, empty the empty sets, and size sums the sizes of sets.
type regionCounts struct {
	*conformal.Regions
	rows, held, empty, size int
	classes                 [][2]int // of each class: rows, and those that are held
	set                     []int
}

// newRegionCounts begins to count for each coverage. It returns nil for a model without calibration scores.
func newRegionCounts(m *model.Model) (list []*regionCounts) {
	for _, coverage := range coverages {
		r, err := conformal.New(m, coverage)
		if err != nil {
			return nil
		}
		list = append(list, &regionCounts{Regions: r, classes: make([][2]int, len(r.Classes()))})
	}
	return list
}

// add counts a row whose class or target is known.
func (c *regionCounts) add(p *predict.Prediction) {
	names := c.Classes()
	if names == nil {
		if !math.IsNaN(p.Target) {
			c.rows++
			// The ends belong to the interval, as the guarantee of split conformal prediction asks
			// for.
			if low, high := c.Interval(p); low <= p.Target && p.Target <= high {
				c.held++
			}
		}
		return
	}
	if p.Known == "" {
		return
	}
	c.rows++
	c.set = c.Set(p, c.set[:0])
	if c.size += len(c.set); len(c.set) == 0 {
		c.empty++
	}
	known := slices.Index(names, p.Known)
	// A class that the model lacks is in no set, so such a row counts as a row that is not held.
	if known < 0 {
		return
	}
	c.classes[known][0]++
	if slices.Contains(c.set, known) {
		c.held++
		c.classes[known][1]++
	}
}

// AddRegions adds a section on the prediction intervals, or sets of classes, of a model with
// calibration scores. Their coverage is measured on the rows of h unless it is nil. A model without
// scores has no such section.
func (p *Page) AddRegions(m *model.Model, h *HeldOut) {
	counts := newRegionCounts(m)
	if counts == nil {
		return
	}
	if h != nil {
		// The rows of a test show what is met. Without them the table has what follows from the scores
		// alone.
		counts = h.regions
	}
	c, classes := m.Conformal, m.ClassNames() != nil
	what := "an interval"
	if classes {
		what = "a set of classes"
	}
	blocks := []block{{Lead: true, Text: fmt.Sprintf("bigmkl predict --coverage 0.9 writes %s for each row, which holds the truth of 90 %% of the rows.", what)}}
	if c.Split() {
		blocks = append(blocks, paragraph("It is made from the scores of %d rows that had no part in the training. Of rows that are exchangeable with these the share is at least that, "+
			"whatever the data and the model are; of single rows nothing is promised.", c.Len()))
	} else {
		blocks = append(blocks, paragraph("It is made from the scores of %d rows, each predicted by a training without its fold. "+
			"That this share holds for the model of all rows is likely where it is like these trainings, and nothing proves it.", c.Len()))
	}
	if c.ByClass {
		blocks = append(blocks, paragraph("Each class has scores of its own, so that the same is said of the rows of each class."))
	}
	tested := h != nil && counts[0].rows > 0
	if classes && !tested {
		p.add("regions", "Intervals and sets", append(blocks, paragraph("How large sets are shows with report --test."))...)
		return
	}
	columns := regionColumns(c, classes, tested)
	t := &table{Head: []string{"coverage asked"}}
	for _, column := range columns {
		t.Head = append(t.Head, column.name)
	}
	for _, r := range counts {
		line := []cell{{Text: fmt.Sprintf("%g", r.Coverage())}}
		for _, column := range columns {
			line = append(line, cell{Text: column.text(r)})
		}
		t.Rows = append(t.Rows, line)
	}
	p.add("regions", "Intervals and sets", append(blocks, block{Table: t})...)
}

// regionColumn is a column of the table of coverages.
type regionColumn struct {
	name string
	text func(*regionCounts) string
}

// regionColumns lists the columns of a table. The columns depend on the model and on the rows of a
// test, and all coverages have the same ones.
func regionColumns(from *model.Conformal, classes, tested bool) (list []regionColumn) {
	if tested {
		list = append(list, regionColumn{"met", func(c *regionCounts) string {
			return fmt.Sprintf("%.4f of %d rows", float64(c.held)/float64(c.rows), c.rows)
		}})
		// Scores of folds promise nothing, and with scores by class it depends on how often each class occurs.
		if from.Split() && !from.ByClass {
			list = append(list, regionColumn{"expected", func(c *regionCounts) string {
				// The share on a test varies with the scored rows and with the test, so a share below the coverage
				// proves no fault.
				mean, deviation := conformal.Expected(from.Len(), c.rows, c.Coverage())
				return fmt.Sprintf("%.4f ± %.4f", mean, deviation)
			}})
		}
	}
	if !classes {
		return append(list, regionColumn{"length, or shift of a quantile", (*regionCounts).length})
	}
	return append(list, regionColumn{"mean size", func(c *regionCounts) string { return fmt.Sprintf("%.4g", float64(c.size)/float64(c.rows)) }},
		regionColumn{"empty", func(c *regionCounts) string { return fmt.Sprint(c.empty) }}, regionColumn{"least of a class", (*regionCounts).leastClass})
}

// length states how long an interval is, or by how much its end lies beyond the quantile. It is the same for all
// rows.
func (c *regionCounts) length() string {
	if t := c.Thresholds()[0]; !math.IsInf(t, 1) {
		if !c.TwoSided() {
			return number(t)
		}
		// The threshold is half of the interval: both ends have the same distance from the prediction.
		return number(2 * t)
	}
	return fmt.Sprintf("no bound: that takes %d scores", conformal.LeastScores(c.Coverage()))
}

// leastClass returns the class of which the least share of the rows is held. A mean over all rows can
// hide a rare class whose rows are hardly ever held.
func (c *regionCounts) leastClass() string {
	least, text := math.Inf(1), ""
	for k, n := range c.classes {
		if share := float64(n[1]) / float64(n[0]); n[0] > 0 && share < least {
			least, text = share, fmt.Sprintf("%.4f of %d rows, class %s", share, n[0], c.Classes()[k])
		}
	}
	return text
}
