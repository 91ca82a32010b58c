package proposal

import (
	"fmt"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// kernelsOfViews proposes kernels for several views. Features in no view get kernels of their own: those of @each-view
// do not use them, and a table often has columns without a prefix beside views.
func (f *Facts) kernelsOfViews() (specs []string, why string) {
	specs = []string{"gauss:auto/5@each-view"}
	why = fmt.Sprintf("%d views, each with five Gaussian widths around its median distance.", len(f.Views))
	if ranges, names := f.outside(); ranges != "" {
		specs = append(specs, "gauss:auto/5@"+ranges)
		const most = 5
		list := strings.Join(names[:min(most, len(names))], ", ")
		if len(names) > most {
			list += ", .."
		}
		why += fmt.Sprintf(" A view is columns side by side with one prefix. @%s has kernels for the columns in no view: %s.", ranges, list)
	}
	return specs, why + " The weights of the kernels combine the views. bigmkl importance measures which views matter."
}

// outside returns the features of a table that are in no view, as in 1-4+9, and the names of their columns. Sequences have
// kernels of another kind.
func (f *Facts) outside() (ranges string, names []string) {
	if f.Columns == nil {
		return "", nil
	}
	var texts []string
	at, first := 0, 0 // first is the first feature of the range that ends at at, 0 without one
	end := func() {
		switch {
		case first == 0:
		case first == at:
			texts = append(texts, fmt.Sprint(first))
		default:
			texts = append(texts, fmt.Sprintf("%d-%d", first, at))
		}
		first = 0
	}
	for i := range f.Columns.Features {
		c := &f.Columns.Features[i]
		if c.Letters != dataset.Numbers || slices.ContainsFunc(f.Views, func(v dataset.View) bool { return v.First <= at+1 && at+1 <= v.Last }) {
			end()
		} else {
			if first == 0 {
				first = at + 1
			}
			names = append(names, fail.Label(c.Name))
		}
		at += c.Width()
	}
	end()
	return strings.Join(texts, "+"), names
}
