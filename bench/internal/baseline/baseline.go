// Package baseline has solvers that exist for comparison only: SimpleMKL (Rakotomamonjy et al. 2008) and HessianMKL
// (Chapelle and Rakotomamonjy 2008), as rules that move the weights.
package baseline

import (
	"fmt"

	"bigmkl"
	"bigmkl/chunking"
)

// Rules are solvers that exist for comparison only, beside the solvers of the library. They are
// the comparison methods of the thesis, for p = 1, as rules that move the weights. The support
// vector classifiers between two moves, their warm start and the certificate come from this
// program, so methods are compared and not implementations. A value is made for each training, since a
// rule keeps the state of its line search between two moves.
var Rules = map[string]func(kernels int) chunking.Rule{
	"simplemkl":  func(int) chunking.Rule { return &simpleMKL{} },
	"hessianmkl": func(int) chunking.Rule { return &hessianMKL{} },
}

// Set enters a solver of the library, or a baseline, in the options. A baseline at another p than 1 is
// an error, because the papers state their methods for the simplex of weights.
func Set(o *bigmkl.Options, name string) error {
	rule, ok := Rules[name]
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
