package verify

import (
	"math"
	"slices"

	"bigmkl/kernelspec"
	"bigmkl/model"
)

// span is what an honest solver can have found for a number: its value here, give or take rounding and sampling.
type span struct{ low, high float64 }

// holds tells whether a claim lies within the span, or not further than slack from it.
func (s span) holds(x, slack float64) bool { return x >= s.low-slack && x <= s.high+slack }

// from is how far the span reaches from x.
func (s span) from(x float64) float64 { return max(s.high-x, x-s.low) }

// around cuts the span to what is not further than most from x.
func (s span) around(x, most float64) span { return span{max(s.low, x-most), min(s.high, x+most)} }

// Rounding. A sum of terms t_i that is computed in an arithmetic of relative precision eps is off by some eps sum |t_i|, which
// is much where terms cancel. So absolute terms are summed as well, and a few eps of that are conceded to the solver, which
// adds up changes over its iterations: 450 honest models needed up to 7 for the primal and the dual value, and 64 for
// the norms of kernels that nearly vanish. With kernels of values up to 1 that is, relative to the values, about 1e-9 in double
// precision and 1e-4 in single; how much it is at most was measured on honest models, too.
const (
	roundings  = 16 // eps of the terms of the primal and dual value
	inARow     = 64 // the same in single precision, which sums as many terms in a row, where all are of one sign and rounded the same way
	onTheWay   = 64 // times as many in double precision before a run has converged: what it had summed before was larger
	ofNorms    = 16 // times as many for V_m alone
	inSingle   = 1.0 / (1 << 24)
	inDouble   = 1.0 / (1 << 53)
	ofGap      = 0.25 // of the gap in single precision: no honest value was off by more than 0.13
	ofGapWide  = 1    // and in double, where values of terms that cancel by so much are as good as they can be
	leastGap   = 1e-4 // that is taken for it, in double precision
	coarse     = 10   // times as much in single
	deviations = 6    // standard errors of a sample

	// The best function of one class may be a constant, and P = D = 0: then sum_i alpha_i phi(x_i) cancels, and what is left of its
	// length, relative to what it is summed of, is below this in double precision, and rounding in single.
	cancelled = 1e-14
)

func unitOf(m *model.Model) float64 {
	if m.Double && m.Certificate.RelativeGap > m.Gap {
		return onTheWay * roundings * inDouble
	}
	if m.Double {
		return roundings * inDouble
	}
	if m.Task == model.TaskOneClass {
		return inARow * inSingle
	}
	return roundings * inSingle
}

// certificate puts the sums of a machine together.
func (p *plan) certificate(m *machine, t *totals, s *sample, d *draw, lin float64, indefinite []bool) finding {
	e := finding{definite: true, rows: t.losses[0].rows}
	v, rough, drawn := make([]float64, len(t.v)), make([]float64, len(t.v)), make([]float64, len(t.v))
	for k := range t.v {
		v[k] = t.v[k].value()
		rough[k] = m.unit * t.size[k]
		drawn[k] = deviations * d.deviation(t.energies[k], v[k])
	}
	p.lengths(m, v, rough)
	var w, low, high, small, large []float64 // ||w_m||, its ends, and those of ||v_m||
	for k := range v {
		theta := m.Theta[k]
		if indefinite[k] && theta > 0 {
			e.definite = false
		}
		if theta == 0 && indefinite[k] {
			v[k], rough[k], drawn[k] = 0, 0, 0 // left out of the problem by its weight
		}
		root := func(x float64) float64 { return math.Sqrt(max(x, 0)) } // an indefinite kernel may give a negative V
		square, off := v[k], rough[k]+drawn[k]
		small, large = append(small, root(square-off)), append(large, root(square+off))
		v[k] = root(square)
		w, low, high = append(w, theta*v[k]), append(low, theta*small[k]), append(high, theta*large[k])
		off += (ofNorms - 1) * rough[k]
		e.norms = append(e.norms, span{theta * root(square-off), theta * root(square+off)})
	}
	l := &t.losses[0]
	primal := func(w []float64) float64 {
		return m.norm.primal(w) + l.sum.value() + besides(m.Model)
	}
	dual := func(v []float64) float64 {
		return lin - m.norm.conjugate(v)
	}
	slack := l.slack.value() + s.lossError(m, t) + roundings*inDouble*l.costs
	e.primal, e.dual = primal(w), dual(v)
	e.primalSpan = span{primal(low) - slack, primal(high) + slack}
	e.dualSpan = span{dual(large), dual(small)}
	e.own = inDouble / m.unit * (e.primalSpan.from(e.primal) + e.dualSpan.from(e.dual))
	e.lengths = v
	e.length = span{m.norm.length(small), m.norm.length(large)}
	e.gap = relative(e.primal, e.dual)
	nothing := 0.0 // values as small as this are rounding
	if lin == 0 {
		share := cancelled
		if !m.Double {
			share = m.unit
		}
		nothing = share * m.norm.conjugate(p.magnitudes(m, t))
	}
	if math.Abs(e.primal) <= nothing && math.Abs(e.dual) <= nothing {
		e.gap = 0
	}
	if !p.sampled && !(m.Double && m.Certificate.RelativeGap > m.Gap) {
		most := max(mostRounding(m.Model)*max(math.Abs(e.primal), math.Abs(e.dual)), nothing, roundings*inDouble*l.costs)
		share := 0.0 // of what single precision may do, that double precision does
		if !m.Double && m.Certificate.RelativeGap > m.Gap {
			share = onTheWay * roundings * inDouble / m.unit // such a claim is made from sums in double precision
		}
		e.primalSpan = e.primalSpan.around(e.primal, max(most, share*e.primalSpan.from(e.primal)))
		e.dualSpan = e.dualSpan.around(e.dual, max(most, share*e.dualSpan.from(e.dual)))
	}
	return e
}

