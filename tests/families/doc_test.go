// Package families tests the kinds of models beside the classical one: several classes, gates,
// projections, discriminants, rules, matrices, sequences, kernels of the user.
package families

import "bigmkl/tests/bigmkltest"

func init() { bigmkltest.CollectRarely() }
