package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"bigmkl/chunking/loss"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// Posteriors say how certain the labels are. Of two classes they are Pr(+1|x_i) of each row, and the
// loss holds the decision value to the soft label 2 Pr(+1|x_i) - 1 (Gönen 2010, Section 1.5; see
// loss.Hinge). One machine for all classes takes Pr(c|x_i) of every class c, whose differences are
// the margins (see loss.Multiclass). The labels themselves stay what figures and sigmoids are
// compared with. The zero value stands for certain labels.
type Posteriors struct {
	// Values has Pr(+1|x_i), in [0, 1], of each row that is used, or for one machine for all classes
	// Pr(c|x_i): n x classes, row-major, classes in the order of their names, every row of sum 1. If it
	// is nil, Neighbours decides. The model keeps the slice, which must not change.
	Values []float64
	// Neighbours is K: Pr(c|x_i) is the share of rows of class c among the K rows that are nearest to
	// x_i, which is none of them. If it equals zero, it has no effect.
	Neighbours int
	// Features is the set of features in which rows are near, as after the @ of a kernel. If it is
	// empty, it is all features.
	Features string
	// File names the origin of Values in messages. If it is empty, it has no effect.
	File string
}

// ParsePosteriors reads knn:K or knn:K@SET. ok is false for a text of another form.
func ParsePosteriors(text string) (p Posteriors, ok bool, err error) {
	rest, ok := strings.CutPrefix(text, "knn:")
	if !ok {
		return p, false, nil
	}
	number, set, at := strings.Cut(rest, "@")
	p.Neighbours, err = strconv.Atoi(number)
	if err != nil || p.Neighbours < 1 || at && set == "" {
		err := fail.New(fail.Usage, "%s is not of the form knn:K or knn:K@SET", fail.Quote(text))
		return Posteriors{}, true, err.WithHint("such as knn:10 or knn:10@1-76; ./%s is a file",
			fail.Cut(text))
	}
	p.Features = set
	return p, true, nil
}

// Asked reports whether labels are uncertain.
func (p *Posteriors) Asked() bool { return p.Values != nil || p.Neighbours != 0 }

// source returns the words for a model file.
func (p *Posteriors) source() string {
	switch {
	case p.Neighbours == 0:
		return model.GivenPosteriors
	case p.Features == "":
		return fmt.Sprintf("knn:%d", p.Neighbours)
	}
	return fmt.Sprintf("knn:%d@%s", p.Neighbours, p.Features)
}

// Check tells check every fault that shows without data.
func (p *Posteriors) Check(check func(ok bool, format string, args ...any)) {
	check(p.Values == nil || p.Neighbours == 0, "posteriors beside those of nearest rows")
	check(p.Neighbours >= 0 && p.Neighbours <= mostNeighbours,
		"posteriors of %d nearest rows, at least 1 and at most %d", p.Neighbours, mostNeighbours)
	check(p.Features == "" || p.Neighbours != 0, "features of nearest rows without their number")
	if i := slices.IndexFunc(p.Values, notProbability); i >= 0 {
		check(false, "posterior %d is %v, not in [0, 1]", i+1, p.Values[i])
	}
}

func notProbability(p float64) bool { return !model.IsProbability(p) }

// The posteriors become part of the store, and with it of the fingerprint of the data: a model, a
// checkpoint and a folder of a selection know those that they belong to. From there the loss takes
// them (softLoss), and the model keeps them, so that verify needs nothing more than the data.

// findPosteriors gives the rows the posteriors that were asked for. It does nothing if there are
// none, and for data of too many or too few classes, which the loss refuses with more to say.
func (w *Workspace) findPosteriors(ctx context.Context) error {
	search, err := w.checkPosteriors()
	if err != nil || !w.hasPosteriors() {
		return err
	}
	values := w.Options.Problem.Posteriors.Values
	if search != nil {
		if values, err = w.countNeighbours(ctx, search, nil); err != nil {
			return err
		}
	}
	w.Store.SetPosteriors(values)
	return nil
}

