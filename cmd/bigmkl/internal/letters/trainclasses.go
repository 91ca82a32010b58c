package letters

import (
	"context"
	"math"

	"bigmkl"
	"bigmkl/internal/libsvm"
	"bigmkl/internal/model"
)

// trainClasses trains a decision function for each pair of classes, and writes them in LIBSVM's
// order and signs: class i < j of a pair is the positive one. The trainings order classes by
// their labels, so a pair may have the opposite sign.
func (t *trainer) trainClasses(ctx context.Context, rows []int32) (*solution, error) {
	// Classes have the order of their first rows, as in LIBSVM. The classes -1 and 1 are in the order 1,
	// -1.
	c := groupClasses(t.problem, rows)
	if len(c.labels) == 1 {
		return oneLabel(t.process, t.options, c), nil
	}
	// One training has all pairs, so kernel rows are shared among them.
	m, r, err := t.run(ctx, t.problem.source(rows, t.problem.labelRow), t.classOptions(c, rows))
	if err != nil {
		return nil, err
	}
	defer m.Close()
	s := newSolution(t.options, &m.Model, r)
	// Pairs() is k (k-1) / 2 for k classes.
	h := &s.model.Head
	h.Classes, h.Labels = len(c.labels), c.labels
	h.Rho, s.functions = make([]float64, h.Pairs()), make([]function, h.Pairs())
	if m.Sigmoids != nil {
		h.ProbA, h.ProbB = make([]float64, h.Pairs()), make([]float64, h.Pairs())
	}
	// coefs has the coefficients of each row of the problem that is a support vector.
	coefs := map[int32][]float64{}
	for _, d := range decisionsOf(c, m, r) {
		s.addFunction(t.options, c, d, rows, coefs)
	}
	// Coefs has k-1 rows: a support vector of class i has a coefficient in its pair with each other class.
	h.Counts = make([]int, h.Classes)
	s.model.Coefs = make([][]float64, h.Classes-1)
	// A model of LIBSVM lists its support vectors class by class, in the order of the rows
	// within a class.
	for k, list := range c.rows {
		for _, i := range list {
			if coefs[i] != nil {
				index, value := t.problem.vector(i)
				s.model.Add(coefs[i], index, value)
				h.Counts[k]++
				h.Vectors++
			}
		}
	}
	return s, nil
}

// oneLabel returns the model of rows that are all of one class, which it predicts. LIBSVM writes such a
// model, too, so a script over many folds does not stop.
func oneLabel(p *Process, o *options, c *classes) *solution {
	p.Warn("warning: training data in only one class: the model predicts it for every row")
	return &solution{status: "converged", model: &libsvm.Model{Start: []int64{0}, Head: libsvm.Head{Type: o.kind,
		Kernel: o.kernel, Classes: 1, Labels: c.labels, Counts: []int{0}, Rho: []float64{}}}}
}

// decision is the decision function of a pair of classes i < j, as it was trained: sign is -1 if the training had j
// for its positive class.
type decision struct {
	i, j       int
	sign       float64
	iterations int
	one        *model.Model // of the pair alone
	support    []int32      // rows of the source
}

// decisionsOf lists the functions of a model, with classes in the order of LIBSVM.
// Two classes have one classifier, whose positive class is already the first one.
func decisionsOf(c *classes, m *bigmkl.Model, r *bigmkl.Result) (list []decision) {
	if !m.Several() {
		return []decision{{0, 1, 1, r.Iterations, &m.Model, m.Support}}
	}
	// class maps the place of a label in the model to its place in LIBSVM's order.
	class := make([]int, len(m.Classes))
	for k, name := range m.Classes {
		class[k] = c.named(name)
	}
	for k := range m.Classifiers {
		a := &m.Classifiers[k]
		one := m.Classifier(k)
		d := decision{class[a.Positive], class[a.Negative], 1, r.Each[k], one, one.Support}
		if d.i > d.j {
			d.i, d.j, d.sign = d.j, d.i, -1
		}
		list = append(list, d)
	}
	return list
}

// addFunction adds a decision function to the model and to its report.
func (s *solution) addFunction(o *options, c *classes, d decision, rows []int32, coefs map[int32][]float64) {
	// f(x) = sum alpha_i k(x_i, x) - rho in LIBSVM, so rho = -bias.
	h, pair := &s.model.Head, pairOf(len(c.labels), d.i, d.j)
	factors, _ := c.weights(o.weights)
	h.Rho[pair] = -d.sign * d.one.Bias
	if h.ProbA != nil {
		// The sigmoid of -f is the sigmoid of f with -A, and the other side of it has -A and -B.
		h.ProbA[pair], h.ProbB[pair] = d.one.Sigmoids[0].A, d.sign*d.one.Sigmoids[0].B
	}
	f := function{iterations: d.iterations, nu: math.NaN(), objective: -d.one.Certificate.Dual, rho: h.Rho[pair]}
	sum := 0.0
	for k, r := range d.support {
		i := rows[r]
		alpha := d.sign * d.one.Alpha[k]
		// The coefficients of a vector of class i skip the pair (i, i): class j is at place j-1 if j > i,
		// else at place j.
		class, place := d.i, d.j-1
		if int(c.place[i]) == d.j {
			class, place = d.j, d.i
		}
		if coefs[i] == nil {
			coefs[i] = make([]float64, len(c.labels)-1)
		}
		coefs[i][place] = alpha * d.one.Theta[0]
		// LIBSVM prints nu = sum |alpha_i| / (C n), with n rows of both classes.
		sum += math.Abs(alpha)
		f.count(alpha, o.cost*factors[class])
	}
	// nu of the equivalent formulation is defined only if both classes have the same cost.
	if factors[d.i] == factors[d.j] {
		f.nu = sum / (o.cost * factors[d.i] * float64(len(c.rows[d.i])+len(c.rows[d.j])))
	}
	s.functions[pair] = f
}
