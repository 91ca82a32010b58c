// Package mixtures tests maximum entropy discrimination and maximum likelihood with mixtures.
package mixtures

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
