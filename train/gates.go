package train

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"bigmkl/budget"
	"bigmkl/dataset"
	"bigmkl/gating"
	"bigmkl/internal/fail"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
	"bigmkl/mmap"
	"bigmkl/model"
	"bigmkl/predict"
)

// With gates kernel m of a run is eta_m(x) k_m(x, z) eta_m(z) (Gönen 2010, eq. 3.9). They stay as
// they are, so that the problem is one over other kernels: convex, with the certificate of any other.
// Everything that follows from the dual variables goes by the gated bank, and what follows from the
// data alone, such as the normalisation, by the kernels without gates.

// gates are those of a run. All of its methods may be called for nil, which has none.
type gates struct {
	table   *gating.Table
	regions *gating.Regions // nil for gates that were given
	model   model.Gates     // but for the support vectors
}

// gateBytes returns what the gates of so many points and kernels take in memory.
func (w *Workspace) gateBytes(n, d, kernels int) int64 {
	g := &w.Options.Gating
	if g.Kind == gating.KindFixed {
		return 8 * int64(n) * int64(kernels)
	}
	return 8*int64(n)*int64(g.Regions) + gating.Bytes(n, d, g.Regions)
}

// makeGates finds or reads the gates of the points. The kernels must have been made.
func (w *Workspace) makeGates(ctx context.Context) error {
	o := &w.Options.Gating
	if o.Kind == gating.KindFixed {
		m, err := gating.OpenMatrix(o.File, w.Kernels.Len())
		if err != nil {
			return err
		}
		defer m.Close()
		t, err := m.Of(ctx, w.Store.Len())
		if err != nil {
			return err
		}
		w.gates = &gates{table: t, model: model.Gates{Kind: model.GatesFixed}}
	}
	if o.Kind != gating.KindRegions {
		return nil
	}
	f, err := w.gatingFeatures(ctx)
	if err == nil {
		err = f.Measure(ctx, w.Store)
	}
	if err != nil {
		return err
	}
	r, err := gating.Cluster(ctx, w.Store, f, o.Regions, w.Options.Seed)
	if err != nil {
		return err
	}
	t, err := r.Of(ctx, w.Store, w.Kernels.Len())
	w.gates = &gates{table: t, regions: r, model: model.Gates{
		Kind: model.GatesRegions, Regions: o.Regions, On: o.On,
		Loadings: f.Loadings, Mean: f.Mean, Deviation: f.Deviation,
		Centres: r.Centres, Spreads: r.Spreads,
	}}
	return err
}

// gatingFeatures returns the features that gates look at, not standardised yet. Data that have
// none, or letters in their place, are of class fail.Input.
func (w *Workspace) gatingFeatures(ctx context.Context) (*gating.Features, error) {
	o := &w.Options
	switch {
	case o.Data.Sequences != dataset.Numbers:
		return nil, fail.New(fail.Input, "regions of sequences, whose letters are not numbers").
			WithHint("--gating fixed:FILE takes gates of any data")
	case w.Store.Dim() == 0:
		return nil, fail.New(fail.Input, "regions of rows without features").
			WithHint("--gating fixed:FILE takes gates of any data")
	case o.Gating.On == "":
		return &gating.Features{}, nil
	}
	if r, err := gating.Components(o.Gating.On, w.Store.Dim()); r > 0 || err != nil {
		if err != nil {
			return nil, err
		}
		return gating.PrincipalComponents(ctx, w.Store, r, o.Seed)
	}
	index, err := kernelspec.FeaturesOf(o.Gating.On, kernelspec.Context{
		Features: w.Store.Dim(), Views: o.Data.Views, Memory: budget.Allowance(o.Budget.Memory),
	})
	return &gating.Features{Index: index}, err
}

// gatedBank returns the kernels with their gates. It is those of the run where there are no gates.
func (w *Workspace) gatedBank() *kernels.Bank {
	if w.gates == nil {
		return w.Kernels.Bank
	}
	return w.Kernels.Bank.Gated(w.gates.table, w.gates.table)
}

// usesFeatures reports whether gates follow from the features of a point.
func (g *gates) usesFeatures() bool { return g != nil && g.regions != nil }

// addTo records the gates in a model that has no support vectors yet.
func (g *gates) addTo(m *predict.Model) {
	if g != nil {
		m.SetGates(&g.model)
	}
}

// addSupport records the gates of the support vectors if they were given and are no function of
// features.
func (g *gates) addSupport(m *predict.Model) {
	if g == nil || g.regions != nil {
		return
	}
	own := g.model
	own.Support = []float64{}
	for _, i := range m.Support {
		own.Support = append(own.Support, g.table.Row(int(i))...)
	}
	m.SetGates(&own)
}

// facts identify the gates of a run. Regions follow from the data and the seed; gates that were
// given may be others under the same name, and enter by a hash.
func (g *gates) facts(s *gating.Spec) []Fact {
	if g.regions != nil {
		return []Fact{{"gating", s.String()}, {"gate-on", s.On}}
	}
	var h xxhash.Digest
	h.Reset()
	h.Write(mmap.Bytes(g.table.All()))
	return []Fact{{"gating", fmt.Sprintf("%s %016x", s.Kind, h.Sum64())}}
}
