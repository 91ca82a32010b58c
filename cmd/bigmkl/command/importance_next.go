package command

import (
	"slices"
	"strings"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// given reports which settings of the folds the options leave no choice of. A single cost or norm is
// given even if it comes from a grid.
func (s *importanceFlags) given() givenSettings {
	o := &s.importance
	return givenSettings{len(o.Norms) == 1 || len(o.Norms) == 0 && s.options.Norm != 0, len(o.Costs) == 1}
}

// selectAlone returns the command that selects norm and C for a source alone, with the other options of this command. It is
// "" unless sources are views by each-view: other kernels have no name that a command takes. The
// command is built from the words of this one, because a user expects the same data and options.
func (s *importanceFlags) selectAlone(source, measure string) string {
	const every = "@each-view"
	// Each specification must name the views exactly once, so one replacement gives the kernels of a view.
	specs, err := kernelspec.Split(s.kernels)
	if err != nil || s.each != "" || slices.ContainsFunc(specs, func(spec string) bool { return strings.Count(spec, every) != 1 }) {
		return ""
	}
	if s.config != "" && s.importance.Samples != selection.DefaultSamples { // Select rejects a file with samples.
		return ""
	}
	// The folder gets the name of the source, so several such commands do not meet.
	words := []string{"bigmkl", "select", "--kernels", strings.ReplaceAll(strings.Join(specs, ","), every, "@"+source)}
	if s.importance.Measure == "" { // Select has another default.
		words = append(words, "--measure", measure)
	}
	words = append(words, "-o", "selection-"+source)
	// The kept words lack the folder of this command.
	kept := s.importance.Command
	for i := 0; i < len(kept); i++ {
		// Behind -- there are files alone, even if their names begin with a dash.
		if kept[i] == "--" {
			words = append(words, kept[i:]...)
			break
		}
		// --kernels is replaced, and select has no samples. Their values may be separate words.
		switch name, _, joined := strings.Cut(kept[i], "="); name {
		case "--kernels", "--samples":
			if !joined {
				i++
			}
		default:
			words = append(words, kept[i])
		}
	}
	return quoteAll(words)
}
