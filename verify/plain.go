package verify

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// plainWing is the wing of one classifier, or of several that separate classes one by one. They may share one
// set of weights, and are then one problem; see joint.go.
type plainWing struct{}

var _ wing = plainWing{}

func (plainWing) traits(m *model.Model) wingTraits {
	t := wingTraits{classifiers: max(1, len(m.Classifiers)), ofRow: 1, posteriors: 1}
	if m.Several() {
		t.ofRow, t.posteriors = len(m.Classifiers), 0
	}
	if m.Multiclass == model.OneVsOne {
		t.ofRow = len(m.Classes) - 1
	}
	for i := range m.Classifiers {
		t.duals += len(m.Classifiers[i].Alpha)
	}
	return t
}

func (plainWing) fits(m *model.Model) bool {
	if m.Discriminant != nil {
		return false
	}
	if m.Several() {
		return classifiersFit(m) && m.CostWeight == nil
	}
	return len(m.Alpha) == len(m.Support)
}

func (plainWing) classifiers(m *model.Model, b *kernelspec.Bank) []classifier {
	if m.Several() {
		return eachClassifier(m, b)
	}
	all := make([]int32, len(m.Support))
	for s := range all {
		all[s] = int32(s)
	}
	dearest := m.C * max(m.PositiveWeight, m.NegativeWeight)
	for _, p := range m.Posteriors {
		_, c := soften(m, p)
		dearest = max(dearest, c)
	}
	return []classifier{newClassifier(m, b, all, dearest)}
}

func (plainWing) roles(_ *model.Model, _ int, list []role) []role { return list }

func (plainWing) checkRow(*model.Model, int, int, role, *faults) {}

func (plainWing) checkDual(c *classifier, a float64, p *role, place string, f *faults) float64 {
	checkDual(c.Model, a, p, place, f)
	return linOf(c.Model, p, a)
}

func (plainWing) newSums(*model.Model) wingSums { return nil }

func (plainWing) sumLosses(w *worker, b *batch) error {
	for r := range b.rows {
		w.addLosses(&b.rows[r], nil)
	}
	return nil
}

func (plainWing) judge(p *judgement) *finding {
	for k := range p.classifiers {
		p.classifiers[k].checkClaims(&p.findings[k], p.m, p.sampled)
	}
	if p.m.OneTheta {
		return p.judgeJointly()
	}
	return nil
}
