package letters

import (
	"context"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/libsvm"
)

// Trainings without a fold have most of their rows in common. Those of classes and of regressions share what is read
// and the kernel rows that are cached, and start from the training before. One class, and classes with
// probabilities, are trained fold by fold on rows of their own.

// mostTogether is the largest number of classes that are trained together. Each pair of classes then looks at the rows
// of all others, too: 26 classes of 2,000 rows took 4.9 processor seconds so, and 3.1 fold by fold.
const mostTogether = 5

// together trains without folds on what the folds share.
type together struct {
	*trainer
	width
	held    *bigmkl.HeldOut
	classes *classes // of all rows, and nil for a regression
	// costs has the bound C_i of each row. start has the dual variables of the previous training for
	// each classifier, from which the next one starts.
	costs []float64
	start [][]float64
	// gap is the relative gap of the next training.
	gap float64
}

// openTogether prepares the rows. It returns nil where folds share nothing.
func openTogether(ctx context.Context, t *trainer) (*together, error) {
	o, p, rows := t.options, t.problem, t.problem.all()
	// Each row has a cost of its own, because weights of classes multiply C.
	g := &together{trainer: t, costs: make([]float64, len(rows)), gap: firstGap}
	for i := range g.costs {
		g.costs[i] = o.cost
	}
	switch {
	case o.kind == libsvm.CSVC && !o.probability:
		if g.classes = groupClasses(p, rows); len(g.classes.labels) < 2 || len(g.classes.labels) > mostTogether {
			return nil, nil
		}
		factors, _ := g.classes.weights(o.weights)
		for i := range g.costs {
			g.costs[i] *= factors[g.classes.place[i]]
		}
		g.asked, g.label = t.classOptions(g.classes, rows), p.labelRow
	case o.kind == libsvm.EpsilonSVR:
		g.asked, g.label = t.numberOptions(rows), p.targetRow
	default:
		return nil, nil
	}
	// first counts free variables in a short training; see width.
	g.asked.Gap = g.gap
	g.first()
	if err := g.open(ctx); err != nil {
		return nil, err
	}
	return g, nil
}

// open reads the rows and prepares the kernel with the present options.
// Each training without a fold starts from these rows, without reading them again.
func (g *together) open(ctx context.Context) (err error) {
	g.held, err = bigmkl.OpenHeldOut(ctx, g.problem.source(g.problem.all(), g.label), g.asked)
	return at(err, g.problem.path)
}

// close frees the rows.
func (g *together) close() {
	if g != nil && g.held != nil {
		g.held.Close()
	}
}

// fold trains without some rows and predicts them. rest has the other rows, in the order of LIBSVM.
func (g *together) fold(ctx context.Context, out, rest []int32, predictions []float64) (*solution, error) {
	sorted := slices.Sorted(slices.Values(out))
	h, err := g.train(ctx, sorted, rest)
	if err != nil {
		return nil, err
	}
	s := &solution{gap: h.Gap, asked: g.gap, status: h.Status, model: &libsvm.Model{Head: libsvm.Head{
		Type: g.options.kind, Classes: 2, Rho: make([]float64, 1)}}}
	// A fold may hold all rows of a class out. The others then have other numbers.
	c := g.classes
	if c != nil {
		c = groupClasses(g.problem, rest)
		s.model.Classes, s.model.Labels = len(c.labels), c.labels
	}
	s.functions = make([]function, s.model.Pairs())
	// A row is one support vector, even if several functions use it.
	used := make([]bool, len(g.costs))
	pairs := g.pairs(c)
	for k, p := range pairs {
		if p.pair >= 0 {
			s.functions[p.pair] = g.describe(h, k, p, c, len(rest), used)
			s.room = max(s.room, h.Certificates[k].Primal-h.Certificates[k].Dual)
		}
	}
	for _, u := range used {
		if u {
			s.model.Vectors++
		}
	}
	// values are the functions in LIBSVM's order and signs, from which it votes.
	decide, values := newDecider(&s.model.Head), make([]float64, s.model.Pairs())
	for at, i := range sorted {
		for k, p := range pairs {
			if p.pair >= 0 {
				values[p.pair] = p.sign * h.Decisions[k][at]
			}
		}
		predictions[i] = decide.predict(values)
	}
	// The next fold begins at the gap that this one has shown to be right.
	g.next(h, rest)
	return s, nil
}

