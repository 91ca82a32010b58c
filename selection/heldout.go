package selection

import (
	"context"
	"math"
	"slices"
	"strings"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/evaluate/score"
	"bigmkl/model"
	"bigmkl/train"
)

// Held-out rows are held out of everything. For each fold the data are opened anew without its rows, so
// that scaling, widths, normalisation, centring, what stands for missing views, and regions are those
// of the other rows, and the rows of the fold are predicted by the model, as new rows would be. A
// feature that no row of the training has is unknown to it. What all rows are opened for is their
// labels, the folds, and the names of the lines.

// Preparation says from which rows scaling, widths, normalisation and the like are made.
type Preparation string

// These are the preparations. Trials have none, as each has rows of its own.
const (
	PreparedApart  Preparation = "held out" // from the rows of each training
	PreparedShared Preparation = "shared"   // from all rows, also those that are left out
)

// preparation keeps the rows as they were read, and the data that are open without a fold.
type preparation struct {
	spool *dataset.Spool
	key   string // of the fold that is open
	data  *bigmkl.HeldOut
	hands string           // specifications of the kernels in hand
	banks map[int][]string // of the fold: a specification for each kernel of a list
	known *dataset.Known   // the features that rows of the training have
}

// sharedBecause says why preparation is shared by all folds although nobody asked for it, and is empty
// if it is not: files that say something of each row, or each two, cannot be cut to those of a fold.
func (o *Options) sharedBecause() string {
	t := &o.Training
	for _, specs := range o.Banks {
		files := train.RowFiles{Kernels: specs, Gating: t.Gating, GateOn: t.GateOn, Missing: t.Missing, Posteriors: t.Posteriors}
		if because := files.Found(); because != "" {
			return because
		}
	}
	return ""
}

// recorded is a source whose rows are kept as they are read.
type recorded struct {
	dataset.Source
	spool *dataset.Spool
}

// Next returns the next row.
func (r *recorded) Next() (dataset.Row, error) {
	row, err := r.Source.Next()
	if err == nil {
		err = r.spool.Add(&row)
	}
	return row, err
}

// Points returns nil: rows are read one by one.
func (r *recorded) Points(context.Context) (*dataset.Points, error) { return nil, nil }

// Width returns the number of features that the source claims.
func (r *recorded) Width(rows int) int {
	if p, ok := r.Source.(dataset.PointSource); ok {
		return p.Width(rows)
	}
	return 0
}

// Close frees the rows and the data.
func (p *preparation) Close() error {
	if p == nil {
		return nil
	}
	if p.data != nil {
		p.data.Close()
		p.data = nil
	}
	return p.spool.Close()
}

// leftOut is the rows of a fold, or of the others, as a source.
type leftOut struct {
	store *dataset.Store // of all rows
	spool *dataset.Spool
	out   []int32
	in    bool // yields the rows of the fold, and without it the others
	known *dataset.Known
	next  int
	width int
	row   dataset.Row
	swap  *swap // of the features of a source; nil if none are permuted
}

// Next returns the next row, with the label as all rows have it.
func (s *leftOut) Next() (dataset.Row, error) {
	for {
		r, err := s.spool.Next()
		if err != nil {
			return dataset.Row{}, err
		}
		i := int32(s.next)
		s.next++
		if len(s.out) > 0 && s.out[0] == i {
			s.out = s.out[1:]
			if !s.in {
				continue
			}
		} else if s.in {
			continue
		}
		if s.swap != nil {
			if r, err = s.swap.of(int(i), r); err != nil {
				return dataset.Row{}, err
			}
		}
		r.Weight, r.Target = 1, math.NaN()
		if w := s.store.Weights(); w != nil {
			r.Weight = w[i]
		}
		if l := s.store.Labels(); l != nil {
			r.Label = s.store.Classes()[l[i]]
		}
		if t := s.store.Targets(); t != nil {
			r.Target = t[i]
		}
		return s.mark(r), nil
	}
}

// mark notes the features of a row of the training, and leaves out of others those that none of these has. It tells of the number
// of features by a zero of the first row.
func (s *leftOut) mark(r dataset.Row) dataset.Row {
	if s.in {
		return s.known.Cut(r)
	}
	if last := int32(s.width) - 1; last >= 0 && (len(r.Index) == 0 || r.Index[len(r.Index)-1] < last) {
		s.row.Index, s.row.Value = append(append(s.row.Index[:0], r.Index...), last), append(append(s.row.Value[:0], r.Value...), 0)
		r.Index, r.Value, s.width = s.row.Index, s.row.Value, 0
	}
	s.known.Note(&r)
	return r
}

