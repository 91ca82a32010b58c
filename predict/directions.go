package predict

import (
	"math"

	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// A linear kernel with a gate sees one direction of the features (Gönen 2010, section 4.3, with a
// projection on one direction for each kernel): its part of the decision function is
//
//	eta_m(x) u_m'x,  u_m = theta_m sum_s alpha_s eta_m(x_s) x_s,
//
// and so that of the kernel eta_m(x) (W_m'x)(W_m'z) eta_m(z) with W_m = u_m / |u_m|.

// Direction is what a linear kernel sees of the features.
type Direction struct {
	// Gate is the gate of the kernel, 0-based.
	Gate int32
	// W has a number for each feature, as the model has them, of length 1, or zeros where the kernel
	// does not enter the function.
	W []float64
}

// Directions returns the directions of the linear kernels of a model of one classifier whose
// gates were learned. A model without any is of class fail.Usage.
func (m *Model) Directions(memory int64) ([]Direction, error) {
	none := fail.New(fail.Usage, "the model has no projection, and no linear kernels with gates of one classifier")
	g := m.Family.Gates()
	if g == nil || !g.Learned() || m.Several() || m.Columns != nil {
		return nil, none
	}
	bank, err := m.Expansion().Bank(budget.Allowance(memory))
	if err != nil {
		return nil, err
	}
	gates, err := newModelGates(m, "", budget.Allowance(memory))
	if err != nil {
		return nil, err
	}
	var list []Direction
	var features [][]int32
	for k := range bank.Kernels {
		if bank.Kernels[k].Kind == kernelspec.Linear {
			list = append(list, Direction{Gate: gates.of[k], W: make([]float64, m.Features)})
			features = append(features, bank.Features(bank.Kernels[k].Set))
		}
	}
	if len(list) == 0 {
		return nil, none
	}
	x := make([]float32, m.Features)
	err = m.Guard(func() error {
		for s, alpha := range m.Alpha {
			m.Row(s, x)
			eta := gates.support[0].Row(s)
			for k := range list {
				c := alpha * eta[list[k].Gate]
				if features[k] == nil {
					addTo(list[k].W, c, x)
					continue
				}
				for _, j := range features[k] {
					list[k].W[j] += float64(c * float64(x[j]))
				}
			}
		}
		return nil
	})
	for k := range list {
		length := 0.0
		for _, w := range list[k].W {
			length = math.Hypot(length, w)
		}
		for j := range list[k].W {
			if length > 0 {
				list[k].W[j] /= length
			}
		}
	}
	return list, err
}

// addTo adds c x to w.
func addTo(w []float64, c float64, x []float32) {
	for j, v := range x {
		w[j] += float64(c * float64(v))
	}
}

// Of returns W'x of a scaled row.
func (d *Direction) Of(x []float32) float64 {
	sum := 0.0
	for j, w := range d.W {
		sum += float64(w * float64(x[j]))
	}
	return sum
}
