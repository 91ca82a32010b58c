package gating

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"bigmkl/internal/fail"
)

// Gates that are learned have to start somewhere. Equal gates of copies of a kernel are a saddle:
// the slope there is the same for all copies, and no descent would part them. Copies
// therefore start in regions of the data, and all others near the middle of their range.

const (
	// nearMiddle bounds the parameters of gates that start anywhere.
	nearMiddle = 0.01
	// ofRegion is the part of the way from the mean of the data to the centre of its region where a Gaussian
	// gate starts.
	ofRegion = 0.1
	// nextStart is what is added to the seed for the next start.
	nextStart = 0x9e3779b97f4a7c15
)

// Start returns gates of a form for the start with the given number, 0-based. copies gives for
// each gate which of several copies of a kernel it belongs to, or -1. The features have been
// measured.
//
// Gaussian gates start wide: near the mean of the data, each on the side of a region of its own, with the
// root mean square distance of points from their regions as the spread of all. Gates as narrow as their regions
// are nearly 0 or 1 at most points, where they have no slope. A copy of softmax or sigmoid opens in the
// region of its number: with one spread s for all regions, exp(-|z - mu|^2 / s^2) is exp(v'z + v_0)
// times a factor that all regions share, where v = 2 mu / s^2 and v_0 = -|mu|^2 / s^2.
//
// More regions than the points have distinct features are an error of class fail.Usage. Other
// errors are the context's.
func Start(ctx context.Context, rows Rows, f *Features, form Form, copies []int32, number int,
	seed uint64) (*Learned, error) {
	d := f.Len()
	l := &Learned{Form: form, Features: d, Parameters: make([]float64, len(copies)*(d+1))}
	seed += uint64(number) * nextStart
	random := rand.New(rand.NewPCG(seed, 0x7374617274)) // a stream of its own
	regions := 0
	for m, r := range copies {
		regions = max(regions, int(r)+1)
		if form == Gauss {
			regions = len(copies)
		}
		for k := range d + 1 {
			l.Parameters[m*(d+1)+k] = nearMiddle * (2*random.Float64() - 1)
		}
	}
	if regions == 0 {
		return l, nil
	}
	r, err := Cluster(ctx, rows, f, regions, seed)
	var few *fail.Error
	if errors.As(err, &few) && errors.Is(err, fail.Usage) {
		return nil, few.WithHint("fewer copies of kernels, or fewer Gaussian gates")
	}
	if err != nil {
		return nil, err
	}
	common, err := r.measureSpreads(ctx, rows)
	if err != nil {
		return nil, err
	}
	for m, k := range copies {
		own := l.Parameters[m*(d+1) : (m+1)*(d+1)]
		if form == Gauss {
			for j, mu := range r.Centres[m*d : (m+1)*d] {
				own[j] = ofRegion * mu
			}
			own[d] = math.Log(common / math.Sqrt2)
			continue
		}
		if k < 0 {
			continue
		}
		own[d] = 0
		for j, mu := range r.Centres[int(k)*d : (int(k)+1)*d] {
			own[j] = 2 * mu / (common * common)
			own[d] -= mu * mu / (common * common)
		}
	}
	return l, nil
}
