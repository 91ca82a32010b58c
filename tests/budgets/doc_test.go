// Package budgets holds what trainings and predictions take of memory and disk to what their
// plans say.
package budgets

import "bigmkl/tests/bigmkltest"

func init() { bigmkltest.CollectRarely() }
