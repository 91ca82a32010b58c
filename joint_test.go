package bigmkl

import (
	"math"
	"testing"
)

// One set of weights for all machines: the certificate of the whole is what the machines are together, and where the machines
// are alike it is that of one.
func TestOneTheta(t *testing.T) {
	rng := random(t, 1)
	for _, p := range []float64{1, 1.0667, 4.0 / 3, 2} {
		for _, kind := range []string{OneVsRest, MultiLabel} {
			rows := clusters(rng, 400, 6, 4, kind == MultiLabel)
			o := Options{Kernels: "gauss:auto/4,linear@each-feature,poly:2", Norm: p, Multiclass: kind, OneTheta: true, Scale: "standard"}
			m, r := train(t, stream(rows), o)
			if r.Status != "converged" {
				t.Errorf("p = %g, %s: %s, gap %v after %d moves", p, kind, r.Status, m.Certificate.RelativeGap, r.Moves)
			}
			t.Logf("p = %g, %s: %d iterations, %d moves, gap %.3g", p, kind, r.Iterations, r.Moves, m.Certificate.RelativeGap)
			primal, dual := 0.0, 0.0
			energies := make([]float64, m.Len())
			theta := m.Shared()
			for k := range m.Machines {
				one := &Model{Model: *m.Machine(k)}
				one.Vectors, one.Rows = nil, nil
				primal += one.Certificate.Primal
				dual += one.Certificate.Dual
				for j, w := range one.WNorms {
					if theta[j] > 0 {
						energies[j] += w * w / (theta[j] * theta[j])
						primal -= w * w / theta[j] / 2
						dual += w * w / theta[j] / 2
					}
				}
			}
			length, w := 0.0, m.Together()
			conjugate := 0.0
			for j, v := range energies {
				length += math.Pow(w[j], p)
				if p == 1 {
					conjugate = max(conjugate, v)
				} else {
					conjugate += math.Pow(v, p/(p-1)/2)
				}
			}
			primal += math.Pow(length, 2/p) / 2
			if p > 1 {
				conjugate = math.Pow(conjugate, 2*(p-1)/p)
			}
			dual -= conjugate / 2
			if c := m.Certificate; math.Abs(primal-c.Primal) > 1e-4*primal || math.Abs(dual-c.Dual) > 1e-4*primal {
				t.Errorf("p = %g, %s: primal %v, dual %v, the machines together have %v and %v", p, kind, c.Primal, c.Dual, primal, dual)
			}
		}
	}
}
