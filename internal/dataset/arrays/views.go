package arrays

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// checkNames rejects two arrays of one name, and names that a model file could not hold.
func (s *Source) checkNames() error {
	if !s.several {
		return nil
	}
	at := map[string]bool{}
	for _, p := range s.parts {
		if at[p.name] {
			return p.file.fault("a second view %s", fail.Label(p.name)).WithHint("NAME=FILE")
		}
		at[p.name] = true
		if p.name == "" || len(p.name) > 1<<10 || !labeltext.Printable(p.name) {
			return p.file.fault("the name %s of a view is no text", fail.Quote(p.name)).
				WithHint("NAME=FILE")
		}
	}
	return nil
}

// arrange puts the arrays in the order of the views of a model, which must be that many columns one
// after the other.
func (s *Source) arrange(views []dataset.View) error {
	names := fail.List(func(i int) string { return fail.Label(views[i].Name) }, len(views))
	// The views of a model may also be ranges of one array, or overlap. Arrays can represent them only
	// if they divide the features among them.
	fits, at := len(views) == len(s.parts), 0
	for _, v := range views {
		fits = fits && v.First == at+1
		at = v.Last
	}
	f := s.files[0]
	if !fits && len(views) == 0 {
		return f.fault("%d arrays, and the model has no views", len(s.parts))
	}
	if !fits {
		return f.fault("%d arrays, and the model has the views %s", len(s.parts), names)
	}
	// A name that the user gave has to be right; the name of a file may be another.
	known := func(p part) bool {
		return slices.ContainsFunc(views, func(v dataset.View) bool { return v.Name == p.name })
	}
	// Names decide the order only if all are the model's. Otherwise the order of the arguments does,
	// as it did in the training: test1.npy and test2.npy do not name views.
	all := true
	for _, p := range s.parts {
		all = all && known(p)
		if p.named && !known(p) {
			return p.file.fault("view %s is none of the model's, which are %s", fail.Label(p.name),
				names)
		}
	}
	if all {
		place := func(p part) int {
			return slices.IndexFunc(views, func(v dataset.View) bool { return v.Name == p.name })
		}
		slices.SortFunc(s.parts, func(a, b part) int { return place(a) - place(b) })
	}
	// Whatever put them in order, columns that are too many or too few show a mistake.
	for k, p := range s.parts {
		if _, cols := p.shape(); cols != views[k].Last-views[k].First+1 {
			return p.file.fault("%d columns of view %s, which has %d in the model", cols,
				fail.Label(views[k].Name), views[k].Last-views[k].First+1)
		}
	}
	return nil
}
