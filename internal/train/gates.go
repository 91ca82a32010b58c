package train

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"bigmkl/internal/gating"
	"bigmkl/internal/model"
	"bigmkl/kernels"
	"bigmkl/mmap"
	"bigmkl/predict"
)

// With gates kernel m of a run is eta_m(x) k_m(x, z) eta_m(z) (Gönen 2010, eq. 3.9). They stay as
// they are. The problem is therefore one over other kernels: convex, with the certificate of any
// other. Everything that follows from the dual variables goes by the gated bank, and what follows
// from the data alone, such as the normalisation, by the kernels without gates.

// gates are the gates of a run. All of its methods may be called for nil, which has none.
type gates struct {
	table *gating.Table
	model model.Gates // except for the support vectors
	seenGates
	// given is set if the parameters stay and all classifiers share them.
	given bool
}

// apart returns the same gates for a training beside the one that they belong to, which starts at
// the gates in hand. The table is shared, and belongs to the training that moved it last.
func (g *gates) apart() *gates {
	own, learned := *g, *g.learned
	learned.Parameters = slices.Clone(learned.Parameters)
	own.learned, own.from = &learned, slices.Clone(learned.Parameters)
	return &own
}

// ofClassifier returns gates that one of several classifiers learns on the given rows. Features are
// standardised by all rows, whichever rows the classifier has. The table is shared, and belongs to
// the classifier that moved it last. It may be called for nil and for gates that are not learned,
// which are the same for all classifiers.
func (g *gates) ofClassifier(rows []int32) *gates {
	if g == nil || g.learned == nil {
		return g
	}
	own, learned := *g, *g.learned
	if own.rows = rows; g.given {
		return &own
	}
	learned.Parameters = make([]float64, len(learned.Parameters))
	own.learned = &learned
	own.model.Parameters = learned.Parameters
	return &own
}

// takeClassifier adds the gates that a classifier has learned to the gates of the classifiers
// before. A classifier that was never trained has the gates of parameters that are all 0.
func (f *finished) takeClassifier(g *gates) {
	if g == nil || g.learned == nil || g.given {
		return
	}
	m := &g.model
	f.gates = append(f.gates, model.ClassifierGates{
		Floor: m.Floor, Decay: m.Decay, Stationarity: m.Stationarity, Steps: m.Steps, Trials: m.Trials,
		Parameters: m.Parameters,
	})
}

// setClassifiers makes the gates of the model those that its classifiers have learned, if they
// have.
func (g *gates) setClassifiers(list []model.ClassifierGates) {
	if list != nil {
		g.model.Classifiers, g.model.Floor = list, 0
	}
}

// closedFor reports whether the gate of a kernel is 0 for every point, as a floor or a file of gates
// may make it. The kernel itself may be like any other.
func (g *gates) closedFor(kernel int32) bool {
	if g == nil {
		return false
	}
	var eta [1]float64
	for i := range g.points().Len() {
		if g.table.Gate(kernel, []int32{int32(g.row(i))}, eta[:]); eta[0] != 0 {
			return false
		}
	}
	return true
}

// usesFeatures reports whether gates follow from the features of a point.
func (g *gates) usesFeatures() bool { return g != nil && g.model.UsesFeatures() }

// addTo records the gates in a model that has no support vectors yet.
func (g *gates) addTo(m *predict.Model) {
	if g != nil {
		m.Family = g.model.Family()
	}
}

// addSupport records the gates of the support vectors if they were given and are not a function of
// features, or the entries of the matrix that they are functions of.
func (g *gates) addSupport(m *predict.Model) {
	if g == nil || g.usesFeatures() {
		return
	}
	own := g.model
	if g.model.Kind != model.GatesFixed {
		own.Landmarks = g.withSupport(m.Support)
		m.Family = own.Family()
		return
	}
	own.Support = []float64{}
	for _, i := range m.Support {
		own.Support = append(own.Support, g.table.Row(int(i))...)
	}
	m.Family = own.Family()
}

// facts identify the gates of a run. Regions follow from the data and the seed; gates that were
// given may be others under the same name, and enter by a hash.
func (g *gates) facts(s *gating.Spec) []Fact {
	if g.learned != nil {
		return []Fact{{"gating", s.String()}, {"gate-on", s.On}, {"descent of gates",
			fmt.Sprint(s.Tolerance, s.Steps, s.Starts, s.Decay, s.Floor)}}
	}
	if g.model.Kind != model.GatesFixed {
		return []Fact{{"gating", s.String()}, {"gate-on", s.On}}
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(g.table.All()))
	return []Fact{{"gating", fmt.Sprintf("%s %016x", s.Kind, h.Sum64())}}
}

// over returns kernels with their gates, and the kernels themselves where there are no gates.
func (g *gates) over(b *kernels.Bank) *kernels.Bank {
	if g == nil {
		return b
	}
	return b.Gated(g.table, g.table)
}
