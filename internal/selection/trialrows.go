package selection

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// Each repetition takes other rows, and each problem gives them other labels. Noise and missing views
// change features. All these changes are made to rows in memory, because a file would be read once for each
// trial.

// trials has the rows of all trials, and the choice of rows of each trial.
type trials struct {
	options  *Options
	rows     []dataset.Row
	views    []dataset.View // with the copies
	problems []problem
	hash     string
	at       map[string]place // of each fold by its name
	opened   string           // the key of the trial that is open; see use
}

// problem is a contrast of two classes, or the problem of the data.
type problem struct {
	name  string
	parts []part // by repetition
}

// part is a repetition of a problem.
type part struct {
	rows     []int32 // of the data, ascending
	positive []bool  // of these rows; nil without a contrast
	folds    []fold  // rows by their places in rows
}

// place is the problem and the repetition of a fold, and its number.
type place struct{ problem, repetition, fold int }

// The streams of random numbers are part of the bits of a selection.
const (
	drawRows = 0x74726961_6c00 + iota // the letters of "trial"
	drawFolds
	drawMissing
	drawNoise
)

// stream returns random numbers for one purpose. The seed and the hash of the purpose and of the
// numbers are the state of the generator, so a draw does not depend on the draws before it.
func stream(seed uint64, purpose int, numbers ...int) *rand.Rand {
	h := fnv.New64a()
	for _, x := range append([]int{purpose}, numbers...) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(x)))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// readTrials reads the rows and draws the trials.
func readTrials(ctx context.Context, src dataset.Source, o *Options) (*trials, error) {
	t := &trials{options: o, views: slices.Clone(o.Training.Views), at: map[string]place{}}
	for _, name := range []string{o.Trials.MissingView, o.Trials.NoiseView} {
		if name != "" && viewOf(t.views, name) == nil {
			return nil, fail.New(fail.Usage, "there is no view %s", fail.Quote(name)).WithHint("name one of --views")
		}
	}
	if err := t.read(ctx, src); err != nil {
		return nil, err
	}
	if err := t.addNoise(); err != nil {
		return nil, err
	}
	t.hash = t.hashRows()
	return t, t.draw()
}

// read copies all rows to memory, or fails with class fail.Budget if they do not fit.
func (t *trials) read(ctx context.Context, src dataset.Source) error {
	// A quarter of the memory is for these rows. The trainings, which open copies of some of
	// them, have the rest.
	most := t.options.Training.Memory / 4
	if most <= 0 {
		most = host.Budget() / 4
	}
	bytes := int64(0)
	for limit := t.options.Training.Limit; limit == 0 || len(t.rows) < limit; {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := src.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		// An entry has 4 bytes of index and 8 of value, rounded up to 16. 160 bytes are for the
		// row itself with its label.
		if bytes += 16*int64(len(r.Index)) + 160; bytes > most {
			return fail.New(fail.Budget, "%d rows of trials, which are kept in memory, take more than a quarter of it", len(t.rows)).
				WithHint("--limit takes the first rows, --memory is the memory")
		}
		t.rows = append(t.rows, r.Clone())
	}
	if n := t.options.Trials.Size; n > len(t.rows) {
		return fail.New(fail.Input, "a repetition of %d rows of %d", n, len(t.rows))
	}
	return nil
}

// targets lists Target and Upper of all rows. takeTargets needs them before any trial is open.
func (t *trials) targets() (targets, uppers []float64) {
	for i := range t.rows {
		targets, uppers = append(targets, t.rows[i].Target), append(uppers, t.rows[i].Upper)
	}
	return targets, uppers
}

// addNoise puts the copies of a view behind the features of the rows.
func (t *trials) addNoise() error {
	o := &t.options.Trials
	if o.Noise == 0 {
		return nil
	}
	d := 0
	for _, r := range t.rows {
		for _, j := range r.Index {
			d = max(d, int(j)+1)
		}
	}
	for _, v := range t.views {
		d = max(d, v.Last)
	}
	v := *viewOf(t.views, o.NoiseView)
	// Indices of features are int32.
	if int64(d)+int64(o.Noise)*int64(v.Last-v.First+1) > math.MaxInt32 {
		return fail.New(fail.Usage, "%d copies of a view of %d features are too many", o.Noise, v.Last-v.First+1)
	}
	for k := range o.Noise {
		// The rows of a copy are permuted as a whole. Its features keep their values and the dependence among them,
		// and have no relation to the labels.
		from := stream(t.options.Training.Seed, drawNoise, k).Perm(len(t.rows))
		name := noiseName(v.Name, k)
		if viewOf(t.views, name) != nil {
			return fail.New(fail.Usage, "a view has the name %s of a copy", fail.Quote(name))
		}
		for i := range t.rows {
			r := &t.rows[i]
			// Copies follow the features of the view that they are taken of.
			other := &t.rows[from[i]]
			for e, j := range other.Index {
				if int(j) >= v.First-1 && int(j) < v.Last {
					r.Index, r.Value = append(r.Index, int32(d+int(j)-v.First+1)), append(r.Value, other.Value[e])
				}
			}
		}
		t.views = append(t.views, dataset.View{Name: name, First: d + 1, Last: d + v.Last - v.First + 1})
		d += v.Last - v.First + 1
	}
	return nil
}

