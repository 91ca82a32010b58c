package train

import (
	"strings"

	"bigmkl/dataset"
	"bigmkl/kernelspec"
)

// RowFiles are the options that may name files which say something of each row, or each two, and cannot be cut to the rows of a
// training.
type RowFiles struct {
	// Kernels, Gating, GateOn and Missing are texts as options have them.
	Kernels, Gating, GateOn, Missing string
	Posteriors                       Posteriors
}

// Found says which of them there is. It is empty if there is none.
func (f RowFiles) Found() string {
	specs := f.Kernels + " " + f.GateOn
	if list, err := kernelspec.Split(f.Kernels); err == nil {
		specs += " " + strings.Join(list, " ") // A file of specifications may name matrices.
	}
	switch {
	case strings.Contains(specs, kernelspec.Precomputed.String()+":"):
		return "a precomputed matrix is one of all rows"
	case strings.HasPrefix(f.Gating, "fixed") || strings.Contains(f.GateOn, ".npy"):
		return "a file has the gates of all rows"
	case f.Posteriors.Values != nil:
		return "a file has the posteriors of all rows"
	case f.Missing != "" && f.Missing != dataset.MissingEmpty:
		return "a file says what views rows lack"
	}
	return ""
}
