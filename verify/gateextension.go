package verify

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// gating is the extension by gates. Every model has it, as the options of a model without gates are checked, too.
type gating struct {
	*model.Gates // nil without gates
}

var _ extension = gating{}

func (g gating) traits(m *model.Model) extensionTraits {
	if g.Gates == nil {
		return extensionTraits{}
	}
	own := 8 * int64(m.Len()) * int64(g.Sets())
	t := extensionTraits{ofRow: own, uncancelled: true, trial: g.Learned() && m.Several() && g.Sets() == 1,
		memory: []memoryUse{{"gates", "8 M for each support vector", own * int64(len(m.Support))}}}
	if g.Learned() {
		t.unsampled = []string{notStationary}
	}
	return t
}

func (g gating) open(p *problem, o *Options) (err error) {
	p.gates, err = newGateSets(p, o)
	// The matrix is unmapped with the others.
	if own := p.gates.shared(); own != nil && own.matrix != nil {
		p.mapped = append(p.mapped, own.matrix)
	}
	return err
}

func (g gating) source(dataset.Source) dataset.Source { return nil }

func (g gating) check(_ context.Context, p *judgement, t *totals, _ int) error {
	if g.Gates == nil || !g.Learned() || p.sampled { // The slope takes all support vectors.
		return nil
	}
	// One classifier for all classes is none of several: its columns have one certificate.
	if p.m.Several() && len(p.gates) == 1 && !p.classifiers[0].column {
		p.gates[0].checkStationarity(together(p.classifiers), &t.slope[0], &p.faults)
		return nil
	}
	for k := range p.classifiers {
		set := p.gates.of(int32(k))
		p.gates[set].checkStationarity(&p.classifiers[k], &t.slope[set], &p.findings[k].faults)
	}
	return nil
}

// gatedRows is what the reader of the rows asks gates.
type gatedRows struct {
	gateSets
	moments *moments // of the gating features; nil unless there are gates of features
}

// newGatedRows returns the part of a reader that gates have. Gates that look at features see none if no row is laid
// out: then nothing is summed.
func newGatedRows(m *model.Model, s gateSets) gatedRows {
	own := s.shared()
	switch {
	case own == nil || own.UsesFeatures() && !laidOut(m):
		return gatedRows{}
	case own.matrix != nil:
		return gatedRows{gateSets: s}
	}
	d := len(own.Mean)
	return gatedRows{s, &moments{mean: make([]float64, d), square: make([]float64, d)}}
}

// addRow checks what gates have of training row i, with the features x, and enters its gates in the row. support is the
// place of the support vector that it is, or -1. The slope is not summed for a sample.
func (g gatedRows) addRow(i, support int, x []float32, sampled bool, to *row, f *faults) {
	own := g.shared()
	if own == nil {
		return
	}
	seen := g.see(i, x)
	to.gates = g.ofRow(i, seen)
	own.landmarks.checkRow(i, x, f)
	if g.moments != nil {
		g.moments.addRow(own.featuresOf(seen))
	}
	if support < 0 {
		return
	}
	for set, one := range g.gateSets {
		one.checkRow(support, i+1, to.gates[set], f)
	}
	if !sampled {
		to.slope = g.newSlopeRows(seen)
	}
}

// checkEnd compares the moments of the gating features, once all rows have been read.
func (g gatedRows) checkEnd(f *faults) {
	if g.moments != nil {
		g.shared().checkMoments(g.moments, f)
	}
}
