// Package families tests the kinds of models beside the classical one: several classes, gates,
// projections, discriminants, rules, matrices, sequences, kernels of the user.
package families

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
