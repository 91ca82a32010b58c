package kernelspec

import "errors"

// Kernels with gates that are learned have a gate each, unless they share one by its name. A kernel
// may be there several times: the copies are equal in everything but their gates.

// mostCopies is the largest number of copies of a kernel.
const mostCopies = 4096

// namedGate is a gate that kernels share, in one of their copies.
type namedGate struct {
	name string
	copy int
}

// checkGates rejects copies and names of gates where no gates are learned.
func (p *plan) checkGates(c *Context) error {
	switch {
	case c.Gated:
		return nil
	case p.copies > 1:
		return errors.New("copies= differ in their gates, and no gates are learned " +
			"(--gating softmax, sigmoid or gauss)")
	case p.gate != "":
		return errors.New("gate= names a gate that is learned, and there is none " +
			"(--gating softmax, sigmoid or gauss)")
	}
	return nil
}

// gate repeats the kernels from number first on as often as there are copies of them, all kernels
// of the first copy before the kernels of the second, and numbers the gates. omitted is the
// number of kernels that an outline had left out before these.
func (s *sharer) gate(a *attributes, first, omitted int, c *Context) {
	if !c.Gated {
		return
	}
	b := s.bank
	kernels, copies := b.Kernels[first:], a.copies
	// What was left out of one copy is left out of each.
	b.Omitted.Kernels += (b.Omitted.Kernels - omitted) * (copies - 1)
	if c.Outline && len(kernels)*copies > mostOutlined {
		copies = max(1, mostOutlined/len(kernels))
		b.Omitted.Kernels += len(kernels) * (a.copies - copies)
	}
	for r := range copies {
		if r > 0 {
			b.Kernels = append(b.Kernels, kernels...)
		}
		number := int32(r)
		if a.copies == 1 {
			number = -1
		}
		for range kernels {
			gate, shared := s.gates[namedGate{a.gate, r}]
			if a.gate == "" || !shared {
				gate = int32(len(b.Copies))
				b.Copies = append(b.Copies, number)
			}
			if a.gate != "" && !shared {
				if s.gates == nil {
					s.gates = map[namedGate]int32{}
				}
				s.gates[namedGate{a.gate, r}] = gate
			}
			b.Gates = append(b.Gates, gate)
		}
	}
}
