package train

import (
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// withFlags returns the rows of a run with the flags of the views that they lack, if any may.
// Views that rows lack without a kernel that names the substitute are of class fail.Usage.
func (o *Options) withFlags(src dataset.Source) (dataset.Source, error) {
	d := &o.Data
	if d.Missing == "" {
		return src, nil
	}
	specs, err := kernels.Specs(o.Kernels.Specs, d.Views, d.Sequences)
	if err != nil {
		return nil, err
	}
	if !kernelspec.NamesMissing(specs) {
		return nil, fail.New(fail.Usage,
			"rows lack views, and no kernel says what to put in the place of its values").
			WithHint("write missing=none, self or all behind a kernel of a view")
	}
	missing, err := dataset.ReadMissing(d.Missing, d.Views)
	if err != nil {
		return nil, err
	}
	return dataset.WithFlags(src, d.Views, missing, true), nil
}

// scaleFor returns the kind of scaling of the features that kernels see. ScaleAuto does not apply to
// kernels of counts: a feature that is standardised is negative in some rows.
func (d *Data) scaleFor(specs []string) string {
	if d.Objects != nil {
		return dataset.ScaleNone // The numbers of objects are not scaled.
	}
	return d.scaleOfKernels(specs)
}

// scaleOfKernels returns the kind of scaling of the features of rows, or of the objects that rows name.
func (d *Data) scaleOfKernels(specs []string) string {
	if d.Scale == dataset.ScaleAuto && slices.ContainsFunc(specs, func(s string) bool { return strings.Contains(s, "chi2") }) {
		return dataset.ScaleNone
	}
	return d.Scale
}
