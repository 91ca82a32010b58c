package report

import (
	"fmt"

	"bigmkl/internal/model"
)

// AddCertificate adds what the certificate of a model proves, in words for somebody who meets a
// duality gap for the first time.
func (p *Page) AddCertificate(m *model.Model) {
	p.add("certificate", "How good the training is", certificateBlocks(m)...)
}

// certificateBlocks explains the certificate: of the classifier with the largest gap, if there are
// several.
func certificateBlocks(m *model.Model) []block {
	c, classifier := m.Convergence().Worst()
	var blocks []block
	lead := func(format string, args ...any) {
		blocks = append(blocks, block{Text: fmt.Sprintf(format, args...), Lead: true})
	}
	what := "this model"
	switch {
	case classifier >= 0:
		what = "the " + m.Noun() + " " + m.ShortName(classifier)
		blocks = append(blocks, paragraph("There are %d %ss, each with its own certificate. This one belongs to %s, which has the largest gap.",
			len(m.Classifiers), m.Noun(), what))
	case m.Several():
		what = "this model of several " + m.Noun() + "s"
	}
	// The doubt comes before the numbers, because a reader must not take the numbers of an interrupted
	// training for final.
	if doubt := m.Convergence().Doubt(); doubt != "" {
		blocks = append(blocks, paragraph("Careful: %s.", doubt))
	}
	// An indefinite kernel makes the problem non-convex, so the dual value bounds nothing and must not
	// be shown as a bound.
	if c.Kind != "gap" {
		lead("No small step improves %s. This is not a proof of optimality, because one of the kernels is not positive definite.", what)
		return append(blocks, paragraph("The objective there is %s, and the relative gap %s measures how exactly the point is reached.", number(c.Primal), number(c.RelativeGap)))
	}
	// The dual value comes first because it holds for every model. The primal value belongs to this
	// model alone.
	lead("The optimal training objective is at least %s; %s reaches %s (within %s).",
		precise(c.Dual), what, precise(c.Primal), percentFine(c.RelativeGap))
	// One-class models have the parameter nu in place of C.
	how := "cost C"
	if model.DescribesSupport(m.Task) {
		how = "share nu"
	}
	// The text distinguishes three things that readers confuse: the objective, its certificate, and the
	// error on new rows.
	return append(blocks,
		paragraph("Training minimises a sum of two terms: the size of the weights, and the losses of the training rows. "+
			"The number %s is a lower bound for every model with the same data, kernels, norm and %s, whichever program trains it. "+
			"It is the dual value of this problem, and the distance to it is the duality gap. The requested relative gap is %s.", precise(c.Dual), how, number(m.Gap)),
		paragraph("The certificate covers the training alone. Only rows that were not trained on can show how well new rows are predicted."),
		paragraph("bigmkl verify recomputes both numbers from the model and the data, with code of its own."))
}

// precise writes a number with six digits. They distinguish primal from dual value at the usual gap of
// 0.001.
func precise(x float64) string { return fmt.Sprintf("%.6g", x) }

// percentFine writes a small share. Two digits suffice for a bound.
func percentFine(x float64) string { return fmt.Sprintf("%.2g %%", 100*x) }
