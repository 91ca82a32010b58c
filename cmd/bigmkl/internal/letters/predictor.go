package letters

import (
	"context"
	"math"
	"slices"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/libsvm"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/predict"
)

// predictor evaluates a model of LIBSVM. It is a model of this module, of which it uses the evaluation of
// decision functions, and decides by the rules of LIBSVM. LIBSVM's own files have no scaling, no
// weights and no certificate, so these fields of the model have neutral values.
type predictor struct {
	// users has the kernel of a precomputed matrix, nil for other kernels.
	from  *libsvm.Model
	model *predict.Model // nil where one class is all that there is to predict
	users map[string]kernels.UserKernel
	// features lists the indices that vectors have, ascending. Feature k of the model is features[k].
	// One further feature represents all features that no vector has; see addFeatures.
	features []int32
	// asked has the values of precomputed kernels of the rows of a batch, which are counted from 1.
	asked [][]float32
}

// newPredictor translates a model of LIBSVM into a model of this program. The classes, costs and
// certificates of that model are placeholders: only its decision functions are used, and package
// letters decides as LIBSVM does. Features keep only the indices that occur in the support
// vectors, because other features of a row change no product with them.
func newPredictor(m *libsvm.Model) (*predictor, error) {
	p := &predictor{from: m}
	// A model of one class predicts it without a function.
	if m.Pairs() == 0 {
		return p, nil
	}
	spec, err := specOf(m.Kernel)
	if err != nil {
		return nil, err
	}
	// p = 2 with weight 1 leaves the single kernel as it is. Double keeps coefficients in float64, as
	// LIBSVM does.
	out := &predict.Model{Model: model.Model{Task: model.TaskClass, Norm: 2, C: 1, Gap: 1, Precision: "64", Double: true,
		Store: dataset.LayoutSparse, Kernels: []string{spec}, Seed: 1, Scaling: dataset.Scaling{Kind: dataset.ScaleNone},
		Normalization: model.Normalization{Kind: "none"}, Points: max(1, m.Vectors)}}
	// Support counts rows of a training. Here the vectors themselves are the rows.
	for s := range m.Vectors {
		out.Support = append(out.Support, int32(s))
	}
	// The only feature is the number of the row.
	if m.Kernel.Kind == libsvm.Precomputed {
		p.users = map[string]kernels.UserKernel{tableKernel: &table{asked: func(row int) []float32 { return p.asked[row-1] }}}
		out.Features = 1
	} else {
		p.features = slices.Clone(m.Index)
		slices.Sort(p.features)
		p.features = slices.Compact(p.features)
		out.Features = len(p.features) + 1
	}
	// The vectors stay sparse. Their features are renumbered to places in p.features.
	out.Sparse = &model.Sparse{Start: m.Start, Value: m.Value, Index: make([]int32, len(m.Index))}
	for k, j := range m.Index {
		at, _ := slices.BinarySearch(p.features, j)
		out.Sparse.Index[k] = int32(at)
	}
	p.addFunctions(out)
	p.model = out
	return p, nil
}

// addFunctions gives a model the decision functions. LIBSVM's f(x) is sum_i coef_i k(x_i, x) - rho, so
// rho is the negative bias. For a pair of classes, the coefficients of a vector of class i are in row
// j-1, and of class j in row i.
func (p *predictor) addFunctions(out *predict.Model) {
	// Each classifier needs slices of its own, so one makes new ones.
	m, one := p.from, func() []float64 { return []float64{1} }
	switch {
	// nu is a placeholder: predictions do not use it.
	case m.Type == libsvm.OneClass:
		out.Task, out.Nu = model.TaskOneClass, 1
	case m.IsRegression():
		out.Task = model.TaskSVR
	case m.Classes == 2:
		out.Positive, out.Negative = p.label(0), p.label(1)
	default:
		out.Multiclass = model.OneVsOne
		// Vectors lie class by class, so class k has those from start[k] to start[k+1].
		start := make([]int32, m.Classes+1)
		for k, n := range m.Counts {
			out.Classes = append(out.Classes, p.label(k))
			start[k+1] = start[k] + int32(n)
		}
		pairs(m.Classes, func(pair, i, j int) {
			a := model.Classifier{Positive: int32(i), Negative: int32(j), Double: true, Theta: one(), WNorms: one(), Bias: -m.Rho[pair]}
			// The second number is the row of coefs for the other class of the pair.
			for _, side := range [][2]int{{i, j - 1}, {j, i}} {
				for s := start[side[0]]; s < start[side[0]+1]; s++ {
					// A vector of a class need not be a support vector of each of its pairs.
					if c := m.Coefs[side[1]][s]; c != 0 {
						a.Support, a.Alpha = append(a.Support, s), append(a.Alpha, c)
					}
				}
			}
			out.Classifiers = append(out.Classifiers, a)
		})
		return
	}
	out.Theta, out.WNorms, out.Bias, out.Alpha = one(), one(), -m.Rho[0], m.Coefs[0]
}

