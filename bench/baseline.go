package main

import (
	"fmt"

	"bigmkl"
	"bigmkl/chunking"
)

// The thesis's comparison methods, for p = 1, as rules for the weights: the support vector machines between are those of this program,
// warm-started, and so is the certificate. What is compared is the method and not who wrote it.

// baselines are the solvers that are there to compare with, beside those of the library.
var baselines = map[string]func(kernels int) chunking.Rule{
	"simplemkl":  func(int) chunking.Rule { return &simpleMKL{} },
	"hessianmkl": func(int) chunking.Rule { return &hessianMKL{} },
}

// setSolver sets a solver of the library or one of the baselines.
func setSolver(o *bigmkl.Options, name string) error {
	rule, ok := baselines[name]
	switch {
	case !ok:
		o.Solver = name
	case o.Norm != 1:
		return fmt.Errorf("%s is for p = 1", name)
	default:
		o.Rule = rule
	}
	return nil
}