// hasPosteriors reports whether posteriors were asked for and there are classes that they are of.
func (w *Workspace) hasPosteriors() bool {
	return w.Options.Problem.Posteriors.Asked() &&
		(len(w.Store.Classes()) == 2 || w.posteriorColumns() > 1)
}

// posteriorColumns is the number of posteriors that a row has.
func (w *Workspace) posteriorColumns() int {
	if w.Options.Problem.Multiclass == model.SingleMachine {
		return len(w.Store.Classes())
	}
	return 1
}

// sumsOff is by how much the posteriors of a row may miss the sum of 1, as printed numbers may.
const sumsOff = 1e-3

// checkGiven holds posteriors that were given to the rows.
func (w *Workspace) checkGiven() error {
	n, k, p := w.Store.Len(), w.posteriorColumns(), &w.Options.Problem.Posteriors
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

// counted says how many posteriors a row has.
func counted(columns int) string {
	if columns == 1 {
		return "one"
	}
	return fmt.Sprintf("%d, one for each class", columns)
}

// checkPosteriors holds what was asked for to the data. It returns the search for the nearest rows,
// which is nil if the posteriors were given.
func (w *Workspace) checkPosteriors() (*neighbours, error) {
	o, n := &w.Options, w.Store.Len()
	p := &o.Problem.Posteriors
	switch {
	case !w.hasPosteriors():
		return nil, nil
	case p.Neighbours == 0:
		return nil, w.checkGiven()
	case w.Store.Columns() || w.Store.Dim() == 0:
		return nil, fail.New(fail.Input, "no row has a feature in which another could be near").
			WithHint("--posteriors FILE gives the posteriors of precomputed kernels")
	case o.Data.Sequences != dataset.Numbers:
		return nil, fail.New(fail.Usage, "nearest rows of sequences: letters are not numbers").
			WithHint("--posteriors FILE")
	case p.Neighbours >= n:
		return nil, fail.New(fail.Usage,
			"posteriors of the %d nearest of %d rows: there are %d others", p.Neighbours, n, n-1)
	}
	set, err := w.featuresOf(p.Features)
	if err != nil {
		return nil, err
	}
	return newNeighbours(w.Store, set, p.Neighbours, o.Budget.Threads), nil
}

// featuresOf returns the features of a set as after the @ of a kernel, ascending, or nil for all.
func (w *Workspace) featuresOf(text string) ([]int32, error) {
	if text == "" {
		return nil, nil
	}
	// A kernel of these features is the one reader of sets, so that the names of views, ranges and
	// sums of them mean what they mean behind a kernel. No kernel is made of it.
	//
	// The text is counted before it is expanded: it may stand for any number of sets.
	spec, with := []string{"linear@" + text}, kernelspec.Context{
		Features: w.Store.Dim(), Views: w.Options.Data.Views, Seed: w.Options.Seed,
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

// countNeighbours returns the share of rows of the positive class, or of every class, among the
// nearest ones of each row. Rows that are out are nobody's neighbours; nil stands for none. A row
// without any other has its label.
func (w *Workspace) countNeighbours(ctx context.Context, search *neighbours, out []int) (
	[]float64, error) {
	// A training without some rows must not learn their labels from their neighbours.
	search.out = nil
	if out != nil {
		search.out = make([]bool, w.Store.Len())
		for _, i := range out {
			search.out[i] = true
		}
	}
	// Rows are counted and not weighted, as whole numbers, so that no order of a sum shows. Calls
	// of visit overlap, and each writes an element of its own.
	labels, columns := w.Store.Labels(), w.posteriorColumns()
	p := make([]float64, columns*w.Store.Len())
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
		for _, c := range nearest {
			count(labels[c.row])
		}
		for c := range own {
			own[c] /= float64(len(nearest))
		}
	})
}

// forecastNeighbours returns how long the search for the nearest rows takes, from some of them.
func (w *Workspace) forecastNeighbours(ctx context.Context) (time.Duration, error) {
	search, err := w.checkPosteriors()
	if err != nil || search == nil {
		return 0, err
	}
	// Every thread takes one block, past which all rows stream, as they do in the search itself.
	rows, began := min(w.Store.Len(), search.block()*search.threads), time.Now()
	err = search.each(ctx, rows, func(int, []near) {})
	share := float64(w.Store.Len()) / float64(rows)
	return time.Duration(share * float64(time.Since(began))), err
}

// softLabels returns 2p - 1 for the posterior of each row, with 0 for rows that are left out.
func softLabels(posteriors []float64) []float64 {
	soft := make([]float64, len(posteriors))
	for i, p := range posteriors {
		soft[i] = model.SoftLabel(p)
	}
	return soft
}

// softLoss returns the loss of the posteriors. If they speak for fewer than two classes, it is an
// error of class fail.Input.
func (w *Workspace) softLoss(p *loss.Problem) (*loss.Hinge, error) {
	// The cost of a row is that of the class that its posterior speaks for, whatever its label is.
	p.Soft = softLabels(w.Store.Posteriors())
	l := loss.NewSoftHinge(p.Soft, p.ClassCosts, p.Weights)
	// With one side alone the bias meets every margin, and the weights would be 0.
	positive, negative := l.Sides()
	var err *fail.Error
	names, near := w.Store.Classes(), model.LeastSoftLabel/2
	switch {
	case !positive && !negative:
		err = fail.New(fail.Input, "all %d posteriors are within %g of 1/2: no row says anything of "+
			"its class", len(p.Soft), near)
	case !positive:
		err = fail.New(fail.Input, "no posterior is %g or more: no row speaks for the class %s",
			0.5+near, fail.Word(names[1]))
	case !negative:
		err = fail.New(fail.Input, "no posterior is %g or less: no row speaks for the class %s",
			0.5-near, fail.Word(names[0]))
	default:
		return l, nil
	}
	return nil, err.At(w.Options.Problem.Posteriors.File, 0, 0).
		WithHint("posteriors are those of %s, the second class", fail.Cut(names[1]))
}

// lossWithout returns the loss of a machine without some of its points, and whether any of the rest
// is of either class. Posteriors of nearest rows are those of the rest: the label of a row that is
// left out has no part in the training.
func (w *Workspace) lossWithout(ctx context.Context, l loss.TwoClass, out []int) (rest loss.TwoClass,
	positive, negative bool, err error) {
	// Posteriors of all rows may have said what the labels say, so that the store has none, while
	// those of the rest do not. The loss is therefore made anew in any case.
	if w.Options.Problem.Posteriors.Neighbours != 0 && w.hasPosteriors() {
		if err := w.softenWithout(ctx, out); err != nil {
			return nil, false, false, err
		}
		costs, err := w.classCosts()
		if err != nil {
			return nil, false, false, err
		}
		l = loss.NewSoftHinge(w.without.soft, costs, w.Store.Weights())
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
func (w *Workspace) softenWithout(ctx context.Context, out []int) error {
	if w.without.soft != nil && slices.Equal(w.without.out, out) {
		return nil
	}
	search, err := w.checkPosteriors()
	if err != nil {
		return err
	}
	p, err := w.countNeighbours(ctx, search, out)
	if err == nil {
		w.without = withoutRows{slices.Clone(out), softLabels(p)}
	}
	return err
}

// isPositive reports whether row i of two classes counts as positive: its posterior says so, or its
// label.
func (w *Workspace) isPositive(i int) bool {
	if p := w.Store.Posteriors(); p != nil {
		return model.SoftLabel(p[i]) > 0
	}
	return w.Store.Labels()[i] == 1
}

// largestCost returns by which factor soft labels raise the cost of a row at most.
func (w *Workspace) largestCost() float64 {
	if w.posteriorColumns() > 1 { // They are in the margins alone.
		return 1
	}
	// A soft label of 0 costs nothing, and is no divisor.
	least := 1.0
	for _, p := range w.Store.Posteriors() {
		if y := math.Abs(model.SoftLabel(p)); y > 0 {
			least = min(least, y)
		}
	}
	return 1 / least
}
