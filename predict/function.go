package predict

import (
	"context"
	"slices"

	"bigmkl/gradient"
	"bigmkl/internal/budget"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// prepareFunctions returns the decision functions of all classifiers, which share one bank of
// kernels, and the bias of each. Kernels whose expansion exceeds the memory are of class
// fail.Budget.
func (m *Model) prepareFunctions(ctx context.Context, o *Options) (*gradient.Function, []float64, error) {
	// Without support vectors a decision value is the bias, and no kernel is computed.
	expanded := &kernelspec.Bank{}
	if len(m.Support) > 0 {
		var err error
		if expanded, err = m.Expansion().Bank(budget.Allowance(o.Memory)); err != nil {
			return nil, nil, err
		}
	}
	// Distances and linear kernels are computed from features less a shift. Any shift gives the
	// same function; the mean of the support vectors leaves the smallest numbers and the least
	// rounding. The training had another shift, that of all points, and the bias makes up for the
	// difference.
	rows := points{&m.Model}
	points := rows.supportSet()
	known, sample := points, rows.centreSet()
	if sample != nil && sample.Sparse {
		known = joined(points, sample) // whose norms the bank knows
	}
	shift := make([]float32, points.Dim)
	mean := make([]float64, points.Dim)
	for s := range m.Support {
		points.Each(s, func(j int, x float32) { mean[j] += float64(x) / float64(len(m.Support)) })
	}
	for j := range shift {
		shift[j] = float32(mean[j])
	}
	shape := kernels.SurveySet(known, shift)
	shape.Uncentred = precision{&m.Model}.sumsWhole()
	if set := o.objectsOf(m); set != nil {
		shape.Lookups = kernels.NewLookups(set, expanded, kernels.LookupOptions{Users: o.UserKernels, Threads: o.Threads})
	}
	normalizer, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return nil, nil, fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	// Matrices of precomputed kernels belong to the test rows, which addGrams reads.
	matrices := make([]*npy.Matrix, len(expanded.Files))
	bank, err := kernels.NewBank(ctx, expanded, shape, normalizer, matrices, o.UserKernels)
	if err != nil {
		return nil, nil, err
	}
	// The scales are those that the training found: the rows at hand must not change them.
	bank.Scale = m.Normalization.Scale
	bank.SetFills(m.Fill)
	if sample != nil {
		bank.SetCentres(sample, m.Centre.Means, points)
	}
	if !shape.Uncentred {
		bank.LeaveConstants()
	}
	// Bytes and precision are for kernels with gates, before the gates of any row are known.
	if m.Family.Gates() != nil {
		bank = bank.Gated(noGates{}, noGates{})
	}
	f, bias := &gradient.Function{Bank: bank, Points: points}, []float64(nil)
	add := func(theta []float64, rows []int32, alpha []float64, b float64) {
		output := gradient.Output{Theta: theta[:bank.Len()], Rows: rows, Alpha: alpha}
		f.Outputs = append(f.Outputs, output)
		if bank.Centres() {
			b += bank.CentringOffset(theta, kernels.CentredSum(points, rows, alpha, shift))
		}
		bias = append(bias, b)
	}
	if x := m.Family.Mixture(); x != nil {
		all, theta := make([]int32, len(m.Support)), make([]float64, len(m.Theta))
		for s := range all {
			all[s] = int32(s)
		}
		for c, e := range x.Multipliers {
			own := slices.Clone(theta)
			own[x.Kernel(c)] = 1
			add(own, all, x.Weights[c*len(all):(c+1)*len(all)], e)
		}
		return f, bias, nil
	}
	if !m.Several() {
		add(m.Theta, nil, m.Alpha, m.Bias)
	}
	for i := range m.Classifiers {
		a := &m.Classifiers[i]
		// The rows must not be nil, which would mean all support vectors.
		add(a.Theta, append([]int32{}, a.Support...), a.Alpha, a.Bias)
	}
	return f, bias, nil
}
