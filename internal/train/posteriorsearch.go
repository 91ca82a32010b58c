package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/loss"
)

// The posteriors become part of the store, and with it of the fingerprint of the data: a model, a
// checkpoint and a folder of a selection identify the posteriors that they belong to. From there
// the loss takes them (softLoss). The model keeps them, and verify needs nothing more than the
// data.

// certainty finds the posteriors of rows.
type certainty struct {
	labelledRows
	data    *Data
	seed    uint64
	threads int
	without *withoutRows
}

// find gives the rows the posteriors that were asked for. It does nothing if there are
// none, and for data of too many or too few classes, which the loss rejects with a better message.
func (c *certainty) find(ctx context.Context) error {
	search, err := c.check()
	if err != nil || !c.hasPosteriors() {
		return err
	}
	values := c.problem.Posteriors.Values
	if search != nil {
		if values, err = c.count(ctx, search, nil); err != nil {
			return err
		}
	}
	c.store.SetPosteriors(values)
	return nil
}

// sumsOff is by how much the posteriors of a row may miss the sum of 1, as printed numbers may.
const sumsOff = 1e-3

// checkGiven holds posteriors that were given to the rows.
func (c *certainty) checkGiven() error {
	n, k, p := c.store.Len(), c.posteriorColumns(), &c.problem.Posteriors
	if len(p.Values) != n*k {
		per := ""
		if k > 1 {
			per = fmt.Sprintf(" of %d classes", k)
		}
		err := fail.New(fail.Input, "%d posteriors for %d rows%s", len(p.Values), n, per).At(p.File, 0, 0)
		return err.WithHint("each row that is used has %s; rows of weight 0 and rows beyond --limit have "+
			"none", counted(k))
	}
	if k == 1 {
		return nil
	}
	for i := range n {
		sum := 0.0
		for _, x := range p.Values[i*k : (i+1)*k] {
			sum += x
		}
		if !(math.Abs(sum-1) <= sumsOff) {
			return fail.New(fail.Input, "the posteriors of row %d have the sum %.6g, not 1", i+1, sum).
				At(p.File, 0, 0).WithHint("a column for each class, in the order of the names")
		}
	}
	return nil
}

// counted describes the number of posteriors of a row.
func counted(columns int) string {
	if columns == 1 {
		return "one"
	}
	return fmt.Sprintf("%d, one for each class", columns)
}

// check holds what was asked for to the data. It returns the search for the nearest rows,
// which is nil if the posteriors were given.
func (c *certainty) check() (*neighbours, error) {
	n, p := c.store.Len(), &c.problem.Posteriors
	switch {
	case !c.hasPosteriors():
		return nil, nil
	case p.Neighbours == 0:
		return nil, c.checkGiven()
	case c.store.Columns() || c.store.Dim() == 0:
		return nil, fail.New(fail.Input, "no row has a feature in which another could be near").
			WithHint("--posteriors FILE gives the posteriors of precomputed kernels")
	case c.data.Sequences != dataset.Numbers:
		return nil, fail.New(fail.Usage, "nearest rows of sequences: letters are not numbers").
			WithHint("--posteriors FILE")
	case p.Neighbours >= n:
		return nil, fail.New(fail.Usage,
			"posteriors of the %d nearest of %d rows: there are %d others", p.Neighbours, n, n-1)
	}
	set, err := c.featuresOf(p.Features)
	if err != nil {
		return nil, err
	}
	return newNeighbours(c.store, set, p.Neighbours, c.threads), nil
}

