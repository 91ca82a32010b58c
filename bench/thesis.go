package main

import (
	"fmt"

	"bigmkl"
)

// thesis is a run of those experiments: C = 1, features scaled by one factor, no normalisation.
func thesisTraining(d dataSet, positive []string, kernels, norm string, points int) training {
	return training{Data: d, Norm: norm, Options: bigmkl.Options{
		Kernels: kernels, C: 1, Gap: 1e-3, Limit: points, Scale: "global", Normalize: "none", Positive: positive,
	}}
}

// Kernels of the thesis's two runtime experiments, with gamma = 1/(2 sigma^2).
const fiftyGaussians = "gauss:1/1.2^49..1/50" // 2 sigma^2 = 1.2^0 .. 1.2^49

// manyGaussians has 2 sigma^2 on a geometric grid over [1, 2^20].
func manyGaussians(count int) string { return fmt.Sprintf("gauss:2^-20..1/%d", count) }
