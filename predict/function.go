package predict

import (
	"bigmkl/budget"
	"bigmkl/dataset/npy"
	"bigmkl/gradient"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// function prepares the decision functions, and gives the bias of each.
func (m *Model) function(o *Options) (*gradient.Function, []float64, error) {
	expanded := &kernelspec.Bank{} // without support vectors the bias is all there is
	if len(m.Support) > 0 {
		var err error
		if expanded, err = m.BankWithin(budget.Allowance(o.Memory)); err != nil {
			return nil, nil, err
		}
	}
	// Any shift serves; the mean of the support vectors leaves the smallest numbers. Features outside those of the support
	// vectors do not enter the bounds of Shape: distances by differences are for the training of near duplicates.
	points := m.vectors()
	shift := make([]float32, points.Dim)
	mean := make([]float64, points.Dim)
	for s := range m.Support {
		points.Each(s, func(j int, x float32) { mean[j] += float64(x) / float64(len(m.Support)) })
	}
	for j := range shift {
		shift[j] = float32(mean[j])
	}
	shape := kernels.SurveySet(points, shift)
	shape.Uncentred = m.Task == model.TaskOneClass
	normalizer, err := kernelspec.ParseNormalizer(m.Normalization.Kind)
	if err != nil {
		return nil, nil, fail.New(fail.Corrupt, "the model's normalisation: %w", err)
	}
	bank, err := kernels.NewBank(expanded, shape, normalizer, make([]*npy.Matrix, len(expanded.Files)), o.UserKernels)
	if err != nil {
		return nil, nil, err
	}
	bank.Scale = m.Normalization.Scale
	f, bias := &gradient.Function{Bank: bank, Points: points}, []float64(nil)
	add := func(theta []float64, rows []int32, alpha []float64, b float64) {
		f.Outputs = append(f.Outputs, gradient.Output{Theta: theta[:bank.Len()], Rows: rows, Alpha: alpha})
		bias = append(bias, b+bank.CentringOffset(theta, kernels.CentredSum(points, rows, alpha, shift)))
	}
	if !m.Several() {
		add(m.Theta, nil, m.Alpha, m.Bias)
	}
	for i := range m.Machines {
		a := &m.Machines[i]
		add(a.Theta, append([]int32{}, a.Support...), a.Alpha, a.Bias) // not nil, which stands for all
	}
	return f, bias, nil
}
