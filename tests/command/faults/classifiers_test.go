package faults

import (
	"testing"

	"bigmkl/tests/commandtest"
)

func TestClassifiersUnderEveryFault(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train", commandtest.ThreeClasses(30))
	args := []string{"train", "--quiet", "--json", "--threads", "1", "--multiclass", "ovo", "--kernels", "linear", "--test", data, "-o", f.At("m"), "--theta-out", f.At("theta"), data}
	everyFault(t, trial{Folder: f, run: func() commandtest.Outcome { return commandtest.Try(args...) }, inputs: []string{data}, outputs: []string{"m", "theta"}})
}