// hashRows returns a hash of the labels, targets, weights and features of all rows, with the
// copies of a view.
func (t *trials) hashRows() string {
	// The settings have this hash in place of a fingerprint: the packed store of a trial has
	// only some of the rows. A label has its length in front, so no two lists of rows give the
	// same bytes.
	h := fnv.New64a()
	var b []byte
	for i := range t.rows {
		r := &t.rows[i]
		b = fmt.Appendf(b[:0], "%d %s %x %x %d", len(r.Label), r.Label, math.Float64bits(r.Target), math.Float64bits(r.Weight), len(r.Index))
		if r.Upper != 0 {
			b = fmt.Appendf(b, " %x", math.Float64bits(r.Upper))
		}
		for e, j := range r.Index {
			b = binary.LittleEndian.AppendUint32(b, uint32(j))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Value[e]))
		}
		h.Write(b)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// source returns the rows of a fold's trial. A share of the rows of the fold lacks a view, and the
// same share of the others.
func (t *trials) source(at place, share float64) dataset.Source {
	o := t.options
	p := &t.problems[at.problem].parts[at.repetition]
	// The rows of the fold and the other rows are drawn apart. A draw among all rows would leave
	// the fold with another share than the training, by chance. The share is a part of the
	// stream, so each share has rows of its own.
	lacks := make([]bool, len(p.rows))
	if share > 0 {
		rng := stream(o.Training.Seed, drawMissing, at.problem, at.repetition, at.fold, int(math.Round(share*1e6)))
		var test, rest []int
		for i := range p.rows {
			if _, found := slices.BinarySearch(p.folds[at.fold].rows, int32(i)); found {
				test = append(test, i)
			} else {
				rest = append(rest, i)
			}
		}
		for _, list := range [][]int{rest, test} {
			rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
			for _, i := range list[:int(math.Round(share*float64(len(list))))] {
				lacks[i] = true
			}
		}
	}
	return &trialRows{trials: t, part: p, lacks: lacks, view: viewOf(t.views, o.Trials.MissingView)}
}

// trialRows is the rows of a trial as a source. It is made again for each opening, and keeps no copy of
// rows without missing views.
type trialRows struct {
	*trials
	part  *part
	lacks []bool
	view  *dataset.View
	next  int
}

// Next returns the next row.
func (s *trialRows) Next() (dataset.Row, error) {
	if s.next == len(s.part.rows) {
		return dataset.Row{}, io.EOF
	}
	i := s.next
	s.next++
	r := s.rows[s.part.rows[i]]
	if s.part.positive != nil {
		// A contrast has the classes -1 and 1, whatever the names in the data are.
		if r.Label = "-1"; s.part.positive[i] {
			r.Label = "1"
		}
	}
	if !s.lacks[i] {
		return r, nil
	}
	// The row of the data stays as it is: other trials read it with the view.
	index, value := r.Index, r.Value
	r.Index, r.Value = nil, nil
	for e, j := range index {
		if int(j) < s.view.First-1 || int(j) >= s.view.Last {
			r.Index, r.Value = append(r.Index, j), append(r.Value, value[e])
		}
	}
	return r, nil
}

// use opens the trial of a fold for an arm, unless it is open already.
func (t *trials) use(ctx context.Context, p *pool, name string, arm *Arm) error {
	at := t.at[name]
	key := fmt.Sprint(at.problem, " ", at.repetition)
	// All folds of a repetition have the same rows, which are packed once. Rows lack a view by fold.
	if arm.Missing > 0 {
		key = fmt.Sprint(key, " ", at.fold, " ", arm.Missing)
	}
	if key == t.opened {
		return nil
	}
	// The old trial is closed first, so memory and scratch space are enough for one.
	if p.data != nil {
		p.data.Close()
		p.data = nil
	}
	// A kernel by itself may not allow for views that rows lack, where its list does.
	own := t.training()
	own.Kernels = t.options.Banks[arm.Bank]
	h, err := bigmkl.OpenHeldOut(ctx, t.source(at, arm.Missing), own)
	if err != nil {
		return err
	}
	p.hold(h, own.Kernels)
	t.opened = key
	return nil
}
