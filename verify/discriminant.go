package verify

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// A model of task rkda is one of squared losses, a classifier for each class c, with the targets
//
//	h_ic = sqrt(n/n_c) - sqrt(n_c/n) on the rows of class c,  -sqrt(n_c/n) on all others,
//
// the cost C = 1/(n lambda) and one set of weights, which is judged as such (judge.go). What it
// claims beside that is lambda, the counts n_c, the mean scores of every class, and the criterion
// 2 lambda D/(k-1). A lambda that was found along with the weights is the weight of the identity,
// with C = 1 and the criterion 2 D/(n (k-1)).

// The columns are one problem, which is judged as several classifiers of one set of weights (judge.go),
// except for two things. V_m is a sum over the columns: with an indefinite kernel that of a column
// alone may be below 0. And a ridge that was found is the weight of the identity, one more kernel: the
// errors xi of all columns have one length |xi|, that of its part of w, and their alpha one |alpha|. A
// column alone has no such problem. It is certified as one of fixed weights with the loss |alpha_c|
// |xi_c|, of which alpha_c is the optimum where the errors are a multiple of it:
//
//	primal = 1/2 sum_m theta_m V_m + |alpha_c| |xi_c|,   dual = h_c'alpha_c - 1/2 sum_m theta_m V_m

// discriminantWing is the wing of task rkda.
type discriminantWing struct{ plainWing }

var _ wing = discriminantWing{}

func (w discriminantWing) traits(m *model.Model) wingTraits {
	t := w.plainWing.traits(m)
	t.columns, t.value = true, (*finding).ofColumn
	if d := m.Discriminant; d != nil {
		t.unchecked = []string{"discriminant.rule: that classes are chosen by " + fail.Word(d.Rule) + ", which whoever trained the model decided"}
	}
	t.unsampled = []string{"class_means: means of scores, for which all rows count"}
	return t
}

// fits reports whether there is a count of rows for each class and a mean for each two.
func (discriminantWing) fits(m *model.Model) bool {
	d, k := m.Discriminant, len(m.Classes)
	return m.Multiclass == model.OneVsRest && classifiersFit(m) &&
		d != nil && k >= 2 && m.OneTheta && len(d.Rows) == k && len(d.Means) == k*k
}

func (discriminantWing) classifiers(m *model.Model, b *kernelspec.Bank) []classifier {
	list := eachClassifier(m, b)
	for k := range list {
		// One solver had all columns, and stopped by the gap of all together.
		all := *list[k].Model
		all.Certificate = m.Certificate
		list[k].rounding, list[k].regularizer.shared = roundingOf(&all), true
	}
	return list
}

func (discriminantWing) roles(m *model.Model, _ int, list []role) []role {
	own := ownClass(list)
	for i := range list {
		list[i].y = targetOf(m, own, list[i].classifier)
	}
	return list
}

// ownClass returns the class of a row, whose classifier alone has y > 0.
func ownClass(roles []role) int32 {
	for i := range roles {
		if roles[i].y > 0 {
			return roles[i].classifier
		}
	}
	return 0
}

func (discriminantWing) newSums(m *model.Model) wingSums { return newClassMeans(m) }

func (discriminantWing) sumLosses(w *worker, b *batch) error {
	means := w.own.(*classMeans)
	for r := range b.rows {
		own := ownClass(b.rows[r].roles)
		w.addLosses(&b.rows[r], func(p *role, f, rough float64) { means.add(own, p.classifier, f, rough) })
	}
	return nil
}

func (w discriminantWing) judge(p *judgement) *finding {
	whole := w.plainWing.judge(p)
	w.checkClaims(p, p.wingSums.(*classMeans), &p.faults)
	return whole
}

// ofColumn sets the values of a column at fixed weights. lin is the linear part of its dual value.
func (e *finding) ofColumn(m *model.Model, lin float64) {
	c := &e.parts
	errors := func(loss float64) float64 {
		if m.CostWeight != nil {
			return math.Sqrt(c.square) * math.Sqrt(2*loss)
		}
		return loss
	}
	e.primal, e.dual = c.energy+errors(c.loss), lin-c.energy
	low, high := errors(c.lossSpan().low), errors(c.lossSpan().high)
	e.primalSpan = span{c.energy - c.off + low, c.energy + c.off + high}
	e.dualSpan = c.around(e.dual)
}

// joinErrors returns the length of the errors of all columns, the least and the most that it may be,
// and |alpha|^2.
func joinErrors(classifiers []finding) (length, least, most, square float64) {
	for i := range classifiers {
		c := &classifiers[i].parts
		length, least, most = length+c.loss, least+c.lossSpan().low, most+c.lossSpan().high
		square += c.square
	}
	return math.Sqrt(2 * length), math.Sqrt(2 * least), math.Sqrt(2 * most), square
}

// targetOf returns h of a row of class own for the classifier of class k.
func targetOf(m *model.Model, own, k int32) float64 {
	n, rows := float64(m.Points), float64(m.Discriminant.Rows[k])
	y := -math.Sqrt(rows / n)
	if own == k {
		y += math.Sqrt(n / rows)
	}
	return y
}

// meanShare is what is conceded to a mean score beside rounding, as a share of the distance between
// the largest and the least mean of the same score.
const meanShare = 1e-5

// checkClaims compares what a model of task rkda claims beside its classifiers with the sums
// over all rows.
func (discriminantWing) checkClaims(p *judgement, c *classMeans, f *faults) {
	m, d := p.m, p.m.Discriminant
	k, ridge := len(m.Classes), d.Lambda
	if m.CostWeight != nil {
		if m.C != 1 || d.Lambda != *m.CostWeight {
			f.add("lambda", "lambda is %g with C = %g, and its weight %g with C = 1", d.Lambda, m.C,
				*m.CostWeight)
		}
		ridge = 1 / float64(m.Points)
	} else if want := 1 / (float64(m.Points) * d.Lambda); !(math.Abs(m.C-want) <= exact*want) {
		f.add("lambda", "lambda is %g, with %d rows that is C = %.9g and not %.9g", d.Lambda, m.Points,
			want, m.C)
	}
	claimed := 2 * ridge * m.Certificate.Dual / float64(k-1)
	if !(math.Abs(d.Criterion-claimed) <= exact*math.Abs(claimed)) {
		f.add("criterion", "the model claims a criterion of %.9g, its own dual value gives %.9g",
			d.Criterion, claimed)
	}
	if p.sampled {
		return // Counts and means are over all rows.
	}
	for own, rows := range c.rows {
		if rows != d.Rows[own] {
			f.add("rows", "class %s has %d rows in the model and %d in the data",
				fail.Word(m.Classes[own]), d.Rows[own], rows)
			return
		}
	}
	for class := range k {
		low, high := math.Inf(1), math.Inf(-1)
		for own := range k {
			low, high = min(low, c.mean(own, class)), max(high, c.mean(own, class))
		}
		for own := range k {
			at, is := own*k+class, c.mean(own, class)
			slack := c.rough[at]/float64(c.rows[own]) + meanShare*(high-low) + conceded
			if !float.Finite(is) || !(math.Abs(d.Means[at]-is) <= slack) {
				f.add("means", "the mean score of class %s over the rows of class %s is %.9g in the model, these data give %.9g",
					fail.Word(m.Classes[class]), fail.Word(m.Classes[own]), d.Means[at], is)
			}
		}
	}
}
