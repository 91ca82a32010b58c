// Package bits compares the bytes of models, of what they predict and of what their plans say:
// with a table of builds before, and between threads, caches, budgets, layouts and ranks.
package bits

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
