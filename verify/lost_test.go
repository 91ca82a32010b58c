package verify

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// TestLostNorm: rounding of the terms of a V_m without a weight widens the span of the dual value of classifiers of one set of
// weights, by the change of the norm and no more.
func TestLostNorm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rough, low, high float64 }{{0, 0.75, 0.75}, {0.2, 0.75, 0.75}, {4, -1, 0.75}} {
		m := &model.Model{Norm: 1, Gap: 1e-3}
		m.OneTheta, m.Classifiers = true, []model.Classifier{{Theta: []float64{1, 0}}}
		m.Certificate = model.Certificate{Kind: "gap", Primal: 100, Dual: 0.75, RelativeGap: 0.9925}
		own := finding{primal: 100.25, dual: 0.75, vNorms: []float64{math.Sqrt(0.5), 0}, definite: true}
		own.primalSpan, own.dualSpan = span{own.primal, own.primal}, span{own.dual, own.dual}
		own.parts = parts{v: []float64{0.5, 0}, rough: []float64{0, c.rough}, energy: 0.25}
		p := &judgement{&problem{
			definitions: definitions{m: m, bank: &kernelspec.Bank{Kernels: make([]kernelspec.Kernel, 2)}},
			classifiers: []classifier{{Model: m, rounding: rounding{term: singleTerm}}},
		}, &evidence{findings: []finding{own}}}
		e := p.judgeJointly()
		if math.Abs(e.dualSpan.low-c.low) > 1e-12 || math.Abs(e.dualSpan.high-c.high) > 1e-12 {
			t.Errorf("V_2 is off by up to %g: the dual value lies in %v, want [%g, %g]", c.rough, e.dualSpan, c.low, c.high)
		}
	}
}

// TestRootThatCancels: the factor 1/sqrt(k(x,x)) of a sigmoid that is nearly 0 there is off by as much as is conceded, and by
// more than the rounding of a value.
func TestRootThatCancels(t *testing.T) {
	t.Parallel()
	k := &kernelspec.Kernel{Kind: kernelspec.Sigmoid, Gamma: 2.75e-5, Coef: -1}
	beyond := false
	for self := 36365.0; self < 4e4; self += 7.3 {
		exact, rounded := rootInverse(k, self), 1/math.Sqrt(float64(float32(math.Tanh(float64(float32(k.Gamma)*float32(self)+float32(k.Coef))))))
		off, most := math.Abs(rounded/exact-1), singleTerm*(1+ofRoot(k, self))
		if !(off <= most) {
			t.Fatalf("<x,x> = %g: a factor is off by %g, at most %g is conceded", self, off, most)
		}
		beyond = beyond || off > singleTerm
	}
	if !beyond || !cancels(k) {
		t.Error("no factor is off by more than a value")
	}
	k.Coef = 1
	if self := 36365.0; cancels(k) || ofRoot(k, self) > 1 {
		t.Errorf("k(x,x) does not cancel, and its factor is off by %g", ofRoot(k, self))
	}
	if x := ofRoot(&kernelspec.Kernel{Kind: kernelspec.Sigmoid, Gamma: 1, Coef: -1}, 0.5); x != 0 {
		t.Errorf("a point that is taken for the origin has a factor, which is off by %g", x)
	}
}
