package discriminant

import (
	"context"

	"bigmkl/internal/game"
)

// mostCuts bounds the cutting planes: some 50 are usual for a gap of 1e-4.
const mostCuts = 1000

// cutPlanes finds the weights by cutting planes. The columns that are optimal for some weights
// bound J from below by a function that is linear in the weights,
//
//	J(theta) >= sum_c h_c'alpha_c - |alpha|^2/(2C) - 1/2 sum_m theta_m V_m,
//
// and the next weights are those where the largest of these bounds is least: a matrix game. It ends
// once the certificate of the weights has the gap, or after mostCuts with the best weights.
func (r *reduced) cutPlanes(ctx context.Context) (*Solution, error) {
	weights := len(r.forms())
	x := constant(weights, 1/float64(weights))
	var payoffs []float64
	var best []float64
	least, steps := 0.0, 0
	for steps < mostCuts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.Joint {
			x = raised(x)
		}
		theta, costWeight := r.split(x)
		s, err := r.solveColumns(theta, costWeight, r.columns)
		if err != nil {
			return nil, err
		}
		steps++
		primal, dual := r.values(s, theta, costWeight)
		if gap := (primal - dual) / primal; best == nil || gap < least {
			best, least = x, gap
		}
		if least <= r.Gap {
			break
		}
		level := s.linear
		if !r.Joint {
			level -= r.ridge() * s.square / 2
		}
		for _, v := range s.v {
			payoffs = append(payoffs, level-v/2)
		}
		if r.Joint {
			payoffs = append(payoffs, level-s.square/2)
		}
		x = game.Solve(payoffs, steps, weights).Columns
	}
	p, err := r.certified(r.split(best))
	if err != nil {
		return nil, err
	}
	p.Steps = steps
	return p, nil
}

// leastCostWeight is the least weight of lambda among the weights of a cut: without it the linear
// system of a few wide kernels is singular.
const leastCostWeight = 1e-8

// raised gives weights whose last one is at least leastCostWeight.
func raised(x []float64) []float64 {
	last := len(x) - 1
	if x[last] >= leastCostWeight {
		return x
	}
	y := make([]float64, len(x))
	for m, v := range x[:last] {
		y[m] = v * (1 - leastCostWeight) / (1 - x[last])
	}
	y[last] = leastCostWeight
	return y
}
