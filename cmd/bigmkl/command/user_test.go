package command

import (
	"context"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/tests/commandtest"
)

// first is a kernel in code of a library's user.
type first struct{}

func (first) Values(dst []float64, x []float32, z [][]float32) {
	for i := range z {
		dst[i] = float64(x[0]) * float64(z[i][0])
	}
}

func (first) Definite() bool { return true }

// TestUserKernelsOnTheCommandLine: a model whose kernels are another program's code can be looked at, and neither predict nor be verified.
func TestUserKernelsOnTheCommandLine(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(40, 3))
	src, err := dataset.Open([]string{data}, dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m, _, err := bigmkl.Train(t.Context(), src, bigmkl.Options{Kernels: "user:first@1-2,gauss:1", Scratch: t.TempDir(), UserKernels: map[string]bigmkl.UserKernel{"first": first{}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Save(context.Background(), f.At("model")); err != nil {
		t.Fatal(err)
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "verify", Args: []string{"verify", f.At("model"), data}, Code: contract.ExitUsage, Want: "the kernel user:first is Go code of the program that trained the model: only that can verify it"})
	commandtest.Check(t, f, commandtest.Fault{Name: "predict", Args: []string{"predict", f.At("model"), data}, Code: contract.ExitUsage, Want: "there is no code of the kernel user:first here"})
	if o := commandtest.Must(t, "inspect", f.At("model")); !strings.Contains(o.Stdout, "user:first@1-2") {
		t.Errorf("inspect: %s", o.Stdout)
	}
}
