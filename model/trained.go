package model

import (
	"fmt"

	"bigmkl/internal/fail"
)

// A run that ends early leaves machines whose gap is larger than the one asked for, and machines
// for which no step was taken. The latter have no support vectors although that is not their
// optimum, so their decision value is a constant that says nothing about a row.

// Untrained reports whether no step was taken for this machine, given the gap that was asked for. A
// machine whose optimum has no support vectors has a small gap and is trained.
func (a *Machine) Untrained(asked float64) bool {
	return untrained(a.Support, a.Certificate,
		asked)
}

func untrained(support []int32, c Certificate, asked float64) bool {
	return len(support) == 0 && !(c.RelativeGap <= asked)
}

// Trained reports whether a step was taken for machine k. If all machines have one certificate, and
// it reaches the gap, each machine is trained.
func (m *Model) Trained(k int) bool {
	return m.OneTheta && m.Converged() || !m.Machines[k].Untrained(m.Gap)
}

// Untrained counts the machines for which no step was taken. It is at most 1 for a model of one
// machine.
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

// Converged reports whether the gap that was asked for was reached, by every machine or by all
// together.
func (m *Model) Converged() bool {
	c, _ := m.Worst()
	return c.RelativeGap <= m.Gap
}

// Doubt returns a sentence about a model that has not converged, for whoever uses it, and "" for a
// model that has.
func (m *Model) Doubt() string {
	if m.Converged() {
		return ""
	}
	c, machine := m.Worst()
	text := fmt.Sprintf("the model is not converged: relative gap %.3g (asked %.3g)", c.RelativeGap,
		m.Gap)
	n := m.Untrained()
	switch {
	case n == 0 && machine >= 0:
		return text + ", of machine " + m.ShortName(machine)
	case n == 0:
		return text
	case !m.Several():
		return text + "; it was never trained"
	}
	if n == 1 {
		text += fmt.Sprintf("; 1 of %d machines was never trained and has no part in decisions", len(m.Machines))
	} else {
		text += fmt.Sprintf("; %d of %d machines were never trained and have no part in decisions", n, len(m.Machines))
	}
	if widest := widestGap(m); machine >= 0 && n < len(m.Machines) {
		text += fmt.Sprintf(", the others have gaps up to %.3g", widest)
	}
	return text
}

// widestGap returns the largest gap of the machines that were trained.
func widestGap(m *Model) float64 {
	gap := 0.0
	for k := range m.Machines {
		if m.Trained(k) {
			gap = max(gap, m.Machines[k].Certificate.RelativeGap)
		}
	}
	return gap
}

// ShortName returns the name of machine k, cut to the length that messages and tables show.
func (m *Model) ShortName(k int) string {
	a := &m.Machines[k]
	if a.Negative == Rest {
		return fail.Label(m.Classes[a.Positive])
	}
	return fail.Label(m.Classes[a.Positive]) + " and " + fail.Label(m.Classes[a.Negative])
}
