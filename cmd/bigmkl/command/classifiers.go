package command

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// findClassifier returns one of several classifiers as a model of two classes. The classifier is
// found by its name, or by its number from 1 if no classifier has that name: classes are often
// called 0, 1, 2, so names come first.
func findClassifier(m *model.Model, name string) (*model.Model, error) {
	if !m.Several() {
		return nil, fail.New(fail.Usage, "--class %s is given, but the model has one classifier",
			fail.Quote(name))
	}
	for k := range m.Classifiers {
		if m.Name(k) == name {
			return m.Classifier(k), nil
		}
	}
	// Numbers count from 1, as in tables.
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(m.Classifiers) {
		return m.Classifier(k - 1), nil
	}
	return nil, fail.New(fail.Usage, "the model has no %s %s", m.Noun(), fail.Quote(name)).
		WithHint("the names of its %d %ss are such as %s, or use a number from 1",
			len(m.Classifiers), m.Noun(), m.ShortName(0))
}

// averageClassifiers returns a copy of the model with weights and norms averaged over its trained
// classifiers, or with the shared ones if the classifiers share their weights. It returns a model
// of one classifier unchanged. Tables of weights are about sources of data, and a table for each of
// many classifiers would hide them. Other fields are unchanged. The weights of a classifier that was
// never trained are initial values, so they do not count.
func averageClassifiers(m *model.Model) *model.Model {
	if !m.Several() {
		return m
	}
	// The copy shares all other fields with the model, which must stay open.
	r := *m
	if m.OneTheta {
		r.Theta, r.WNorms = m.Shared(), m.SharedNorms()
		return &r
	}
	r.Theta, r.WNorms = make([]float64, m.Len()), make([]float64, m.Len())
	// It is the divisor of the means. With 0, the loop adds nothing and the weights stay 0.
	trained := float64(len(m.Classifiers) - m.Convergence().Untrained())
	for k := range m.Classifiers {
		if !m.Convergence().Trained(k) {
			continue
		}
		for id, x := range m.Classifiers[k].Theta {
			r.Theta[id] += x / trained
			r.WNorms[id] += m.Classifiers[k].WNorms[id] / trained
		}
	}
	return &r
}

// printClassifiers writes a table of classifiers. The counts in sides are the rows of the two
// classes of each classifier, or nil if they are unknown. The function lists the first mostListed
// classifiers unless all is set: 100 classes in pairs have 4,950 classifiers. The columns A and B are
// the parameters of the sigmoid P(positive | f) = 1 / (1 + exp(A f + B)).
func printClassifiers(w io.Writer, m *model.Model, sides [][2]int, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, m.Noun()+"\t")
	if sides != nil {
		fmt.Fprint(t, "rows\tagainst\t")
	}
	fmt.Fprint(t, "support vectors\tgap\tactive kernels")
	if m.Sigmoids != nil {
		fmt.Fprint(t, "\tA\tB")
	}
	fmt.Fprintln(t)
	// --json has all classifiers in any case.
	listed := len(m.Classifiers)
	if !all {
		listed = min(listed, mostListed)
	}
	for k := range listed {
		// A row of the table is one classifier, in the order of the model.
		a := &m.Classifiers[k]
		fmt.Fprintf(t, "%s\t", m.ShortName(k))
		if sides != nil {
			fmt.Fprintf(t, "%d\t%d\t", sides[k][0], sides[k][1])
		}
		fmt.Fprintf(t, "%d\t%.3g\t", len(a.Support), a.Certificate.RelativeGap)
		// The weights of a classifier without training are initial values, so their count would mislead.
		if m.Convergence().Trained(k) {
			fmt.Fprint(t, countActive(a.WNorms))
		} else {
			fmt.Fprint(t, "never trained")
		}
		if m.Sigmoids != nil {
			fmt.Fprintf(t, "\t%.4g\t%.4g", m.Sigmoids[k].A, m.Sigmoids[k].B)
		}
		fmt.Fprintln(t)
	}
	if left := len(m.Classifiers) - listed; left > 0 {
		// A tabwriter aligns a column only in consecutive lines that have it, so the last line needs
		// all tabs.
		tabs := "\t\t\t"
		if sides != nil {
			tabs += "\t\t"
		}
		fmt.Fprintf(t, "and %d more%s\n", left, tabs)
	}
	return t.Flush()
}

// describeTrained names the classifiers over which averages are taken. Classifiers that were never
// trained have no weights and are left out.
func describeTrained(m *model.Model) string {
	if n := m.Convergence().Untrained(); n > 0 {
		return fmt.Sprintf("the %d of %d %ss that were trained", len(m.Classifiers)-n,
			len(m.Classifiers), m.Noun())
	}
	return fmt.Sprintf("%d %ss", len(m.Classifiers), m.Noun())
}
