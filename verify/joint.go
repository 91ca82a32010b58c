package verify

import (
	"math"
	"slices"

	"bigmkl/model"
)

// Several machines with one set of weights are, each, a machine whose weights are fixed, and together one problem:
//
//	primal = 1/2 (sum_m ||w_m||^p)^(2/p) + sum of the losses of all      ||w_m|| = theta_m (sum_c V_m of machine c)^(1/2)
//	dual   = sum of lin of all - 1/2 (sum_m (sum_c V_m)^(p*/2))^(2/p*)
//
// An indefinite kernel that one machine has left out, because its V_m became negative there, has no weight and no V_m in that machine.
// The model is held to the certificate of that, and to weights that are those of all.

// together puts the findings on machines with one set of weights together, and holds the model to them. The result has the faults
// of the whole alone.
func judgeJointly(p *problem, machines []finding) *finding {
	m := *p.m
	m.Theta = m.Shared()
	e := &finding{definite: true}
	square := make([]float64, len(m.Theta))
	below, above, under, over := 0.0, 0.0, 0.0, 0.0 // what the machines' values may be off by
	for i := range machines {
		f := &machines[i]
		e.doubleError += f.doubleError
		e.definite = e.definite && f.definite
		e.primal, e.dual = e.primal+f.primal, e.dual+f.dual
		below, above = below+f.primal-f.primalSpan.low, above+f.primalSpan.high-f.primal
		under, over = under+f.dual-f.dualSpan.low, over+f.dualSpan.high-f.dual
		for k, v := range f.vNorms {
			square[k] += v * v
			half := m.Theta[k] * v * v / 2 // of the machine alone
			e.primal -= half
			e.dual += half
		}
	}
	w, v := make([]float64, len(square)), make([]float64, len(square))
	for k, x := range square {
		v[k] = math.Sqrt(x)
		w[k] = m.Theta[k] * v[k]
	}
	e.primal += math.Pow(norm(w, m.Norm), 2) / 2
	e.dual -= math.Pow(norm(v, conjugate(m.Norm)), 2) / 2
	e.gap = relativeGap(e.primal, e.dual)
	e.primalSpan, e.dualSpan = span{e.primal - below, e.primal + above}, span{e.dual - under, e.dual + over}
	checkSharedWeights(&m, &e.faults)
	checkKind(&m, e)
	checkCertificate(&m, e, p.sampled)
	return e
}

// checkShared: below p = 2 the weights have norm 1 in the exponent p/(2-p), unless some kernel's function vanishes; at 2 they are 1.
// At p = 1 a kernel whose function vanishes has no weight to miss once the machines have converged, unless all do.
func checkSharedWeights(m *model.Model, f *faults) {
	vanishes := false
	for k, x := range m.Theta {
		vanishes = vanishes || x == 0
		if m.Norm == 2 && x != 0 && math.Abs(x-1) > sharedNormSlack {
			f.add("theta", "weight %d of all machines is %g, not 1", k+1, x)
		}
	}
	if m.Norm == 2 {
		return
	}
	all := !slices.ContainsFunc(m.Theta, func(x float64) bool { return x != 0 })
	if length := norm(m.Theta, m.Norm/(2-m.Norm)); length > 1+sharedNormSlack || length < 1-sharedNormSlack && (!vanishes || m.Norm == 1 && !all && m.Certificate.RelativeGap <= m.Gap) {
		f.add("theta", "the weights of all machines have norm %.9g, not 1", length)
	}
}
