package bigmkl

import (
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
)

// RowFiles names the option whose file has an entry for each row, or for each pair of rows. Such a file
// cannot be cut to the rows of a training. The text is empty if no option names one.
func (o *Options) RowFiles() string {
	specs := o.Kernels + " " + o.GateOn
	if list, err := kernelspec.Split(o.Kernels); err == nil {
		specs += " " + strings.Join(list, " ") // A file of specifications may name matrices.
	}
	switch {
	case strings.Contains(specs, kernelspec.Precomputed.String()+":"):
		return "a precomputed matrix is one of all rows"
	case strings.HasPrefix(o.Gating, "fixed") || strings.Contains(o.GateOn, ".npy"):
		return "a file has the gates of all rows"
	case o.Posteriors.Values != nil:
		return "a file has the posteriors of all rows"
	case o.Missing != "" && o.Missing != dataset.MissingEmpty:
		return "a file says what views rows lack"
	}
	return ""
}
