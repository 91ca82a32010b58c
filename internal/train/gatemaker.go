package train

import (
	"context"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
	"bigmkl/internal/gating"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// gateMaker makes the gates of a run, whose rows have been read and whose kernels have been prepared.
type gateMaker struct {
	options  *Options
	store    *dataset.Store
	kernels  *kernels.Prepared
	prepared kernels.PrepareOptions // of these kernels
}

// make finds or reads the gates of the points. It returns nil if the kernels have none.
func (m *gateMaker) make(ctx context.Context) (*gates, error) {
	o := &m.options.Gating
	if o.Kind == gating.KindFixed {
		matrix, err := gating.OpenMatrix(o.File, m.kernels.Len())
		if err != nil {
			return nil, err
		}
		defer matrix.Close()
		t, err := matrix.Of(ctx, m.store.Len())
		if err != nil {
			return nil, err
		}
		return &gates{table: t, seenGates: seenGates{seen: m.store}, model: model.Gates{Kind: model.GatesFixed}}, nil
	}
	if !o.SeesFeatures() {
		return nil, nil
	}
	seen, of, err := m.points(ctx)
	if err != nil {
		return nil, err
	}
	f := &gating.Features{}
	if of.Landmarks == nil {
		f, err = m.features(ctx)
	}
	if err == nil {
		err = f.Measure(ctx, seen)
	}
	if err != nil {
		return nil, err
	}
	of.Kind, of.Loadings, of.Mean, of.Deviation = o.Kind, f.Loadings, f.Mean, f.Deviation
	if o.Learned() {
		return m.learned(seen, f, of)
	}
	r, err := gating.Cluster(ctx, seen, f, o.Regions, m.options.Seed)
	if err != nil {
		return nil, err
	}
	t, err := r.Of(ctx, seen, m.kernels.Len())
	of.Regions, of.Centres, of.Spreads = o.Regions, r.Centres, r.Spreads
	return &gates{table: t, seenGates: seenGates{seen: seen}, model: of}, err
}

// learned makes gates that are to be learned, before their start is known, for points as gates see
// them. of describes their features.
func (m *gateMaker) learned(seen gating.Rows, f *gating.Features, of model.Gates) (*gates, error) {
	o, b := &m.options.Gating, m.kernels.Expanded
	form, err := gating.ParseForm(o.Kind)
	if err != nil {
		return nil, err
	}
	number := len(b.Copies)
	l := &gating.Learned{
		Form: form, Features: f.Len(), Parameters: make([]float64, number*(f.Len()+1)),
		Floor: o.Floor,
	}
	g := &gates{
		table: gating.SharedTable(number, b.Gates, make([]float64, m.store.Len()*number)),
		model: of,
		seenGates: seenGates{
			learned: l, features: f, seen: seen, seed: m.options.Seed, of: b.Gates, copies: b.Copies,
		},
	}
	g.model.Number, g.model.Floor = number, o.Floor
	if given := m.options.given; given != nil {
		copy(l.Parameters, given)
		g.given, g.model.Parameters = true, l.Parameters
		if !m.options.closing {
			g.model.Floor = 0
		}
	}
	if m.options.Init != nil {
		return g, g.startFromModel(&m.options.Init.Model)
	}
	return g, nil
}

// features returns the features that gates look at, not standardised yet. Data that have
// none, or letters in their place, are of class fail.Input.
func (m *gateMaker) features(ctx context.Context) (*gating.Features, error) {
	o, g := m.options, "regions"
	if m.options.Gating.Learned() {
		g = "gates"
	}
	switch {
	case o.Data.Sequences != dataset.Numbers:
		return nil, fail.New(fail.Input, "%s of sequences, whose letters are not numbers", g).
			WithHint("--gate-on 'kernel:spectrum:3*100' looks at kernel values with 100 of the rows")
	case m.store.Dim() == 0:
		return nil, fail.New(fail.Input, "%s of rows without features", g).
			WithHint("--gate-on 'kernel:precomputed:K.npy*100' looks at kernel values with 100 of the rows")
	case o.Gating.On == "":
		return &gating.Features{}, nil
	}
	if r, err := gating.Components(o.Gating.On, m.store.Dim()); r > 0 || err != nil {
		if err != nil {
			return nil, err
		}
		return gating.PrincipalComponents(ctx, m.store, r, o.Seed)
	}
	index, err := kernelspec.FeaturesOf(o.Gating.On, kernelspec.Context{
		Features: m.store.Dim(), Views: o.Data.Views, Memory: budget.Allowance(o.Budget.Memory),
	})
	return &gating.Features{Index: index}, err
}
