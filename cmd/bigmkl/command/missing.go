package command

import (
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// missingFile returns the file of --missing, or "" if there is none. The word empty is a rule for the
// rows and not a name: a row lacks each view in which all its features are 0.
func missingFile(missing string) string {
	if missing == dataset.MissingEmpty {
		return ""
	}
	return missing
}

// checkMissing returns what does not go with --missing. tested is set if there is a test file.
// The file has a line for each lacking view of a training row, so it cannot serve other rows.
func checkMissing(missing string, tested bool, faults *usageFaults) {
	faults.require(missingFile(missing) == "" || !tested,
		"predict --missing F takes the views that other rows lack",
		"--test has no word of what its rows lack with --missing FILE")
	faults.require(!isStandardOutput(missing), "name a file",
		"--missing needs a file, not standard input")
}

// missingJSON lists the views that rows may lack.
type missingJSON struct {
	// Views are the views of kernels that name a substitute for missing values, in the order of the
	// views.
	Views []string `json:"views"`
	// Fill has, for each kernel, the mean of k(x,x) over the training rows that have its view, or 0
	// for one that fills nothing in.
	Fill []number `json:"fill"`
}

// newMissingJSON returns nil for a model whose rows lack nothing.
func newMissingJSON(m *model.Model) *missingJSON {
	if m.Fill == nil {
		return nil
	}
	return &missingJSON{missingViews(m), numbers(m.Fill)}
}

// missingViews names the views of kernels that fill something in. A model has specifications and views,
// but no list of these views. A specification names its view behind @ at its end.
func missingViews(m *model.Model) (names []string) {
	for _, v := range m.Views {
		for _, spec := range m.Kernels {
			suffix := kernelspec.Suffix(spec)
			body := strings.TrimSuffix(spec, suffix)
			// Both conditions must hold: the kernel fills in, and it sees this view.
			if kernelspec.NamesMissing([]string{spec}) &&
				(strings.HasSuffix(body, "@"+v.Name) || strings.HasSuffix(body, "@each-view")) {
				names = append(names, v.Name)
				break
			}
		}
	}
	return names
}

// describeMissing lists in a line the views that rows may lack. It returns "" if there are none.
func describeMissing(m *model.Model) string {
	if m.Fill == nil {
		return ""
	}
	return shorten(strings.Join(missingViews(m), ", "), 100) +
		"; verify, and predict of rows that lack some, take --missing"
}