// train trains without the rows of out, until the gap is as small as share asks for. It trains
// again from its own solution if it is not.
func (g *together) train(ctx context.Context, out, rest []int32) (*bigmkl.Held, error) {
	for {
		h, err := g.held.Train(ctx, out, bigmkl.PathPoint{Norm: 2, C: g.options.cost, Gap: g.gap}, g.start)
		if err != nil {
			return nil, at(err, g.problem.path)
		}
		g.start = h.Alpha
		// The first training stops early to count free variables; see width.
		if h.Status == chunking.IterationLimit {
			g.close()
			g.held = nil
			g.widen(h.Alpha)
			if err := g.open(ctx); err != nil {
				return nil, err
			}
			continue
		}
		least := g.share(h, rest)
		if h.Status != chunking.Converged || h.Gap <= least || g.gap <= leastGap {
			return h, nil
		}
		// Halving ends after a few trainings, even if each primal value is smaller.
		g.gap = max(leastGap, min(least, g.gap/2))
	}
}

// sharpFold is the share of LIBSVM's guaranteed gap that a training without a fold has to reach.
// With a share of 1, three labels of a thousand on unscaled satimage differed from the labels at
// the optimum.
const sharpFold = 0.3

// share returns the relative gap that is sharp enough for every function: sharpFold e sum_i C_i
// over the rows of the function, divided by its primal value. LIBSVM stops when no pair of rows
// violates the optimality conditions by more than e. The gap is then at most about e sum_i C_i.
func (g *together) share(h *bigmkl.Held, rest []int32) float64 {
	least := math.Inf(1)
	// sums[class] is the sum of the costs of its rows. A regression has one class.
	sums := map[int32]float64{}
	for _, i := range rest {
		place := int32(0)
		if g.classes != nil {
			place = g.classes.place[i]
		}
		sums[place] += g.costs[i]
	}
	for k, p := range g.pairs(g.classes) {
		sum := sums[int32(p.i)]
		if g.classes != nil {
			sum += sums[int32(p.j)]
		}
		// A primal value of 0 has no relative gap.
		if value := h.Certificates[k].Primal; value > 0 {
			least = min(least, sharpFold*g.options.tolerance*sum/value)
		}
	}
	return least
}

// next sets the gap of the next training. Trainings without a fold have similar primal values,
// so the gap of this one is a good guess; train makes it smaller if it was too large.
func (g *together) next(h *bigmkl.Held, rest []int32) {
	g.gap = max(leastGap, min(g.share(h, rest), mostFold))
}

const (
	// firstGap is the gap of the first training, whose primal value is needed to know the gap
	// that LIBSVM's tolerance means.
	firstGap = 3e-3
	// mostFold is the largest gap of a training without a fold. It bounds the gap if the tolerance of
	// LIBSVM allows a larger one.
	mostFold = 5e-3
)

// classifierPair is the decision function of a classifier among those of LIBSVM: of classes i < j, or none if one
// of the classes has no row. sign is -1 if the classifier has j for its positive class.
type classifierPair struct {
	i, j, pair int
	sign       float64
}

// pairs lists the pairs of the classifiers, with classes in the order of c.
func (g *together) pairs(c *classes) (list []classifierPair) {
	if c == nil {
		return []classifierPair{{0, 1, 0, 1}}
	}
	// The shape has the classes and pairs of the training, in the order of its labels.
	m := g.held.Shape()
	names, two := m.Classes, [][2]int32{{0, 1}}
	if m.Several() {
		two = nil
		for k := range m.Classifiers {
			two = append(two, [2]int32{m.Classifiers[k].Positive, m.Classifiers[k].Negative})
		}
	} else {
		names = []string{g.classes.name(0), g.classes.name(1)}
	}
	for _, t := range two {
		p := classifierPair{i: c.named(names[t[0]]), j: c.named(names[t[1]]), sign: 1}
		if p.i > p.j {
			p.i, p.j, p.sign = p.j, p.i, -1
		}
		if p.pair = -1; p.i >= 0 {
			p.pair = pairOf(len(c.labels), p.i, p.j)
		}
		list = append(list, p)
	}
	return list
}

// describe returns the report of a classifier, and marks the rows that it uses.
func (g *together) describe(h *bigmkl.Held, k int, p classifierPair, c *classes, rest int, used []bool) function {
	certificate := h.Certificates[k]
	f := function{iterations: h.Each[k], nu: math.NaN(), objective: -certificate.Dual, rho: -p.sign * certificate.Bias}
	sum := 0.0
	// nu = sum_i |alpha_i| / C_i, divided by the number of rows of both classes.
	for i, alpha := range h.Alpha[k] {
		if alpha != 0 {
			used[i] = true
			f.count(alpha, g.costs[i])
			sum += min(1, math.Abs(alpha)/g.costs[i])
		}
	}
	if c == nil {
		f.nu = sum / float64(rest)
		return f
	}
	first, second := c.rows[p.i], c.rows[p.j]
	if g.costs[first[0]] == g.costs[second[0]] {
		f.nu = sum / float64(len(first)+len(second))
	}
	return f
}
