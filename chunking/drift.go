package chunking

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Drift is what the arithmetic in hand has done to the primal and the dual value, measured against
// double precision on a sample of points: by the combined gradient, which is the function without
// its bias, and by the V_m, which are the lengths of its parts.

// shiftShare is the share of the requested gap by which the loss has to fall for a solution to get
// another bias.
const shiftShare = 0.01

// The strata of the points. Rounding grows with the value, so one point far from all others may have
// an error which no sample of them shows.
const (
	ofSupport = iota // support vectors
	ofOthers
	ofFar // the points with the largest values, or costs, of all, each of which is looked at
	strataCount
)

const (
	trustSample = 128 // support vectors, and as many other points, on which rounding is measured
	trustLeast  = 64  // the same where kernel values are expensive
	trustFar    = 8   // points with the largest values, and costs, all of which are looked at
	dear        = 8   // times the usual cost that make a cost a large one
)

// drift estimates by how much both have moved: the loss with the sampled values put right, sum
// alpha_i f_i, and 1/2 ||v||^2. What is common to all values is taken up by the bias: where the
// loss with the bias in hand is above the least one by a share of the gap that counts, the solution
// gets the one that is best for the values put right. values bounds the kernel values that either
// stratum may take, down to trustLeast points. Where the function alone has drifted by more than
// most, that is what is returned: its parts take as many kernel values again, and would not make it
// less.
func (s rounding) drift(ctx context.Context, c Checker, values int, most float64) (float64, error) {
	strata := s.strata()
	var errors [strataCount][]float64
	var samples [strataCount][]int
	var all []float64
	each := max(1, len(strata[ofSupport])*len(s.theta)) // values that a point takes
	size := max(trustLeast, min(trustSample, values/each))
	for k, points := range strata {
		samples[k] = every(points, min(size, len(points)))
	}
	exact, err := c.Afresh(ctx, slices.Concat(samples[:]...), s.alpha, s.theta)
	if err != nil {
		return 0, err
	}
	for k, sample := range samples {
		for j, i := range sample {
			errors[k] = append(errors[k], (exact[j]-s.combined[i])/s.cert.scale)
		}
		exact = exact[len(sample):]
		all = append(all, errors[k]...)
	}
	// The error of one point may be 10^6 times that of others, and is common to none.
	shift := median(all)
	reported := slices.Clone(s.decisions(s.cert.scale))
	shifted := slices.Clone(reported)
	for i := range reported {
		shifted[i] += shift
	}
	whole := slices.Clone(shifted)
	for k, sample := range samples {
		for j, i := range sample {
			whole[i] = reported[i] + errors[k][j]
		}
	}
	primalAt := func(f []float64, bias float64) float64 { return s.primalOf(s.loss.At(f, bias)) }
	bias, best := s.loss.Primal(whole)
	if s.shift = 0; primalAt(whole, s.cert.Bias)-s.primalOf(best) > shiftShare*s.gap*s.cert.size() {
		s.shift = bias - s.cert.Bias
	} else {
		bias = s.cert.Bias
	}
	start := primalAt(shifted, bias)
	total := math.Abs(start - primalAt(reported, s.cert.Bias))
	for k, sample := range samples {
		if len(sample) == 0 {
			continue
		}
		right, energy := slices.Clone(shifted), 0.0
		for j, i := range sample {
			right[i] = whole[i]
			energy += s.alpha[i] * errors[k][j]
		}
		moved := primalAt(right, bias)
		total += (math.Abs(moved-start) + math.Abs(energy)) * float64(len(strata[k])) / float64(len(sample))
	}
	if total > most {
		return total, nil
	}
	lengths, err := s.driftOfLengths(ctx, c, samples[ofSupport],
		float64(len(strata[ofSupport])), samples[ofFar])
	return total + lengths, err
}

// strata divides the points, each stratum in ascending order.
func (s rounding) strata() (strata [strataCount][]int) {
	far := append(s.farPoints(), s.dearPoints()...)
	slices.Sort(far)
	far = slices.Compact(far)
	strata[ofFar] = far
	for i, a := range s.alpha {
		switch {
		case len(far) > 0 && far[0] == i:
			far = far[1:]
		case a != 0:
			strata[ofSupport] = append(strata[ofSupport], i)
		default:
			strata[ofOthers] = append(strata[ofOthers], i)
		}
	}
	return strata
}

// farPoints lists the points whose values are the largest by their amount, the largest first.
func (s rounding) farPoints() []int {
	var far []int
	for i, f := range s.combined {
		f = math.Abs(f)
		k := len(far)
		for k > 0 && f > math.Abs(s.combined[far[k-1]]) {
			k--
		}
		if k < trustFar {
			far = slices.Insert(far, k, i)
			far = far[:min(len(far), trustFar)]
		}
	}
	return far
}

// dearPoints lists up to trustFar points with the largest costs, if these are many times the usual
// cost: the error of such a point counts as much as the errors of many others. Uncertain labels have
// costs of up to a thousand times C.
func (s rounding) dearPoints() []int {
	costs := make([]float64, len(s.alpha))
	for i := range costs {
		low, high := s.loss.Box(i)
		if costs[i] = max(high, -low); math.IsInf(costs[i], 1) {
			return nil
		}
	}
	usual := median(slices.Clone(costs))
	var list []int
	for i, c := range costs {
		if c > dear*usual {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(costs[b], costs[a]) })
	return list[:min(len(list), trustFar)]
}

// median sorts numbers and returns the one in the middle, or 0 of none.
func median(numbers []float64) float64 {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	k := len(numbers) / 2
	if len(numbers)%2 == 1 {
		return numbers[k]
	}
	return (numbers[k-1] + numbers[k]) / 2
}

// driftOfLengths estimates by how much rounding of V_m has moved 1/2 ||v||^2 beyond what weights in
// hand show: a kernel whose V_m has been lost in rounding has no weight, and is missing in the dual
// value all the same. sample: some of the support vectors, of which there are count, not counting
// the points that are far, all of which are looked at.
func (s rounding) driftOfLengths(ctx context.Context, c Checker, sample []int, count float64, far []int) (float64, error) {
	// Points that are not support vectors add nothing. They may sleep.
	points := slices.DeleteFunc(slices.Concat(sample, far), func(i int) bool { return s.alpha[i] == 0 })
	if len(points) == 0 {
		return 0, nil
	}
	d, e, right := make([]float64, len(points)), make([]float64, len(s.V)), slices.Clone(s.V)
	for k, i := range points {
		d[k] = s.alpha[i]
		if k < len(sample) {
			d[k] *= count / float64(len(sample))
		}
	}
	if err := c.Deviations(ctx, points, d, s.alpha, e); err != nil {
		return 0, err
	}
	for m, x := range e {
		right[m] = notLost(right[m], x)
	}
	is, was := s.norm.Dual(right), s.norm.Dual(s.V)
	return math.Abs(is*is-was*was) / 2, nil
}

// notLost returns V_m put right by e, the change that a sample of the support vectors gives. Terms of a V_m that rounding has
// made a negative number cancel in e as well, so e is off by about its own size: of values that it leaves open the largest
// counts. A V_m that stays below 0 with that is the V_m of a kernel that is indefinite.
func notLost(v, e float64) float64 {
	if v+e < 0 {
		return max(v+2*math.Abs(e), 0)
	}
	return v + e
}
