package model

import (
	"fmt"
	"math"

	"bigmkl/internal/probability"
)

// sigmoidSection is the sigmoids and the folds that they were fitted to.
type sigmoidSection struct {
	// numbers holds A and B of each sigmoid.
	numbers []float64
}

var _ section = (*sigmoidSection)(nil)

func (p *sigmoidSection) since(*Model) int { return denseVersion }

func (p *sigmoidSection) tensors(m *Model) []field {
	for _, s := range m.Sigmoids {
		p.numbers = append(p.numbers, s.A, s.B)
	}
	return []field{{name: "sigmoids", f64: &p.numbers, columns: 2}}
}

func (p *sigmoidSection) join(m *Model, h *header) error {
	if s, ok := h.tensors["sigmoids"]; ok && (s.Shape[0] == 0 || s.Shape[1] != 2) {
		return fmt.Errorf("%d sigmoids of %d numbers each, not 2", s.Shape[0], s.Shape[1])
	}
	for i := 0; i < len(p.numbers); i += 2 {
		m.Sigmoids = append(m.Sigmoids, probability.Sigmoid{A: p.numbers[i], B: p.numbers[i+1]})
	}
	return nil
}

func (p *sigmoidSection) check(m *Model, f *faults) {
	f.check(m.Sigmoids != nil || !m.FoldsApart, "folds that were held out without sigmoids")
	odds := GivesOdds(m.Task)
	if m.Sigmoids == nil && m.Folds == 0 && !odds {
		return
	}
	f.check(ByMargin(m.Task), "probabilities of classes in task %s", clip(m.Task))
	if odds {
		f.check(m.Folds == 0, "%d folds in task %s", m.Folds, clip(m.Task))
	} else {
		f.check(m.Folds >= 2 && m.Folds <= math.MaxInt32, "%d folds", m.Folds)
	}
	f.check(len(m.Sigmoids) == max(1, len(m.Classifiers)), "%d sigmoids of %d classifiers",
		len(m.Sigmoids), max(1, len(m.Classifiers)))
	for k, s := range m.Sigmoids {
		if !s.Valid() {
			f.check(false, "sigmoids[%d] is %v, %v, not finite and falling", k, s.A, s.B)
			break
		}
		if odds && s != OddsSigmoid {
			f.check(false, "sigmoids[%d] is %v, %v where the decision value is the logarithm of the odds", k, s.A, s.B)
			break
		}
	}
}
