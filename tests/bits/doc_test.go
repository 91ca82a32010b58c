// Package bits compares the bytes of models, of their predictions and of their plans:
// with a table of builds before, and between threads, caches, budgets, layouts and ranks.
package bits

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
