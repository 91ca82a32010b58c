package report

import (
	"fmt"
	"math"
	"strconv"

	"bigmkl/internal/evaluate/bound"
)

// AddBound adds the factor of the generalisation bound against the block norm p. The argument w
// holds ||w_m|| of each kernel, and norm is the norm of the model. Without any weight no factor
// is defined, and nothing is added. The factor is min over t >= p of sqrt(t*) M^(1/t*) ||w||_{2,p} for
// M kernels (Kloft 2011, section 5.1.1).
func (p *Page) AddBound(w []float64, norm float64) {
	if len(w) == 0 || bound.Norm(w, 1) == 0 {
		return
	}
	// 121 points make the curve smooth on 400 units.
	const steps = 120
	l := Line{Name: "nu_p"}
	for k := range steps + 1 {
		// Steps of 1/p are equal, from p = 1 to p = inf.
		//
		// The factor changes most near p = 1. In 1/p the changes are even, and p = inf has a place on
		// the axis.
		inverse := 1 - float64(k)/steps
		l.X, l.Y = append(l.X, -inverse), append(l.Y, bound.Global(w, 1/inverse))
	}
	// The bound grows with the factor, so its least value is the norm that the theory prefers.
	least := bound.Least(func(p float64) float64 { return bound.Global(w, p) }, math.Inf(1))
	chart := LineChart{Label: "factor of the generalisation bound against the block norm p", X: normAxis(nil),
		Y: Axis{Name: "factor nu_p"}, Lines: []Line{l}}
	// A model without an l_p norm has no place on the curve.
	if norm >= 1 {
		// The axis has -1/p, so p grows to the right.
		chart.Lines = append(chart.Lines, Line{Name: "this model", X: []float64{-1 / norm},
			Y: []float64{bound.Global(w, norm)}, Marks: true, NoLine: true})
	}
	where := "at p = " + nameNorm(least.Low)
	// A factor may be flat over a range of norms. Then all norms of the range are equally good.
	if least.Low != least.High {
		where = fmt.Sprintf("for p from %s to %s", nameNorm(least.Low), nameNorm(least.High))
	}
	p.add("bound", "Which norm the theory recommends",
		paragraph("The factor is the part of a bound on the error on new rows that depends on p. It is least %s. It takes the weights of this model for those of the best one, "+
			"and for few rows it tends to recommend too large a p; where cross-validation says otherwise, believe that.", where),
		block{Figures: []figure{{Chart: chart.draw(), Caption: "A small p prefers few kernels, a large p treats all alike. The axis has equal steps of 1/p."}}})
}

// normAxis is an axis of block norms in equal steps of 1/p, whose values are -1/p. It has ticks at
// the given norms, or at common ones from 1 to infinity. A linear axis of p could not show infinity,
// and would give the interesting norms from 1 to 2 little room.
func normAxis(norms []float64) Axis {
	a := Axis{Name: "block norm p"}
	if norms == nil {
		norms = []float64{1, 1.1, 1.25, 1.5, 2, 3, 5, math.Inf(1)}
		a.From, a.To = -1, 0
	}
	for _, p := range norms {
		a.Ticks = append(a.Ticks, Tick{-1 / p, nameNorm(p)})
	}
	return a
}

// nameNorm writes a norm: a common fraction as such.
func nameNorm(p float64) string {
	switch {
	case math.IsInf(p, 1):
		return "∞"
	// 4/3 is common in experiments with block norms, and 1.333 would look like an odd choice.
	case math.Abs(p-4.0/3) < 1e-9:
		return "4/3"
	}
	return strconv.FormatFloat(p, 'g', 4, 64)
}