// openFold opens the data without some rows, unless they are open. It reports false where the other
// rows are of one class, which nothing is trained on.
func (r *runner) openFold(ctx context.Context, key string, out []int32, bank int) (bool, error) {
	p := r.own
	if r.isOneClass(out) {
		return false, nil
	}
	if p.key != key || p.data == nil {
		if p.data != nil {
			p.data.Close()
			p.data = nil
		}
		h, known, err := r.openWithout(ctx, out, r.trainingOf(r.banks[bank]), nil)
		if err != nil {
			return false, err
		}
		p.key, p.data, p.hands, p.banks = key, h, r.banks[bank], map[int][]string{}
		p.known = known
	}
	if p.banks[bank] != nil {
		return true, nil
	}
	if err := p.use(ctx, r.banks[bank]); err != nil {
		return false, err
	}
	p.banks[bank] = p.data.Kernels()
	if r.options.CostBase != "" {
		counts, err := p.data.EigenCounts(ctx)
		if err != nil {
			return false, err
		}
		// The list with its costs stands behind the kernels.
		p.banks[bank] = append(p.banks[bank], p.data.WithCosts(counts))
	}
	return true, nil
}

// trainingOf returns the options of trainings that are opened without some rows.
func (r *runner) trainingOf(kernels string) bigmkl.Options {
	return ofSpool(r.options.Training, kernels)
}

// ofSpool returns the options of a training on rows of the spool.
func ofSpool(t bigmkl.Options, kernels string) bigmkl.Options {
	t.Positive, t.Limit, t.Recorder = nil, 0, nil // Labels are those that they have become.
	t.Kernels = kernels
	return t
}

// openWithout opens the data without some rows, with the features of a source permuted unless s is nil. It returns the
// features that the other rows have beside.
func (r *runner) openWithout(ctx context.Context, out []int32, own bigmkl.Options, s *swap) (*bigmkl.HeldOut, *dataset.Known, error) {
	if err := r.own.spool.Rewind(); err != nil {
		return nil, nil, err
	}
	src := r.others(out, own.Sequences, s)
	h, err := r.open(ctx, src, own)
	return h, src.known, err
}

// others returns the rows that are not left out, from the beginning of the spool.
func (r *runner) others(out []int32, sequences dataset.Alphabet, s *swap) *leftOut {
	src := &leftOut{store: r.data.Store(), spool: r.own.spool, out: out, swap: s, known: &dataset.Known{}}
	if sequences == dataset.Numbers {
		src.width = r.own.spool.Width()
	}
	return src
}

// isOneClass reports whether the rows that are not left out are of one class, of several.
func (r *runner) isOneClass(out []int32) bool {
	store := r.data.Store()
	labels := store.Labels()
	if labels == nil || r.options.Training.Multiclass == model.MultiLabel {
		return false
	}
	first := int32(-1)
	for i, c := range labels {
		if len(out) > 0 && out[0] == int32(i) {
			out = out[1:]
			continue
		}
		if first >= 0 && c != first {
			return false
		}
		first = c
	}
	return true
}

// use puts kernels in hand.
func (p *preparation) use(ctx context.Context, specs string) error {
	if specs == p.hands {
		return nil
	}
	p.hands = specs
	return p.data.UseKernels(ctx, specs)
}

// specsOf returns the kernels of an arm as the open fold has them: those of a list by their numbers.
func (r *runner) specsOf(arm int) string {
	a := &r.arms[arm]
	list := r.own.banks[a.Bank]
	switch {
	case r.members[arm] != nil:
		var own []string
		for _, m := range r.members[arm] {
			own = append(own, list[m])
		}
		return strings.Join(own, ",")
	case r.options.CostBase != "":
		return list[len(list)-1]
	}
	return r.banks[a.Bank]
}

// trainHeldOut trains an arm at a point without rows, from dual variables as text, and returns the
// figures of each of some folds.
func (r *runner) trainHeldOut(ctx context.Context, p bigmkl.PathPoint, specs string, start [][]float64, folds []string, kept *keptValues) (
	*bigmkl.Held, []map[string]float64, error) {
	own := r.own
	if err := own.use(ctx, specs); err != nil {
		return nil, nil, err
	}
	m, held, err := own.data.TrainModel(ctx, p, start)
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	var list []map[string]float64
	for _, name := range folds {
		figures, err := r.predict(ctx, m, r.own.known, r.rows[name], nil, kept)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, figures)
	}
	return held, list, nil
}

// predict returns the figures of a model on rows that were held out, with the features of a source permuted unless it is
// nil, and keeps decision values unless kept is nil. known tells the features that rows of the training have.
func (r *runner) predict(ctx context.Context, m *bigmkl.Model, known *dataset.Known, rows []int32, permuted *swap, kept *keptValues) (map[string]float64, error) {
	if err := r.own.spool.Rewind(); err != nil {
		return nil, err
	}
	s := score.New(&m.Model)
	var right, counts [2]int
	classes := r.data.Store().Classes()
	// Without the rows of a rare class, one machine tells two of three apart: it has no two sides.
	several := m.Several() || len(classes) > 2
	t := &r.options.Training
	src := &leftOut{store: r.data.Store(), spool: r.own.spool, out: rows, in: true, known: known, swap: permuted}
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
