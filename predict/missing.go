package predict

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// missingOf returns the views that the rows of a prediction lack. To name any for a model that has
// no kernels for that is an error of class fail.Usage.
func (o *Options) missingOf(m *Model) (*dataset.Missing, error) {
	if o.Missing != "" && m.Fill == nil {
		return nil, fail.New(fail.Usage, "missing views for a model whose kernels take none").
			WithHint("leave --missing out")
	}
	return dataset.ReadMissing(o.Missing, m.Views)
}
