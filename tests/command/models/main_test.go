// Package models tests the command select, and what is made of models: exports, reports, labels, posteriors.
package models

import (
	"testing"

	"bigmkl/cmd/bigmkl/command"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: command.Execute, Main: command.Main})
}
