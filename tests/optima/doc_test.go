// Package optima holds optima to certificates, closed forms, other solvers and other programs.
package optima

import "bigmkl/tests/bigmkltest"

func init() { bigmkltest.CollectRarely() }
