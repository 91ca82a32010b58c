package command

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"bigmkl/internal/model"
	"bigmkl/verify"
)

// describeResult describes in one line what was recomputed, and whether it agrees with the model. The
// line ends with the strongest statement that holds: other data, a false certificate, an estimate, a
// stationary point, or an optimum that is proven.
func describeResult(m *model.Model, r *verify.Report) string {
	line := fmt.Sprintf("primal %.9g, dual %.9g, relative gap %.3g over %d rows", r.Primal, r.Dual,
		r.RelativeGap, r.Rows)
	c, classifier := m.Convergence().Worst()
	switch {
	// Each of several classifiers has a certificate. Columns of one problem share one.
	case classifier >= 0:
		line = fmt.Sprintf("%d %ss: primal %.9g, dual %.9g, relative gap up to %.3g over %d rows", len(r.Classifiers), m.Noun(), r.Primal, r.Dual, r.RelativeGap, r.Rows)
	case r.Classifiers != nil:
		line = fmt.Sprintf("%d %ss together: %s", len(r.Classifiers), m.Noun(), line)
	}
	// The first case that applies is the most important for a user.
	switch {
	// Faults would follow from other data, too, and would blame the model.
	case r.OtherData:
		return line + ": these are not the data that the model was trained on"
	case len(r.Faults) > 0:
		return line + ": not the model's certificate"
	// A sample cannot confirm a claim, so the range of gaps is printed beside it.
	case r.Sampled:
		return line + fmt.Sprintf(": estimated from a sample, whose errors allow gaps from %.2g to %.2g; the model claims %.3g",
			r.GapRange[0], r.GapRange[1], c.RelativeGap)
	case c.Kind == "stationary" && model.MaximisesLikelihood(m.Task):
		return line + fmt.Sprintf(": another step of EM would gain what the model claims (%.3g); other starts may end elsewhere", c.RelativeGap)
	case c.Kind == "stationary" && m.Family.Mixture() != nil:
		return line + fmt.Sprintf(": the last projection is what the model claims (%.3g); other starts may end elsewhere", c.RelativeGap)
	case c.Kind == "stationary":
		return line +
			fmt.Sprintf(": as the model claims (%.3g), a proof of the optimum only if all kernels are positive semi-definite", c.RelativeGap)
	}
	return line + fmt.Sprintf(": recomputed from the data, and the model file agrees (relative gap %.3g)", c.RelativeGap)
}

// formatClassifiers formats a table with a line for each classifier. It returns no text for a model
// of one classifier.
// A line ends with a remark if the certificate of its classifier is wrong. The dual variables of --multiclass single
// depend on each other, so one part of its sums proves nothing, and there is no gap of it.
func formatClassifiers(m *model.Model, list []verify.ClassifierReport) string {
	if list == nil {
		return ""
	}
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	gaps := m.Multiclass != model.SingleClassifier
	header := "%s\tprimal\tdual\trelative gap\tclaimed\trows\n"
	if !gaps {
		header = "%s\tpart of primal\tpart of dual\trows\n"
	}
	fmt.Fprintf(t, header, m.Noun())
	for k, r := range list {
		fmt.Fprintf(t, "%s\t%.9g\t%.9g\t", m.ShortName(k), r.Primal, r.Dual)
		if gaps {
			fmt.Fprintf(t, "%.3g\t%.3g\t", r.RelativeGap, m.Classifiers[k].Certificate.RelativeGap)
		}
		fmt.Fprint(t, r.Rows)
		if len(r.Faults) > 0 {
			fmt.Fprintf(t, "\tnot its certificate")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	return text.String()
}

// formatUnchecked lists the claims that were not checked, one on a line. A reader must not take silence
// for a check.
func formatUnchecked(list []string) string {
	var text strings.Builder
	for _, line := range list {
		fmt.Fprintf(&text, "not checked: %s\n", line)
	}
	return text.String()
}

// verifyJSON is the object that verify --json prints. Faults and Unchecked are arrays in every case, so
// scripts can count them.
type verifyJSON struct {
	// Primal, Dual and RelativeGap are recomputed in float64. Of several classifiers the gap is the
	// largest.
	Primal      number `json:"primal"`
	Dual        number `json:"dual"`
	RelativeGap number `json:"relative_gap"`
	// Gap is the relative gap that the training had to reach.
	Gap       number `json:"gap"`
	Converged bool   `json:"converged"`
	// Untrained counts the classifiers for which no step was taken.
	Untrained int  `json:"untrained"`
	Rows      int  `json:"rows"`
	Sampled   bool `json:"sampled"`
	// GapRange has the least and the largest gap that the errors of a sample allow, and is absent without a sample.
	GapRange []number `json:"gap_range,omitempty"`
	Faults   []string `json:"faults"`
	// Unchecked lists claims that were not checked, each by its key in the settings or its array.
	Unchecked   []string               `json:"unchecked"`
	Classifiers []verifyClassifierJSON `json:"machines,omitempty"`
}

// verifyClassifierJSON holds what was recomputed for one of several classifiers.
type verifyClassifierJSON struct {
	Classifier  string `json:"machine"`
	Primal      number `json:"primal"`
	Dual        number `json:"dual"`
	RelativeGap number `json:"relative_gap"`
	// Rows counts the rows that the classifier was trained on.
	Rows   int      `json:"rows"`
	Faults []string `json:"faults"`
}

// newVerifyJSON converts what was recomputed of a model.
func newVerifyJSON(m *model.Model, r *verify.Report) verifyJSON {
	j := verifyJSON{Primal: number(r.Primal), Dual: number(r.Dual), RelativeGap: number(r.RelativeGap), Gap: number(m.Gap),
		Converged: m.Convergence().Reached(), Untrained: m.Convergence().Untrained(), Rows: r.Rows, Sampled: r.Sampled, Faults: append([]string{}, r.Faults...),
		Unchecked: append([]string{}, r.Unchecked...), Classifiers: newVerifyClassifiersJSON(r.Classifiers)}
	if r.Sampled {
		j.GapRange = []number{number(r.GapRange[0]), number(r.GapRange[1])}
	}
	return j
}

// newVerifyClassifiersJSON converts what was recomputed for each classifier.
func newVerifyClassifiersJSON(list []verify.ClassifierReport) []verifyClassifierJSON {
	var out []verifyClassifierJSON
	for _, r := range list {
		out = append(out,
			verifyClassifierJSON{r.Name, number(r.Primal), number(r.Dual), number(r.RelativeGap),
				r.Rows, append([]string{}, r.Faults...)})
	}
	return out
}
