package bigmkl_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
)

// TestErrorClasses: errors.Is alone gives a user of the library the class of an error.
func TestErrorClasses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no model, and no data: x:y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	train := func(o bigmkl.Options, labels ...string) error {
		src := dataset.FromSeq(func(yield func(dataset.Row) bool) {
			for i, label := range labels {
				if !yield(dataset.Row{Label: label, Index: []int32{0}, Value: []float64{float64(i)}}) {
					return
				}
			}
		})
		defer src.Close()
		_, _, err := bigmkl.Train(t.Context(), src, o)
		return err
	}
	for name, c := range map[string]struct {
		err  func() error
		want error
	}{
		"option": {func() error { return train(bigmkl.Options{Norm: 0.5}, "a", "b") }, bigmkl.ErrUsage},
		"kernel": {func() error { return train(bigmkl.Options{Kernels: "gaus:1"}, "a", "b") }, bigmkl.ErrUsage},
		"memory": {func() error { return train(bigmkl.Options{Memory: 1 << 10}, "a", "b") }, bigmkl.ErrBudget},
		"data":   {func() error { return train(bigmkl.Options{}, "a", "a") }, bigmkl.ErrInput},
		"model":  {func() error { _, err := bigmkl.Load(file); return err }, bigmkl.ErrCorrupt},
	} {
		if err := c.err(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want one of class %q", name, err, c.want)
		}
	}
}
