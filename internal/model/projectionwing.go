package model

import (
	"math"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// projectionWing is the family of projected features, with which gates may stand.
type projectionWing struct{ plainWing }

var _ wing = projectionWing{}

func (projectionWing) expand(family *Family, c *kernelspec.Context) {
	gatesWing{}.expand(family, c)
}

// maxProjections bounds the number of projections of a model.
const maxProjections = 1000

func (projectionWing) check(m *Model, f *faults) {
	m.Family.checkGates(m, f)
	p := m.Family.Projection()
	f.check(hasSettings(m.Family, p), "the settings of the projection are damaged")
	arrays := 1
	if gates := m.Family.ofGates(); gates != nil {
		arrays += len(gates.Arrays)
		f.check(m.Family.Gates().Learned(), "gates beside a projection that were not learned")
	}
	for _, list := range [][]float64{p.Scaling.Factor, p.Scaling.Offset} {
		if list != nil {
			arrays++
		}
	}
	f.check(len(m.Family.Arrays) == arrays, "%d arrays of a projection", len(m.Family.Arrays))
	// The bounds keep the sum of the products within its type.
	sound := p.Features >= 1 && p.Features <= math.MaxInt32 && len(p.Others) < maxProjections
	size := int64(0)
	for _, k := range p.kernels() {
		sound = sound && k.Columns >= 0 && k.Columns <= p.Features
		if sound {
			size += int64(p.Features) * int64(max(1, k.Columns))
			sound = size <= int64(len(p.W))
		}
	}
	sound = sound && size == int64(len(p.W))
	f.check(sound, "%d numbers of a projection of %d features on %d", len(p.W), p.Features, p.Columns)
	if sound {
		if err := p.Scaling.Validate(p.Features); err != nil {
			f.check(false, "scaling before the projection: %v", err)
		}
	}
	f.check(!sound || p.Width() == m.Features, "a projection on other features than the %d of the kernels",
		m.Features)
	f.check(atLeast0(p.Stationarity), "a stationarity of %g", p.Stationarity)
	f.check(p.Steps >= 0 && p.Trials >= p.Steps, "%d steps in %d trials", p.Steps, p.Trials)
	f.check(m.Scaling.Kind == dataset.ScaleNone && m.Fill == nil && m.Stream == nil &&
		!m.OneTheta && len(m.Views) == 0 && m.Columns == nil || !sound,
		"a projection beside what goes with none")
	// Gates and other kernels see the features as they are.
	f.check(p.Plain == (len(m.Kernels) > 1+len(p.Others) || p.Gates != nil) && len(m.Kernels) > len(p.Others),
		"%d kernels of %d projections", len(m.Kernels), 1+len(p.Others))
	f.each("family.w", p.W, float.Finite[float64], "finite")
}
