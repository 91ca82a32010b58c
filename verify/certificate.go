package verify

import (
	"math"
	"slices"
)

// finding holds the figures of one classifier that the data and the dual variables give, and the
// spans in which its claims have to lie.
type finding struct {
	primal, dual, gap    float64
	primalSpan, dualSpan span // what an honest solver may have found

	// doubleError is what one rounding of every term in double precision makes of primal - dual
	// here.
	doubleError float64

	wNorms    []span    // ||w_m||, one span for each kernel
	vNorms    []float64 // ||v_m||, one value for each kernel
	thetaNorm span      // the norm of theta, where that is part of the objective
	parts     parts     // what the values of the column of a class are made of
	definite  bool      // whether no kernel in use can be indefinite: only then the gap is a proof
	rows      int       // rows with a part in the loss of the classifier
	prefix    string    // how the faults of several classifiers begin that are one problem
	faults    faults
}

// certificate computes the finding on classifier m from the sums t over its rows.
//
// The sample s and the drawn support vectors d give the share of the rows in the sums; lin is the
// linear part of the dual value, sum_s |alpha_s| for two classes (task.go has the other tasks), and
// squares the sum of alpha_s^2 / c_s; indefinite holds for each kernel whether it can be
// indefinite.
//
// An error of V_m moves ||v_m|| = sqrt(V_m) and ||w_m|| = theta_m ||v_m|| with it. Both sides of
// the norm grow with their arguments, so the ends of the spans come from the ends of the norms;
// the dual value falls where the norms grow.
func (p *judgement) certificate(m *classifier, t *totals, s *sample, d *draw, lin float64,
	squares float64, indefinite []bool) finding {
	l := &t.losses[0]
	e := finding{definite: true, rows: l.rows}
	// V_m, what rounding and what sampling may have made of it.
	kernels := len(t.v)
	v, rough, drawn := make([]float64, kernels), make([]float64, kernels), make([]float64, kernels)
	for k := range t.v {
		v[k] = t.v[k].value()
		rough[k] = m.rounding.term * t.sizes[k]
		drawn[k] = deviations * d.standardError(t.energies[k], v[k])
	}
	p.setLinearNorms(m, v, rough)
	// An indefinite kernel, or rounding of a V_m that vanishes, may give V_m < 0.
	root := func(x float64) float64 { return math.Sqrt(max(x, 0)) }
	var w, low, high []float64 // ||w_m|| and the ends of its span
	var small, large []float64 // the ends of the span of ||v_m||
	for k := range v {
		theta := m.Theta[k]
		if indefinite[k] && theta > 0 {
			e.definite = false
		}
		if theta == 0 && indefinite[k] {
			// Training has left this kernel out of the problem. Its V_m, negative or not, does
			// not enter the dual value.
			v[k], rough[k], drawn[k] = 0, 0, 0
		}
		square, off := v[k], rough[k]+drawn[k]
		e.parts.v, e.parts.rough = append(e.parts.v, square), append(e.parts.rough, off)
		e.parts.energy, e.parts.off = e.parts.energy+theta*square/2, e.parts.off+theta*off/2
		small, large = append(small, root(square-off)), append(large, root(square+off))
		v[k] = root(square)
		w = append(w, theta*v[k])
		low, high = append(low, theta*small[k]), append(high, theta*large[k])
		// A norm alone is conceded more than its part in the values (ofNorms).
		off += (ofNorms - 1) * rough[k]
		e.wNorms = append(e.wNorms, span{theta * root(square-off), theta * root(square+off)})
	}
	for k, scarce := range d.scarce {
		if !scarce {
			continue
		}
		// No standard error covers what the sample does not contain: the norm is taken as it is
		// claimed.
		p.scarce, e.wNorms[k] = true, span{0, math.Inf(1)}
		if theta := m.Theta[k]; theta > 0 && m.WNorms[k] >= 0 {
			low[k], high[k] = min(low[k], m.WNorms[k]), max(high[k], m.WNorms[k])
			small[k], large[k] = min(small[k], m.WNorms[k]/theta), max(large[k], m.WNorms[k]/theta)
		}
	}
	primal := func(w []float64, off float64) float64 {
		if m.CostWeight != nil {
			// The identity represents the loss: the length of the errors is the length of its part
			// of w.
			return m.regularizer.primal(append(w, root(2*(l.sum.value()+off))))
		}
		return m.regularizer.primal(w) + l.sum.value() + primalOffset(m.Model) + off
	}
	dual := func(v []float64) float64 {
		if m.CostWeight != nil {
			v = append(v, root(squares))
		}
		return lin - m.regularizer.conjugate(v)
	}
	// A loss close to 0 is the difference of numbers of the size of its costs.
	slack := l.slack.value() + s.lossError(m, t) + doubleTerm*l.costs
	e.parts.loss, e.parts.slack, e.parts.square = l.sum.value(), slack, squares
	if value := p.traits.value; value != nil {
		value(&e, m.Model, lin)
	} else {
		e.primal, e.dual = primal(w, 0), dual(v)
		e.primalSpan = span{primal(low, -slack), primal(high, slack)}
		e.dualSpan = span{dual(large), dual(small)}
	}
	e.doubleError = inDouble / m.rounding.term *
		(e.primalSpan.reach(e.primal) + e.dualSpan.reach(e.dual))
	e.vNorms = v
	e.thetaNorm = span{m.regularizer.thetaNorm(small), m.regularizer.thetaNorm(large)}
	e.gap = relativeGap(e.primal, e.dual)
	// Where the dual value has no linear part, both values may be 0. Then their ratio means
	// nothing, and values up to nothing count as 0.
	nothing := 0.0
	if lin == 0 {
		nothing = m.rounding.vanished * m.regularizer.conjugate(p.uncancelledNorms(m, t))
	}
	if math.Abs(e.primal) <= nothing && math.Abs(e.dual) <= nothing {
		e.gap = 0
	}
	// The error of an estimate from a sample is not rounding and has no cap.
	if !p.sampled {
		scale := max(math.Abs(e.primal), math.Abs(e.dual))
		least := max(nothing, doubleTerm*l.costs)
		e.primalSpan = m.rounding.cap(e.primalSpan, e.primal, scale, least)
		e.dualSpan = m.rounding.cap(e.dualSpan, e.dual, scale, least)
	}
	return e
}

// uncancelledNorms returns, for each kernel, the length ||v_m|| that v_m = sum_i alpha_i phi_m(x_i)
// would have if none of its terms cancelled. It is the scale to which a vanishing v_m is compared.
func (p *judgement) uncancelledNorms(m *classifier, t *totals) []float64 {
	size := slices.Clone(t.sizes)
	for _, id := range p.linear {
		size[id] = 0
		p.eachFeature(id, func(j int) {
			size[id] += m.linear.sizes[j] * m.linear.sizes[j] * p.scale(id)
		})
	}
	for k, x := range size {
		size[k] = math.Sqrt(x)
	}
	return size
}
