package model

import (
	"fmt"

	"bigmkl/internal/fail"
)

// A run that ends early leaves machines that have come less far than was asked for, and machines of several that no step has been
// taken for. These have no support vectors although that is not their optimum: their decision value is a constant that says nothing
// of the rows.

// Untrained tells a machine that no step has been taken for, of one or several that came as far as asked each by itself. One whose
// optimum has no support vectors has a gap that shows it.
func (a *Machine) Untrained(asked float64) bool { return untrained(a.Support, a.Certificate, asked) }

func untrained(support []int32, c Certificate, asked float64) bool {
	return len(support) == 0 && !(c.RelativeGap <= asked)
}

// Trained tells whether a step has been taken for machine k. Where all machines together came as far as asked, each has.
func (m *Model) Trained(k int) bool {
	return m.OneTheta && m.Converged() || !m.Machines[k].Untrained(m.Gap)
}

// Untrained counts the machines that no step has been taken for; of a model of one that is 1 or 0.
func (m *Model) Untrained() int {
	n := 0
	for k := range m.Machines {
		if !m.Trained(k) {
			n++
		}
	}
	if !m.Several() && untrained(m.Support, m.Certificate, m.Gap) {
		n++
	}
	return n
}

// Converged tells whether the gap that was asked for was reached, by every machine or by all together.
func (m *Model) Converged() bool {
	c, _ := m.Worst()
	return c.RelativeGap <= m.Gap
}

// Doubt words what is to be said where a model that is not converged is used, "" of one that is.
func (m *Model) Doubt() string {
	if m.Converged() {
		return ""
	}
	c, machine := m.Worst()
	text := fmt.Sprintf("the model is not converged: relative gap %.3g (asked %.3g)", c.RelativeGap, m.Gap)
	n := m.Untrained()
	switch {
	case n == 0 && machine >= 0:
		return text + ", of machine " + m.ShortName(machine)
	case n == 0:
		return text
	case !m.Several():
		return text + "; it was never trained"
	}
	text += fmt.Sprintf("; %d of %d machines were never trained and have no part in decisions", n, len(m.Machines))
	if widest := widestGap(m); machine >= 0 && n < len(m.Machines) {
		text += fmt.Sprintf(", the others have gaps up to %.3g", widest)
	}
	return text
}

// widestGap is the largest gap of the machines that were trained.
func widestGap(m *Model) float64 {
	gap := 0.0
	for k := range m.Machines {
		if m.Trained(k) {
			gap = max(gap, m.Machines[k].Certificate.RelativeGap)
		}
	}
	return gap
}

// ShortName is the name of machine k as messages and tables show it.
func (m *Model) ShortName(k int) string {
	a := &m.Machines[k]
	if a.Negative == Rest {
		return fail.Label(m.Classes[a.Positive])
	}
	return fail.Label(m.Classes[a.Positive]) + " and " + fail.Label(m.Classes[a.Negative])
}
