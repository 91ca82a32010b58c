package command

import (
	"slices"
	"strings"

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
