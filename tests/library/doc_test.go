// Package library tests what users of the library call: trainings of rows that keep coming,
// predictions, errors and warnings.
package library

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
