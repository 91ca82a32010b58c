package harness

import (
	"fmt"

	"bigmkl"
)

// ThesisTraining returns a training of the runtime experiments in the thesis: C = 1, all features
// scaled by one factor, and no normalisation.
func ThesisTraining(d DataSet, positive []string, kernels, norm string, points int) Training {
	return Training{Data: d, Norm: norm, Options: bigmkl.Options{
		Kernels: kernels, C: 1, Gap: 1e-3, Limit: points, Scale: "global", Normalize: "none",
		Positive: positive,
	}}
}

// FiftyGaussians are kernels of the thesis with gamma = 1/(2 sigma^2), where 2 sigma^2 = 1.2^0 ..
// 1.2^49. Figure 3.1 of Kloft (2011) has this grid.
const FiftyGaussians = "gauss:1/1.2^49..1/50"

// ManyGaussians returns kernels with 2 sigma^2 on a geometric grid over [1, 2^20]. It serves
// experiments on the growth with the number of kernels: any number covers the same range.
func ManyGaussians(count int) string { return fmt.Sprintf("gauss:2^-20..1/%d", count) }
