package loss_test

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
