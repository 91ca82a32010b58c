package selection

import (
	"context"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
)

// apart holds rows out of everything. It keeps all rows as they were read, and the data that are open without the
// rows of a fold. One fold is open at a time, because its packed rows and kernels take as much memory
// as a training.
type apart struct {
	spool *dataset.Spool
	store *dataset.Store // of all rows, with their labels
	open  opener
	// training has the options of all trainings, except for their kernels, and lists has the lists of kernels as the
	// options name them.
	training bigmkl.Options
	lists    []string
	counts   bool // costs of kernels are counted

	key   string           // of the fold that is open
	data  *loaded          // the rows without the fold
	banks map[int][]string // of the fold: a specification for each kernel of a list
	known *dataset.Known   // the features that rows of the training have
}

// Close frees the rows.
func (p *apart) Close() error {
	if p == nil {
		return nil
	}
	return p.spool.Close()
}

// openFold opens the data without some rows, unless they are open. It reports false where the other
// rows are of one class, which nothing is trained on. The key identifies the fold, or the pair of folds
// of a nested selection. The kernels of each list are expanded once for a fold: widths of auto depend
// on its rows.
func (p *apart) openFold(ctx context.Context, key string, out []int32, bank int) (bool, error) {
	if isOneClass(p.store, p.training.Multiclass, out) {
		return false, nil
	}
	if p.key != key || p.data == nil {
		if p.data != nil {
			p.data.Close()
			p.data = nil
		}
		// The first list prepares the kernels with the opening. Other lists are prepared on the same
		// packed rows when they are needed.
		h, known, err := p.without(ctx, out, ofSpool(p.training, p.lists[bank]), nil)
		if err != nil {
			return false, err
		}
		p.key, p.data, p.banks = key, &loaded{h, p.lists[bank]}, map[int][]string{}
		p.known = known
	}
	if p.banks[bank] != nil {
		return true, nil
	}
	if err := p.data.use(ctx, p.lists[bank]); err != nil {
		return false, err
	}
	p.banks[bank] = p.data.Kernels().Names()
	if p.counts {
		counts, err := p.data.EigenCounts(ctx)
		if err != nil {
			return false, err
		}
		// The list with its costs follows the kernels.
		p.banks[bank] = append(p.banks[bank], p.data.Kernels().WithCosts(counts))
	}
	return true, nil
}

// ofSpool returns the options of a training on rows of the spool.
func ofSpool(t bigmkl.Options, kernels string) bigmkl.Options {
	t.Positive, t.Limit, t.Recorder = nil, 0, nil // The rows have their final labels.
	// The budget leaves room for predictions of held-out rows beside the open training.
	t.Kept.Predicted = true
	t.Kernels = kernels
	return t
}

// without opens the data without some rows, with the features of a source permuted unless s is nil. It returns the
// features that the other rows have beside.
func (p *apart) without(ctx context.Context, out []int32, own bigmkl.Options, s *swap) (*bigmkl.HeldOut, *dataset.Known, error) {
	if err := p.spool.Rewind(); err != nil {
		return nil, nil, err
	}
	src := p.others(out, own.Sequences, s)
	h, err := p.open(ctx, src, own)
	return h, src.known, err
}

// others returns the rows that are not left out, from the beginning of the spool. Rows of numbers have
// a width, which mark gives to the rows of each fold. Sequences have none.
func (p *apart) others(out []int32, sequences dataset.Alphabet, s *swap) *leftOut {
	src := &leftOut{store: p.store, spool: p.spool, out: out, swap: s, known: &dataset.Known{}}
	if sequences == dataset.Numbers {
		src.width = p.spool.Width()
	}
	return src
}

// specsOf returns the kernels of an arm as the open fold has them: the kernels of a list by their numbers. An arm
// with all kernels has no numbers.
func (p *apart) specsOf(a *Arm, members []int) string {
	list := p.banks[a.Bank]
	switch {
	case members != nil:
		var own []string
		for _, m := range members {
			own = append(own, list[m])
		}
		return strings.Join(own, ",")
	case p.counts:
		return list[len(list)-1]
	}
	return p.lists[a.Bank]
}

// train trains kernels at a point on the rows of the open fold, from dual variables, and returns the
// figures on each of some lists of rows that are left out. The figures are in the order of tested.
// start is nil for a start from 0.
func (p *apart) train(ctx context.Context, at bigmkl.PathPoint, specs string, start [][]float64, tested [][]int32, kept *keptValues) (
	*bigmkl.Held, []map[string]float64, error) {
	if err := p.data.use(ctx, specs); err != nil {
		return nil, nil, err
	}
	m, held, err := p.data.TrainModel(ctx, at, start)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	var list []map[string]float64
	for _, rows := range tested {
		figures, err := p.predict(ctx, m, p.known, rows, nil, kept)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, figures)
	}
	return held, list, nil
}

// predict returns the figures of a model on rows that were held out, with the features of a source permuted unless it is
// nil, and keeps decision values unless kept is nil. known has the features that rows of the training
// have. A held-out row is predicted as a new row of bigmkl predict, scaling and unknown features
// included.
func (p *apart) predict(ctx context.Context, m *bigmkl.Model, known *dataset.Known, rows []int32, permuted *swap, kept *keptValues) (map[string]float64, error) {
	if err := p.spool.Rewind(); err != nil {
		return nil, err
	}
	s := score.New(&m.Model)
	// Right answers are counted by side for sensitivity and specificity, which the score does not have.
	var right, counts [2]int
	classes := p.store.Classes()
	// Without the rows of a rare class, one classifier separates two of three classes: it does not
	// have two sides.
	several := m.Several() || len(classes) > 2
	t := &p.training
	src := &leftOut{store: p.store, spool: p.spool, out: rows, in: true, known: known, swap: permuted}
	o := bigmkl.PredictOptions{Threads: t.Threads, Memory: t.Memory, UserKernels: t.UserKernels}
	if t.Missing != "" {
		o.Missing = t.Missing
	}
	err := m.Predict(ctx, src, o, func(q bigmkl.Prediction) error {
		if m.HasClasses() && !several {
			side := max(0, slices.Index(classes, q.Known))
			if counts[side]++; q.Label == q.Known {
				right[side]++
			}
		}
		kept.add(m, &q)
		s.Add(q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return figuresOf(s, several, right, counts), nil
}
