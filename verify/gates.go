package verify

import (
	"math"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// With gates every sum over pairs has two factors more (Gönen 2010, eq. 3.9):
//
//	g_m(x) = eta_m(x) sum_s alpha_s eta_m(x_s) k_m(x_s, x),   V_m = sum_i alpha_i g_m(x_i).
//
// They are computed here from their description in the model, point by point.

// Classifiers that have learned gates of their own have a set of gates each. Everything else that
// has gates has one set.

// gates are a set of gates of a model.
type gates struct {
	*model.Gates
	features []int32     // those that regions look at; nil for all
	support  [][]float64 // of each support vector, one number for each kernel
	matrix   *npy.Matrix // gates of the training rows, for fixed gates
	kernels  int
	of       []int32 // gate of each kernel, for gates that are learned; nil for others
	// landmarks are those whose kernel values the gates look at; nil for others.
	landmarks *landmarks
}

// gateSets has the sets of gates of a model: none, one for all classifiers, or one for each.
type gateSets []*gates

// of returns the place of the set of a classifier, 0 without gates.
func (s gateSets) of(classifier int32) int {
	if len(s) <= 1 {
		return 0
	}
	return int(classifier)
}

// shared returns the first set, which has all that sets have in common: how gating features follow
// from the features of a row, and the matrix of fixed gates. It is nil without gates.
func (s gateSets) shared() *gates {
	if len(s) == 0 {
		return nil
	}
	return s[0]
}

// newGateSets returns the gates of the model, none if it has none. Its errors come from newGates and
// newLandmarks. The matrices have been opened.
func newGateSets(p *problem, o *Options) (gateSets, error) {
	m := p.m
	own, number := m.Family.Gates(), 1
	marks, err := newLandmarks(p, own)
	if err != nil {
		return nil, err
	}
	if own != nil {
		if number = own.Sets(); number > 1 && number != len(m.Classifiers) {
			return nil, fail.New(fail.Corrupt, "the gates of the model do not fit each other")
		}
	}
	var list gateSets
	for k := range number {
		g, err := newGates(m, p.bank, marks, o, k)
		if g != nil {
			list = append(list, g)
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// newGates returns a set of the gates of the model, nil if it has none. Fixed gates need the matrix that
// the model was trained with: to leave it out is an error of class usage, as giving it for other
// models is.
func newGates(m *model.Model, bank *kernelspec.Bank, marks *landmarks, o *Options, set int) (*gates, error) {
	own := m.Family.Gates()
	if (own == nil || own.Kind != model.GatesFixed) && o.Gates != "" {
		return nil, fail.New(fail.Usage, "gates of rows for a model without fixed gates").
			WithHint("leave --gates out")
	}
	if own == nil {
		return nil, nil
	}
	own = own.OfClassifier(set)
	g := &gates{Gates: own, kernels: m.Len(), landmarks: marks}
	if own.Kind == model.GatesFixed {
		return g, g.openFixed(m, o.Gates)
	}
	var err error
	if g.features, err = m.Expansion().GatingFeatures(own); err != nil {
		return nil, err
	}
	d := len(g.features)
	if g.features == nil {
		d = m.Features
	}
	if r := own.Components(); r > 0 {
		if d = r; len(own.Loadings) != r*m.Features {
			return nil, fail.New(fail.Corrupt, "the gates of the model do not fit each other")
		}
	}
	if marks != nil {
		d = len(marks.Rows)
	}
	if own.Learned() {
		return g, g.takeLearned(m, bank, d)
	}
	if own.Regions < 1 || m.Len()%own.Regions != 0 || len(own.Spreads) != own.Regions ||
		len(own.Mean) != d || len(own.Deviation) != d || len(own.Centres) != d*own.Regions {
		return nil, fail.New(fail.Corrupt, "the gates of the model do not fit each other")
	}
	for s := range m.Support {
		g.support = append(g.support, g.ofRegions(g.landmarks.seeSupport(m, s)))
	}
	return g, nil
}

// openFixed takes the gates of the support vectors from the model, and opens the gates of the
// rows.
func (g *gates) openFixed(m *model.Model, path string) error {
	if path == "" {
		return fail.New(fail.Usage, "the model has fixed gates, and those of the rows are not given").
			WithHint("give the matrix of the training with --gates")
	}
	if len(g.Support) != len(m.Support)*g.kernels {
		return fail.New(fail.Corrupt, "the gates of the model do not fit each other")
	}
	for s := range m.Support {
		g.support = append(g.support, g.Support[s*g.kernels:(s+1)*g.kernels])
	}
	var err error
	if g.matrix, err = npy.Load(path, g.kernels); err != nil {
		return err
	}
	if g.matrix.Rows != m.Points || g.matrix.Cols != g.kernels {
		return fail.New(fail.Input, "gates of %d rows and %d kernels for %d training rows and %d kernels",
			g.matrix.Rows, g.matrix.Cols, m.Points, g.kernels).At(path, 0, 0)
	}
	return nil
}

// featuresOf returns the gating features of what gates see of a point, which are not standardised.
func (g *gates) featuresOf(x []float32) []float64 {
	z := make([]float64, len(g.Mean))
	for j := range z {
		switch {
		case g.Components() > 0:
			var sum neumaier
			for i, v := range x {
				sum.add(g.Loadings[j*len(x)+i] * float64(v))
			}
			z[j] = sum.value()
		case g.features != nil:
			z[j] = float64(x[g.features[j]])
		default:
			z[j] = float64(x[j])
		}
	}
	return z
}

// ofRegions returns the gates of a point, one for each kernel. Every gate is a quotient of two
// sums, as it is printed; the least distance is taken off all of them, which changes no quotient.
func (g *gates) ofRegions(x []float32) []float64 {
	part := make([]float64, g.Regions)
	d, least, z := len(g.Mean), math.Inf(1), g.featuresOf(x)
	for r := range part {
		for j := range d {
			off := (z[j]-g.Mean[j])/g.Deviation[j] - g.Centres[r*d+j]
			part[r] += off * off
		}
		part[r] /= g.Spreads[r] * g.Spreads[r]
		least = min(least, part[r])
	}
	var sum neumaier
	for r := range part {
		part[r] = math.Exp(least - part[r])
		sum.add(part[r])
	}
	eta := make([]float64, g.kernels)
	for k := range eta {
		eta[k] = part[k/(g.kernels/g.Regions)] / sum.value()
	}
	return eta
}

// ofRow returns the gates of a training row, of which they see x.
func (g *gates) ofRow(id int, x []float32) []float64 {
	if g.Learned() {
		return g.ofLearned(x)
	}
	if g.matrix == nil {
		return g.ofRegions(x)
	}
	eta := make([]float64, g.kernels)
	g.matrix.Row64(id, 0, eta)
	return eta
}

// see returns what gates see of a training row, which is the same in all sets.
func (s gateSets) see(id int, x []float32) []float32 {
	if g := s.shared(); g != nil {
		return g.landmarks.see(id, x)
	}
	return x
}

// ofRow returns the gates of a training row in each set, nil without gates. They see x of it.
func (s gateSets) ofRow(id int, x []float32) [][]float64 {
	var list [][]float64
	for _, g := range s {
		list = append(list, g.ofRow(id, x))
	}
	return list
}

// checkRow compares the gates of a support vector with the gates of the row that it is, which has
// to have gates from 0 on.
func (g *gates) checkRow(s, number int, eta []float64, f *faults) {
	for k, x := range eta {
		if own := g.support[s][k]; x != own || !(x >= 0) || math.IsInf(x, 0) {
			f.add("gates", "row %d: support vector %d has the gate %v for kernel %d, the data %v",
				number, s+1, own, k+1, x)
			return
		}
	}
}
