package command

import (
	"slices"
	"strings"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/selection"
)

// given reports which settings of the folds the options leave no choice of.
func (s *importanceFlags) given() givenSettings {
	o := &s.importance
	return givenSettings{len(o.Norms) == 1 || len(o.Norms) == 0 && s.options.Norm != 0, len(o.Costs) == 1}
}

// selectAlone returns the command that selects norm and C for a source alone, with the other options of this command. It is
// "" unless sources are views by each-view: other kernels have no name that a command takes.
func (s *importanceFlags) selectAlone(source, measure string) string {
	const every = "@each-view"
	specs, err := kernelspec.Split(s.kernels)
	if err != nil || s.each != "" || slices.ContainsFunc(specs, func(spec string) bool { return strings.Count(spec, every) != 1 }) {
		return ""
	}
	if s.config != "" && s.importance.Samples != selection.DefaultSamples { // Select rejects a file with samples.
		return ""
	}
	words := []string{"bigmkl", "select", "--kernels", strings.ReplaceAll(strings.Join(specs, ","), every, "@"+source)}
	if s.importance.Measure == "" { // Select has another default.
		words = append(words, "--measure", measure)
	}
	words = append(words, "-o", "selection-"+source)
	kept := s.importance.Command
	for i := 0; i < len(kept); i++ {
		if kept[i] == "--" {
			words = append(words, kept[i:]...)
			break
		}
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
