// Package budgets compares the memory and the disk space of trainings and predictions with their
// plans.
package budgets

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