// magnitudes are the lengths ||v_m|| that the terms of the sum v_m = sum_i alpha_i phi_m(x_i) would have if none cancelled.
func (p *plan) magnitudes(m *machine, t *totals) []float64 {
	size := slices.Clone(t.size)
	for _, id := range p.linear {
		size[id] = 0
		p.eachFeature(id, func(j int) { size[id] += m.linear.sizes[j] * m.linear.sizes[j] * p.scale(id) })
	}
	for k, x := range size {
		size[k] = math.Sqrt(x)
	}
	return size
}

// mostRounding is what rounding can make of the primal and dual value, relative to them, without the solver having noticed. In
// double precision there is nothing that a solver could do about more, but not to call its result converged.
func mostRounding(m *model.Model) float64 {
	if m.Double {
		return ofGapWide * max(m.Certificate.RelativeGap, m.Gap, leastGap)
	}
	return ofGap * max(m.Certificate.RelativeGap, m.Gap, coarse*leastGap)
}

// relative is (P - D) / max(|P|, |D|), 0/0 = 0.
func relative(primal, dual float64) float64 {
	if scale := max(math.Abs(primal), math.Abs(dual)); scale != 0 { // a NaN is to stay one
		return (primal - dual) / scale
	}
	return 0
}

// indefinites tells which kernels are, see indefinite.
func (p *plan) indefinites() []bool {
	list := make([]bool, len(p.bank.Kernels))
	for k := range list {
		list[k] = p.indefinite(p.bank.Kernels[k])
	}
	return list
}

// indefinite names the kernels that need not be positive semi-definite: training leaves them out when alpha'K alpha becomes
// negative, and no gap proves anything of a model that uses one.
func (p *plan) indefinite(k kernelspec.Kernel) bool {
	switch k.Kind {
	case kernelspec.User:
		return !p.users[p.bank.Users[k.Index]].Definite()
	case kernelspec.Product:
		return slices.ContainsFunc(p.bank.Products[k.Index], func(f kernelspec.Factor) bool { return p.indefinite(f.Kernel) })
	case kernelspec.Sigmoid, kernelspec.Precomputed:
		return true
	case kernelspec.Poly:
		return k.Gamma < 0 || k.Coef < 0
	case kernelspec.Intersection:
		if set := p.bank.Features(k.Set); set != nil && p.minimum != nil {
			for _, j := range set {
				if p.minimum[j] < 0 {
					return true
				}
			}
			return false
		}
		for _, x := range p.minimum {
			if x < 0 {
				return true
			}
		}
	}
	return false
}