// featuresOf returns the features of a set as after the @ of a kernel, ascending, or nil for all.
func (c *certainty) featuresOf(text string) ([]int32, error) {
	if text == "" {
		return nil, nil
	}
	// A kernel of these features is the one reader of sets. The names of views, ranges and sums of
	// them therefore mean what they mean behind a kernel. No kernel is made of it.
	//
	// The text is counted before it is expanded: it may expand to any number of sets.
	spec, with := []string{"linear@" + text}, kernelspec.Context{
		Features: c.store.Dim(), Views: c.data.Views, Seed: c.seed,
	}
	sets := 0
	if !strings.ContainsAny(text, " \t,()") {
		var err error
		if sets, _, err = kernelspec.Count(spec, with); err != nil {
			return nil, fail.New(fail.Usage, "the features of nearest rows: %w", err)
		}
	}
	if sets != 1 {
		return nil, fail.New(fail.Usage, "%s is not one set of features", fail.Quote(text)).
			WithHint("such as knn:10@1-76 or knn:10@VIEW")
	}
	bank, err := kernelspec.Expand(spec, with)
	if err != nil {
		return nil, err
	}
	return bank.Features(bank.Kernels[0].Set), nil
}

// count returns the share of rows of the positive class, or of every class, among the
// nearest ones of each row. Rows that are out are nobody's neighbours; nil means none. A row
// without any other has its label.
func (c *certainty) count(ctx context.Context, search *neighbours, out []int) (
	[]float64, error) {
	// A training without some rows must not learn their labels from their neighbours.
	search.out = nil
	if out != nil {
		search.out = make([]bool, c.store.Len())
		for _, i := range out {
			search.out[i] = true
		}
	}
	// Rows are counted and not weighted, as whole numbers. The order of a sum therefore does not
	// show. Calls of visit overlap, and each writes an element of its own.
	labels, columns := c.store.Labels(), c.posteriorColumns()
	p := make([]float64, columns*c.store.Len())
	return p, search.each(ctx, 0, func(row int, nearest []near) {
		own := p[row*columns : (row+1)*columns]
		count := func(class int32) {
			if columns == 1 {
				own[0] += float64(class)
			} else {
				own[class]++
			}
		}
		if len(nearest) == 0 {
			count(labels[row])
			return
		}
		for _, other := range nearest {
			count(labels[other.row])
		}
		for k := range own {
			own[k] /= float64(len(nearest))
		}
	})
}

// forecast returns how long the search for the nearest rows takes, from some of them.
func (c *certainty) forecast(ctx context.Context) (time.Duration, error) {
	search, err := c.check()
	if err != nil || search == nil {
		return 0, err
	}
	// Every thread takes one block, past which all rows stream, as they do in the search itself.
	rows, began := min(c.store.Len(), search.block()*search.threads), time.Now()
	err = search.each(ctx, rows, func(int, []near) {})
	share := float64(c.store.Len()) / float64(rows)
	return time.Duration(share * float64(time.Since(began))), err
}

// lossWithout returns the loss of a classifier without some of its points, and whether any of the
// rest is of either class. Posteriors of nearest rows come from the rest: the training does not
// use the label of a row that is left out.
func (c *certainty) lossWithout(ctx context.Context, l loss.TwoClass, out []int) (rest loss.TwoClass,
	positive, negative bool, err error) {
	// Posteriors of all rows may have been equal to the labels, and the store then has none, while
	// the posteriors of the rest differ from the labels. The loss is therefore made again in any
	// case.
	if c.problem.Posteriors.Neighbours != 0 && c.hasPosteriors() {
		if err := c.softenWithout(ctx, out); err != nil {
			return nil, false, false, err
		}
		costs, err := c.classCosts()
		if err != nil {
			return nil, false, false, err
		}
		l = loss.NewSoftHinge(c.without.soft, costs, c.store.Weights())
	}
	rest, positive, negative = l.Without(out)
	return rest, positive, negative, nil
}

// withoutRows are the soft labels of nearest rows without some of them.
type withoutRows struct {
	out  []int
	soft []float64 // nil before the first search
}

// softenWithout finds the soft labels of nearest rows without some of them. Trainings of a
// selection leave the same rows out one after the other, and search for them once.
func (c *certainty) softenWithout(ctx context.Context, out []int) error {
	if c.without.soft != nil && slices.Equal(c.without.out, out) {
		return nil
	}
	search, err := c.check()
	if err != nil {
		return err
	}
	p, err := c.count(ctx, search, out)
	if err == nil {
		*c.without = withoutRows{slices.Clone(out), softLabels(p)}
	}
	return err
}
