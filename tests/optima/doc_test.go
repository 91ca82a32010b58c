// Package optima holds optima to certificates, closed forms, other solvers and other programs.
package optima

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
