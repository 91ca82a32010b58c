// Package budgets holds what trainings and predictions take of memory and disk to what their
// plans say.
package budgets

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
