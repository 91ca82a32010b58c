package main

import (
	"fmt"

	"bigmkl"
)

// thesisTraining returns a training of the runtime experiments in the thesis: C = 1, all features
// scaled by one factor, and no normalisation.
func thesisTraining(d dataSet, positive []string, kernels, norm string, points int) training {
	return training{Data: d, Norm: norm, Options: bigmkl.Options{
		Kernels: kernels, C: 1, Gap: 1e-3, Limit: points, Scale: "global", Normalize: "none",
		Positive: positive,
	}}
}

// fiftyGaussians are kernels of the thesis with gamma = 1/(2 sigma^2), where 2 sigma^2 = 1.2^0 ..
// 1.2^49.
const fiftyGaussians = "gauss:1/1.2^49..1/50"

// manyGaussians returns kernels with 2 sigma^2 on a geometric grid over [1, 2^20].
func manyGaussians(count int) string { return fmt.Sprintf("gauss:2^-20..1/%d", count) }
