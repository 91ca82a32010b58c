package report

import (
	"fmt"

	"bigmkl/model"
)

// AddCertificate adds what the certificate of a model proves, in words for somebody who meets a
// duality gap for the first time.
func (p *Page) AddCertificate(m *model.Model) {
	p.add("certificate", "How good the training is", certificateBlocks(m)...)
}

// certificateBlocks explains the certificate: of the machine with the largest gap, if there are
// several.
func certificateBlocks(m *model.Model) []block {
	c, machine := m.Worst()
	var blocks []block
	lead := func(format string, args ...any) {
		blocks = append(blocks, block{Text: fmt.Sprintf(format, args...), Lead: true})
	}
	what := "This machine"
	switch {
	case machine >= 0:
		what = "The machine " + m.ShortName(machine)
		blocks = append(blocks, paragraph("There are %d machines, and each has a certificate of its own. What follows is that of the machine %s, whose gap is the largest.",
			len(m.Machines), m.ShortName(machine)))
	case m.Several():
		what = "These machines together"
	}
	if doubt := m.Doubt(); doubt != "" {
		blocks = append(blocks, paragraph("Careful: %s.", doubt))
	}
	if c.Kind != "gap" {
		lead("%s is at a point from which no small step leads to a better one. That is not a proof that there is no better one: one of the kernels is not positive definite.", what)
		return append(blocks, paragraph("The objective there is %s, and its relative gap %s says how exactly the point is met.", number(c.Primal), number(c.RelativeGap)))
	}
	lead("No machine with these kernels can do better than %s in what training makes small. %s has %s: it is within %s of the best that there can be.",
		precise(c.Dual), what, precise(c.Primal), percentFine(c.RelativeGap))
	how := "cost C"
	if m.Task == model.TaskOneClass {
		how = "share nu"
	}
	return append(blocks,
		paragraph("What training makes small is a sum of two things: how large the weights are, and how far the training rows are from where they should be. "+
			"The number %s is a lower bound for every machine with the same data, kernels, norm and %s, whichever program trains it. "+
			"It is the dual value of this problem, and the distance to it is the duality gap. A relative gap of %s was asked for.", precise(c.Dual), how, number(m.Gap)),
		paragraph("The certificate is about the training alone. How well new rows are predicted is another question, which only rows that had no part in the training can answer."),
		paragraph("Nobody has to believe this page: bigmkl verify computes both numbers again from the model and the data, with code of its own."))
}

// precise writes a number with the digits that tell primal from dual value.
func precise(x float64) string { return fmt.Sprintf("%.6g", x) }

// percentFine writes a small share.
func percentFine(x float64) string { return fmt.Sprintf("%.2g %%", 100*x) }
