// Package resume interrupts trainings, resumes them and compares what comes out.
package resume

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
