package command

import (
	"io"
	"slices"
	"strings"

	"bigmkl/internal/files"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/internal/report"
	"bigmkl/internal/selection"
)

const (
	// mostReported is the number of kernels, or classifiers, that a page lists one by one. inspect
	// --all lists all of them.
	mostReported = 60
	// mostCommandLine is the length of a command line that people copy.
	mostCommandLine = 4000
)

// weightsOf collects the weights of a model for a page. Weights of several classifiers are means.
// The page has a chart of the heaviest kernels, and with several classifiers a map of shares.
func weightsOf(m *model.Model, b *kernelspec.Bank) *report.Model {
	mean := averageClassifiers(m)
	by, list := summarizeWeights(mean, b)
	r := &report.Model{Model: m, By: by, Parts: reportedWeights(list)}
	// Shares are of the sum over all kernels, listed or not.
	order, total := kernelsByWeight(mean), sum(mean.WNorms)
	for _, id := range order[:min(len(order), mostReported)] {
		r.Kernels = append(r.Kernels, report.Weight{Name: b.Brief(id), Theta: mean.Theta[id], Share: ratio(mean.WNorms[id], total)})
	}
	r.More = len(order) - len(r.Kernels)
	// One set of weights has one row of shares.
	if !m.Several() || m.OneTheta {
		return r
	}
	for k := range m.Classifiers[:min(len(m.Classifiers), mostReported)] {
		_, parts := summarizeWeights(m.Classifier(k), b)
		// Rows have the same views or groups in the same order.
		shares := make([]float64, len(parts))
		for j := range parts {
			shares[j] = parts[j].Share
		}
		r.Classifiers, r.Shares = append(r.Classifiers, m.Name(k)), append(r.Shares, shares)
	}
	r.MoreClassifiers = len(m.Classifiers) - len(r.Classifiers)
	return r
}

// reportedWeights converts shares of weights to weights of a page.
// The page has a type of its own, because package report does not import commands.
func reportedWeights(list []weightShare) []report.Weight {
	out := make([]report.Weight, len(list))
	for i, w := range list {
		out[i] = report.Weight{Name: w.Brief, Kernels: w.Kernels, Active: w.Active, Theta: w.Theta, Share: w.Share}
	}
	return out
}

// typicalWeightNorms returns ||w_m|| of each kernel, for several classifiers the median over those
// that were trained. It returns nil if none was. The bound of the page is computed from them, as the
// command bound does.
func typicalWeightNorms(m *model.Model) []float64 {
	norms, err := (&boundCommand{}).listWeightNorms([]*model.Model{m})
	if err != nil || len(norms) == 0 {
		return nil
	}
	return medianWeightNorms(norms)
}

// nameArms names the arms of a selection. The list of kernels is part of a name only if the selection
// has several lists.
func nameArms(s *selection.Selection) []string {
	// Only arms of the grid have a list of their own.
	banks := map[int]bool{}
	for _, a := range s.Arms {
		if a.Kind == selection.Grid {
			banks[a.Bank] = true
		}
	}
	names := make([]string, len(s.Arms))
	for k := range s.Arms {
		names[k] = nameArm(&s.Arms[k], len(banks))
	}
	return names
}

// trainCommandLine writes options as a command line, or "" if it is too long to copy; config
// --of writes a file of the same options. Views are the content of a file that the model does
// not name, so the line has a placeholder for it.
func trainCommandLine(list []setting) string {
	words := []string{"bigmkl train"}
	for _, s := range list {
		flag := "--" + s.key
		if s.key == "C" {
			flag = "-C"
		}
		switch {
		case s.key == "views":
			words = append(words, flag+" VIEWS.txt")
		// A flag without a value is set by its name alone.
		case slices.Equal(s.values, []string{"true"}):
			words = append(words, flag)
		default:
			words = append(words, flag+" "+quoteShell(strings.Join(s.values, ",")))
		}
	}
	line := strings.Join(append(words, "-o again.model DATA"), " ")
	if len(line) > mostCommandLine {
		return ""
	}
	return line
}

// quoteAll writes words with blanks between them, as quoteShell writes each.
// The result can be copied to a shell as one line.
func quoteAll(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quoteShell(w))
	}
	return strings.Join(quoted, " ")
}

// quoteShell quotes a word for a POSIX shell, unless it has only characters without a meaning
// there. Names of files and labels come from users, and their command lines are copied from
// pages. Without quotes, a label such as $(rm) would be a command.
func quoteShell(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./,:=+@%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// readInput reads a file that another command wrote. The function read gets the path for the places of
// faults.
func readInput[T any](path string, read func(io.Reader, string) (T, error)) (found T, err error) {
	f, err := files.Open(path)
	if err != nil {
		return found, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	return read(f, path)
}

// commands returns the commands that make the model again and check it. They are the means to reproduce
// a published figure. Facts that are not options, such as the files of the data, follow as a sentence.
func (r *reportCommand) commands(chosen *selection.Selection) ([][2]string, error) {
	// The settings come from the model file, and the folder of a selection adds only its command line.
	list, notes, err := settingsOfModel(r.model)
	if err != nil {
		return nil, err
	}
	// Names are quoted, so a line can be copied to a shell whatever characters a path has.
	model := quoteShell(r.model)
	out := [][2]string{{"This trains the model again, from the same DATA, to the same bytes.",
		"bigmkl config --of " + model + " > run.toml\nbigmkl train --config run.toml -o again.model DATA"},
		{"This proves the certificate again, with code of its own.", "bigmkl verify " + model + " DATA"}}
	// The configuration file comes first, since it also has options that a command line cannot write.
	if line := trainCommandLine(list); line != "" {
		out = append(out, [2]string{"The first one with the options on the command line.", line})
	}
	out = append(out, [2]string{"What is no option: " + strings.Join(notes, "; ") + "."})
	if chosen == nil {
		return out, nil
	}
	words, err := selection.CommandOf(r.folder)
	if err != nil || words == nil {
		return out, err
	}
	line := "bigmkl select --resume -o " + quoteShell(r.folder) + " " + quoteAll(words)
	// The selection comes before the training of its model, as a reader would repeat them.
	return append([][2]string{{"This makes the selection: in this folder it goes on and shows the table, in an empty one it begins.", line}}, out...), nil
}
