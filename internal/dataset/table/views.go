package table

import (
	"strings"

	"bigmkl/dataset"
)

// Views returns a view for each prefix of names of the form prefix.column whose columns stand side
// by side, and one for each column of sequences.
func (s *Source) Views() []dataset.View {
	var views []dataset.View
	seen, at := map[string]int{}, 0
	for i := range s.columns.Features {
		f := &s.columns.Features[i]
		prefix, _, ok := strings.Cut(f.Name, ".")
		if !ok || prefix == "" {
			prefix = ""
		}
		if f.Letters != dataset.Numbers {
			seen[f.Name]++
			views = append(views, dataset.View{Name: f.Name, First: at + 1, Last: at + f.Width()})
			at += f.Width()
			continue
		}
		n := len(views)
		switch {
		case prefix == "":
		case n > 0 && views[n-1].Name == prefix && views[n-1].Last == at:
			views[n-1].Last += f.Width()
		default:
			seen[prefix]++
			views = append(views, dataset.View{Name: prefix, First: at + 1, Last: at + f.Width()})
		}
		at += f.Width()
	}
	// A prefix whose columns are not adjacent does not give a range of features, and half of them
	// would not be a view.
	kept := views[:0]
	for _, v := range views {
		if seen[v.Name] == 1 {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}