// label is the name of a class.
func (p *predictor) label(class int) string { return strconv.Itoa(int(p.from.Labels[class])) }

// decide reads src to its end and calls emit for each row with its target and the values of the decision
// functions, in the order of LIBSVM. The slice is lent.
func (p *predictor) decide(ctx context.Context, src dataset.Source, o predict.Options,
	emit func(target float64, values []float64) error) error {
	if p.model == nil {
		return eachTarget(ctx, src, func(target float64) error { return emit(target, nil) })
	}
	// Predict reads rows in batches ahead of their decisions, so the queue keeps the targets.
	q := &queue{predictor: p, from: src}
	o.UserKernels = p.users
	single := make([]float64, 1)
	return p.model.Predict(ctx, q, o, func(r predict.Prediction) error {
		// Decisions come in the order of the rows.
		target := q.targets[q.done]
		if q.done++; q.done == len(q.targets) {
			q.targets, q.done = q.targets[:0], 0
		}
		// One function has no list. single is lent to emit, as the list would be.
		if r.Decisions == nil {
			single[0] = r.Decision
			return emit(target, single)
		}
		return emit(target, r.Decisions)
	})
}

// eachTarget reads the rows of which nothing but the target matters. A model of a single class has no
// function to evaluate.
// It ends without an error at io.EOF.
func eachTarget(ctx context.Context, src dataset.Source, do func(float64) error) error {
	for {
		row, err := src.Next()
		if err != nil {
			return endOf(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(row.Target); err != nil {
			return err
		}
	}
}

// queue is a source of rows in the features of the model. It keeps the target of each row until the
// decision values of the row have been computed.
type queue struct {
	predictor *predictor
	from      dataset.Source
	targets   []float64
	done      int
	// index and value hold the row that Next has returned last.
	index []int32
	value []float64
}

// Next implements dataset.Source.
func (q *queue) Next() (dataset.Row, error) {
	row, err := q.from.Next()
	if err != nil {
		return row, err
	}
	if len(q.targets) == 0 {
		q.predictor.asked = q.predictor.asked[:0] // All rows of the batch before are decided.
	}
	q.targets = append(q.targets, row.Target)
	q.index, q.value = q.index[:0], q.value[:0]
	if q.predictor.users != nil {
		err = q.addSerial(&row)
	} else {
		q.addFeatures(&row)
	}
	// Labels are not passed on: the placeholder model has others.
	row.Index, row.Value, row.Label, row.Target = q.index, q.value, "", math.NaN()
	return row, err
}

// addSerial keeps the values of a precomputed kernel, and makes the row its own number. A negative
// number marks a row to predict; see table.
func (q *queue) addSerial(row *dataset.Row) error {
	// values[j] is the kernel between the row and training row j, as LIBSVM numbers them from 1.
	values := make([]float32, 1)
	if n := len(row.Index); n > 0 {
		last := row.Index[n-1]
		if int(last) > mostSerial {
			return fail.New(fail.Input, "column %d of a precomputed kernel", last).At(row.File, row.Line, 0)
		}
		values = make([]float32, last+1)
	}
	for k, j := range row.Index {
		values[j] = float32(row.Value[k])
	}
	q.predictor.asked = append(q.predictor.asked, values)
	q.index, q.value = append(q.index, 0), append(q.value, -float64(len(q.predictor.asked)))
	return nil
}

// addFeatures adds the features that vectors have. Of all others together one number is left: no vector has
// them, so products do not see them, and distances see the sum of their squares alone.
func (q *queue) addFeatures(row *dataset.Row) {
	// Both lists ascend, so the search begins at the last place.
	list, at, rest := q.predictor.features, 0, 0.0
	for k, j := range row.Index {
		step, found := slices.BinarySearch(list[at:], j)
		if at += step; found {
			q.index, q.value = append(q.index, int32(at)), append(q.value, row.Value[k])
		} else {
			rest += row.Value[k] * row.Value[k]
		}
	}
	// sqrt(rest) as one value has the same square as all the others together.
	if rest > 0 {
		q.index, q.value = append(q.index, int32(len(list))), append(q.value, math.Sqrt(rest))
	}
}
