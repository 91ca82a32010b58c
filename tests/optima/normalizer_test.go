package optima

import (
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestOwnNormalizers: a normalisation of each kernel gives the bits of the same normalisation of all, in model, matrices and decisions.
func TestOwnNormalizers(t *testing.T) {
	t.Parallel()
	const list = "gauss:auto/2,linear@1-3,poly:2,intersection@2-6,poly:3:0.5:1@1-3"
	own := func(norm string) string { return strings.ReplaceAll(list, ",", " norm="+norm+",") + " norm=" + norm }
	rows := datasettest.Clouds(datasettest.Random(t, 30), 150, 6)
	for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		for _, kind := range []string{"none", "multiplicative", "spherical"} {
			for _, other := range []string{"none", "multiplicative", "spherical"} {
				o := bigmkl.Options{Kernels: list, Normalize: kind, Scale: "minmax", Store: layout, Gap: 1e-5}
				want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				o.Kernels, o.Normalize = own(kind), other
				got, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
				if !slices.Equal(want.Alpha, got.Alpha) || !slices.Equal(want.Theta, got.Theta) || want.Bias != got.Bias || want.Certificate != got.Certificate {
					t.Errorf("%s: %s of each kernel's own is not that of all", layout, kind)
				}
				verifytest.MustVerify(t, &got.Model, datasettest.Stream(rows))
				if !slices.Equal(bigmkltest.Decisions(t, want, rows, bigmkl.PredictOptions{}), bigmkltest.Decisions(t, got, rows, bigmkl.PredictOptions{})) {
					t.Errorf("%s: %s of each kernel's own decides otherwise", layout, kind)
				}
			}
		}
	}
}

// TestMixedNormalizers: every kernel has its own and verify agrees, also of kernels that share a base.
func TestMixedNormalizers(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 31), 200, 6)
	for _, o := range []bigmkl.Options{
		{Kernels: "linear,linear norm=none,linear norm=spherical,poly:2 norm=spherical,poly:2", Normalize: "multiplicative"},
		{Kernels: "linear@1-3 norm=none,gauss:1 norm=multiplicative,intersection", Normalize: "spherical", Norm: 1},
		{Kernels: "poly:2 norm=multiplicative,gauss:1 norm=multiplicative", Normalize: "none", Norm: 2},
	} {
		o.Scale, o.Gap = "minmax", 1e-5
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}
