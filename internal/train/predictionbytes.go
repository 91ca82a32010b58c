package train

import (
	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/gating"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// predictionSizes bounds what predictions take with the model of a run. They are within the budgets of the run if
// rows are held out of it. The support vectors are known only after the training, so every row counts as one.
type predictionSizes struct{ options *Options }

// most returns the figures of predictions with the model of so many points and kernels.
//
// The bank of kernels is the bank of the training. Predictions compute their bases from the support vectors and in the same
// way, with one exception: centred products of sparse support vectors are laid out densely if these are close together.
func (s predictionSizes) most(r *budget.Run, points kernels.Points, b *kernels.Bank) *budget.Prediction {
	n, d, m := points.Len(), points.Dim(), b.Len()
	p := &budget.Prediction{
		Vectors: gradient.Vectors{Count: n, Dim: d, Outputs: 1, Distinct: 1, AtMost: true, Coefficients: n},
		Kernels: m, Features: 4 * int64(n) * int64(d), Kept: r.Kept.Memory,
	}
	if kernels.IsSparse(points) {
		p.ByNonzeros, p.Vectors.Sparse, p.Vectors.Nonzeros = true, true, densest(points)
		p.Features = budget.SparseVectorBytes(int64(n), kernels.Widest(points, n))
	}
	p.Features = min(p.Features, budget.LargeModel) // More are in a file.
	if k := r.Several.Classifiers; s.options.Problem.traits().componentColumns {
		p.Mixture = s.mixture(n, m, k)
	} else if k > 0 {
		p.Classifiers, p.Dual, p.Vectors.Outputs = k, r.Several.Points, k
		p.Vectors.Coefficients = int(r.Several.Points)
		if !r.OneTheta && !r.Columns {
			p.Vectors.Distinct = k
		}
	}
	if s.options.Gating.Gated() {
		p.Gates = s.gates(points, m, p.Vectors.Outputs)
	}
	s.centre(p, points, b)
	return p
}

// densest returns a function for the number of non-zeros of the points of a range, where the points with most are the
// first ones. It has figures of the first 256 points, which are packed together, and 0 beyond.
func densest(points kernels.Points) func(from, to int) int64 {
	const together = 256 // of a decision function
	panels := int64(min(together, points.Len())+simd.Width-1) / simd.Width
	first, all := kernels.Widest(points, simd.Width), kernels.Widest(points, together)
	return func(from, _ int) int64 {
		switch {
		case from == 0:
			return first
		case from < together:
			return (all - first + panels - 2) / max(1, panels-1)
		}
		return 0
	}
}

// mixture bounds the arrays of a mixture of so many components, and the outputs with its weights.
func (s predictionSizes) mixture(n, m, components int) int64 {
	k := int64(components)
	return 8*int64(n)*(k+1) + 24*int64(n)*k + (16*int64(m)+budget.BytesPerClassifier)*k
}

// gates bounds the gates of the support vectors and the arrays that they follow from.
func (s predictionSizes) gates(points kernels.Points, m, classifiers int) int64 {
	g := &s.options.Gating
	n, d := int64(points.Len()), points.Dim()
	count, sets, seen, loadings := int64(m), int64(1), d, 0
	switch {
	case g.Learned() && !g.One:
		sets = int64(classifiers)
	case g.Learned():
	case g.Kind != gating.KindFixed:
		count = int64(g.Regions)
	}
	bytes := int64(16 * d)
	if _, landmarks, _, _ := kernelspec.CutLandmarks(g.On); landmarks > 0 {
		nonzeros := int64(landmarks) * int64(d)
		if kernels.IsSparse(points) {
			nonzeros = kernels.Widest(points, landmarks)
		}
		seen = landmarks
		bytes += 32*nonzeros + kernels.LandmarkBytes(landmarks, d, nonzeros, 1)
	} else if r, err := gating.Components(g.On, d); err == nil && r > 0 {
		loadings, seen = r*d, r
	}
	return bytes + 8*n*count*sets + 16*(count*int64(seen+1)*sets+int64(loadings))
}

// centre adds the rows at whose mean kernels are centred, if there are any.
func (s predictionSizes) centre(p *budget.Prediction, points kernels.Points, b *kernels.Bank) {
	centred := false
	for i := range b.Groups {
		centred = centred || kernels.GroupMemory{Group: &b.Groups[i], Element: 8}.Centre(1) > 0
	}
	if !centred {
		return
	}
	n, m := int64(points.Len()), int64(b.Len())
	p.CentreRows = len(kernels.CentreSample(points.Len(), s.options.Seed))
	rows := int64(p.CentreRows)
	features := 4 * int64(points.Dim()) * rows
	if kernels.IsSparse(points) {
		features = 8*(rows+1) + 8*kernels.Widest(points, p.CentreRows)
	}
	p.Centre = 4*rows + 8*m + features + 3*budget.BytesPerNonzeros*(rows+n) + 8*n*m
}
