package verify

import (
	"math"
	"slices"

	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// This file evaluates both sides of the norm that regularises a model. With importances e_m,
// ||w_m|| means ||w_m|| / e_m^(1/2) and ||v_m|| for e_m^(1/2) ||v_m||:
//
//	norm          penalty in the primal value                conjugate in the dual value
//	l_p           1/2 ||w||_p^2                              1/2 ||v||_p*^2
//	groups        the same with the q-norm of each group     the q*-norm of each group
//	elastic net   1/2 ((1-l) ||w||_1^2 + l ||w||_2^2)        elasticNet.conjugate
//	squared norm  min_s ||w||_p^2/(2s) + lambda/2 s^2        ||v||_p*^4 / (8 lambda)
//	interactions  max_y>=0 y'w - 1/2 y'Ey                    1/2 v'Ev

// penalty is a norm as a function of the ||w_m|| / e_m^(1/2) or of the e_m^(1/2) ||v_m||.
type penalty interface {
	// primal returns the penalty of the primal value.
	primal(w []float64) float64
	// conjugate returns the conjugate of the penalty, which the dual value subtracts.
	conjugate(v []float64) float64
	// checkTheta adds a fault if the weights theta_m / e_m, of which one is above 0, are not what the norm asks for.
	checkTheta(theta []float64, f *faults)
}

// lengthened is a penalty under which the length of theta follows from the data.
type lengthened interface {
	thetaNorm(v []float64) float64
}

// penaltyOf returns the norm of a model. A new norm is a case here, and a file.
func penaltyOf(m *model.Model, b *kernelspec.Bank, equal bool) penalty {
	block := blockNorm{m.Norm, equal}
	switch {
	case m.GroupNorm != 0:
		return newGroupNorm(m, b)
	case m.ElasticNet > 0:
		return elasticNet(m.ElasticNet)
	case m.SquaredNorm > 0:
		return squaredNorm{m.Norm, m.SquaredNorm}
	case m.Interaction != nil:
		return interaction(m.Interaction)
	case m.Weights != nil:
		return fixedWeights{block, m}
	}
	return block
}

// regularizer is the norm of one classifier.
type regularizer struct {
	m          *model.Model
	penalty    penalty
	importance []float64 // e_m of each kernel; nil if all are 1
	shared     bool      // the weights belong to several classifiers, and are judged with them
}

// newRegularizer returns the norm of the model m, whose kernels are the kernels of b. Fixed weights
// theta take the place of importances: with p = 2 the penalty is 1/2 sum_m ||w_m||^2 / theta_m.
func newRegularizer(m *model.Model, b *kernelspec.Bank) *regularizer {
	r := &regularizer{m: m, importance: b.Importance(m.Costs.Exponent())}
	if m.Weights != nil {
		r.importance = m.Weights
	}
	r.penalty = penaltyOf(m, b, r.importance == nil)
	return r
}

// scaled returns each x_k times the power of its importance. A kernel of importance 0 is not in
// the norm and gives 0. If there are no importances, it returns x itself.
func (r *regularizer) scaled(x []float64, power float64) []float64 {
	if r.importance == nil {
		return x
	}
	out := make([]float64, len(x))
	for k, e := range r.importance {
		if e > 0 {
			out[k] = x[k] * math.Pow(e, power)
		}
	}
	return out
}

// primal returns the penalty of the primal value; w holds ||w_m|| of each kernel.
func (r *regularizer) primal(w []float64) float64 { return r.penalty.primal(r.scaled(w, -0.5)) }

// conjugate returns the conjugate of the penalty, which the dual value subtracts; v holds
// ||v_m||.
func (r *regularizer) conjugate(v []float64) float64 { return r.penalty.conjugate(r.scaled(v, 0.5)) }

// thetaNorm returns what the norm of theta has to be where it follows from the data, and 0 elsewhere.
func (r *regularizer) thetaNorm(v []float64) float64 {
	if n, ok := r.penalty.(lengthened); ok {
		return n.thetaNorm(r.scaled(v, 0.5))
	}
	return 0
}

// checkTheta checks that every weight is a number that is not negative, and that together they
// are what the norm asks for. If all weights are 0 there is nothing to ask: the decision function
// is constant.
func (r *regularizer) checkTheta(f *faults) {
	m, zeros := r.m, 0
	for k, t := range m.Theta {
		if !float.Finite(t) || t < 0 {
			f.add("theta", "theta[%d] is %v", k, t)
			return
		}
		if t == 0 {
			zeros++
		}
	}
	if m.CostWeight != nil && !r.shared {
		// The weight of the identity, which represents the loss, is one of the sum.
		blockNorm{m.Norm, r.importance == nil}.checkTheta(append(slices.Clone(m.Theta), *m.CostWeight), f)
		return
	}
	if zeros == len(m.Theta) {
		return
	}
	// With importances the norm is the norm of theta_m / e_m.
	theta := r.scaled(m.Theta, -1)
	r.penalty.checkTheta(theta, f)
}

// checkThetaNorm checks the norm of theta where its square is in the objective; found is the span
// that the data give for it. Smoothed weights have been brought to that norm too.
func (r *regularizer) checkThetaNorm(found span, f *faults) {
	m := r.m
	theta := r.scaled(m.Theta, -1)
	if _, ok := r.penalty.(lengthened); !ok || slices.Max(theta) == 0 {
		return
	}
	const slack = conceded
	short, long := weightNorm(theta, m.Norm, false), weightNorm(theta, m.Norm, true)
	if !(short <= found.high*(1+slack) && long >= found.low*(1-slack)) {
		f.add("norm", "theta has a norm of %.9g, these data give %.9g",
			short, (found.low+found.high)/2)
	}
}
