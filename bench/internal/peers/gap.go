package peers

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/libsvm"
)

// gapOf returns the relative duality gap of a model in LIBSVM's format on the rows that it was trained on, the
// largest one of several classifiers. With w = sum_i a_i y_i phi(x_i) of a classifier,
//
//	primal = 1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i)),    dual = sum_i a_i - 1/2 |w|^2,
//
// and the loss of a regressor is max(0, |y_i - f(x_i)| - epsilon). Its dual value is given, because it needs the
// targets of the support vectors, which models do not have. Programs stop by rules that cannot be
// compared: pairs of gradients in LIBSVM, the duality gap here. The gap of the final model can be
// computed for any of them.
// The relative gap is (primal - dual) / max(|primal|, |dual|).
func gapOf(ctx context.Context, path string, rows *labelledText, l *workLine, dual float64,
	threads int) (float64, error) {
	m, err := libsvm.Load(path)
	if err != nil {
		return 0, err
	}
	if m.Kernel.Kind != libsvm.RBF {
		return 0, fmt.Errorf("the model has the kernel %s", m.Kernel.Kind)
	}
	// LIBSVM solves one problem for each pair of classes. Each has a gap, and the worst one is
	// reported.
	v := newVotes(m)
	// |w|^2 = sum_s a_s y_s (f(x_s) + rho) over the support vectors.
	// The sum over the support vectors is divided among the threads.
	energy, err := v.sum(ctx, len(v.class), threads, func(s int, at *place, sums []float64) error {
		index, value := m.Row(s)
		v.values(index, value, v.class[s], at)
		for _, e := range v.seats[v.class[s]] {
			sums[e.pair] += m.Coefs[e.column][s] * at.f[e.pair]
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	// The loss is over all rows of the training, also rows without a dual variable.
	loss, err := v.sum(ctx, len(rows.label), threads, func(i int, at *place, sums []float64) error {
		class, err := v.classOf(rows.label[i])
		if err != nil {
			return err
		}
		v.values(rows.index[i], rows.value[i], class, at)
		for _, e := range v.seats[class] {
			// LIBSVM's function is the sum minus rho.
			f := at.f[e.pair] - m.Rho[e.pair]
			if l.regression {
				sums[e.pair] += max(0, math.Abs(rows.label[i]-f)-l.epsilon)
			} else {
				sums[e.pair] += max(0, 1-e.sign*f)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	// Each pair is a problem with an optimum of its own.
	worst := 0.0
	for pair := range m.Rho {
		primal, d := energy[pair]/2+l.c*loss[pair], dual
		if !l.regression {
			d = v.weight[pair] - energy[pair]/2
		}
		worst = max(worst, (primal-d)/max(math.Abs(primal), math.Abs(d)))
	}
	return worst, nil
}

// votes computes the functions of all pairs of classes. A regression has one function and one class.
type votes struct {
	model  *libsvm.Model
	class  []int       // of each support vector
	square []float64   // |x|^2 of each support vector
	weight []float64   // sum_i a_i of each pair
	seats  [][]seat    // the pairs of each class
	of     map[int]int // the class of each label
	most   int32       // the largest index
}

// seat is a pair that a class is in.
type seat struct {
	pair   int
	other  int     // the other class
	column int     // where vectors of the class have their coefficients
	sign   float64 // of the class in the pair
}

// newVotes returns the functions of a model. LIBSVM stores the coefficients of a vector of class i
// against class j in row j-1 if i < j, and in row j otherwise.
func newVotes(m *libsvm.Model) *votes {
	// Vectors lie class by class, so the counts give the class of each.
	v := &votes{model: m, weight: make([]float64, len(m.Rho)), of: map[int]int{}}
	for class, count := range m.Counts {
		v.of[int(m.Labels[class])] = class
		for range count {
			v.class = append(v.class, class)
		}
	}
	if m.HasClasses() {
		v.seats = make([][]seat, m.Classes)
		// Pairs are in LIBSVM's order: (0, 1), (0, 2), .., (1, 2), ..
		pair := 0
		for low := range m.Classes {
			for high := low + 1; high < m.Classes; high++ {
				v.seats[low] = append(v.seats[low], seat{pair, high, high - 1, 1})
				v.seats[high] = append(v.seats[high], seat{pair, low, low, -1})
				pair++
			}
		}
	} else {
		v.class, v.seats = make([]int, m.Vectors), [][]seat{{{0, 0, 0, 1}}}
	}
	for s, class := range v.class {
		index, value := m.Row(s)
		//x|^2 serves every distance of the vector.
		sum := 0.0
		for k, x := range value {
			sum += float64(x) * float64(x)
			v.most = max(v.most, index[k])
		}
		v.square = append(v.square, sum)
		for _, e := range v.seats[class] {
			v.weight[e.pair] += math.Abs(m.Coefs[e.column][s])
		}
	}
	return v
}

// classOf returns the number of the class with a label.
func (v *votes) classOf(label float64) (int, error) {
	// A regression has one class, number 0.
	class, there := v.of[int(label)]
	if !there && v.model.HasClasses() {
		return 0, fmt.Errorf("the model has no class %g", label)
	}
	return class, nil
}

// place is a point at which functions are computed: the memory of one goroutine.
type place struct {
	f []float64 // the functions of the pairs, without rho
	x []float64 // the features by their index
}

// values sets f to the functions of all pairs with the point's class, without rho. Other pairs
// have no loss at the point. Each kernel value is computed once for all of them.
func (v *votes) values(index []int32, value []float32, class int, at *place) {
	m, square := v.model, 0.0
	for k, j := range index {
		square += float64(value[k]) * float64(value[k])
		// Only features of support vectors can meet another non-zero.
		if j <= v.most {
			at.x[j] = float64(value[k])
		}
	}
	// The pair with each other class, by the number of that class.
	with := make([]*seat, len(v.seats))
	for k := range v.seats[class] {
		e := &v.seats[class][k]
		at.f[e.pair], with[e.other] = 0, e
	}
	for s, of := range v.class {
		vector, x := m.Row(s)
		product := 0.0
		for k, j := range vector {
			product += at.x[j] * float64(x[k])
		}
		//x - z|^2 = |x|^2 + |z|^2 - 2 x'z, which rounding can make slightly negative.
		kernel := math.Exp(-m.Kernel.Gamma * max(0, square+v.square[s]-2*product))
		if of == class {
			for _, e := range v.seats[class] {
				at.f[e.pair] += m.Coefs[e.column][s] * kernel
			}
			continue
		}
		column := class // where vectors of the other class have the coefficients of the pair
		// Coefficients of a vector lie in the columns of the other classes, in their order and without
		// its own class.
		if class > of {
			column--
		}
		at.f[with[of].pair] += m.Coefs[column][s] * kernel
	}
	// Only the features of this point are cleared, so a row costs as much as it has values.
	for _, j := range index {
		if j <= v.most {
			at.x[j] = 0
		}
	}
}

// sum calls do for every item, on several threads, and returns the sums of all pairs. do adds
// the terms of its item to sums, which belong to one thread. Thread t has the items t, t + threads, ..,
// so each has as many.
func (v *votes) sum(ctx context.Context, items, threads int,
	do func(item int, at *place, sums []float64) error) ([]float64, error) {
	parts := make([][]float64, max(1, threads))
	group, ctx := errgroup.WithContext(ctx)
	for t := range parts {
		parts[t] = make([]float64, len(v.model.Rho))
		group.Go(func() error {
			// The memory is allocated once for each thread.
			at := &place{f: make([]float64, len(v.model.Rho)), x: make([]float64, v.most+1)}
			for i := t; i < items; i += len(parts) {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(i, at, parts[t]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		// Parts are added in the order of the threads, so the sum does not depend on which thread
		// ended first.
		for pair, x := range part {
			parts[0][pair] += x
		}
	}
	return parts[0], nil
}
