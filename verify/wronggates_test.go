package verify_test

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// wrongGates are the ways in which gates can be wrong. alter gets the gates of the model, which it may replace.
var wrongGates = []struct {
	name, kind, want string
	alter            func(m *model.Model, g *model.Gates)
}{
	{"a mean", "regions", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.Mean[1] += 0.1 * g.Deviation[1] }},
	{"a deviation", "regions", "for the deviation of feature", func(m *model.Model, g *model.Gates) { g.Deviation[2] *= 1.01 }},
	{"means exchanged", "regions", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.Mean[0], g.Mean[1] = g.Mean[1], g.Mean[0] }},
	{"a deviation of 1", "regions", "for the deviation of feature", func(m *model.Model, g *model.Gates) { g.Deviation[0] = 1 }},
	{"other features", "regions", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.On = "2-6" }},
	{"a centre", "regions", alphas, func(m *model.Model, g *model.Gates) { g.Centres[0] += 1 }},
	{"a spread", "regions", alphas, func(m *model.Model, g *model.Gates) { g.Spreads[1] *= 1.3 }},
	{"regions exchanged", "regions", alphas, func(m *model.Model, g *model.Gates) {
		d := len(g.Mean)
		for j := range d {
			g.Centres[j], g.Centres[d+j] = g.Centres[d+j], g.Centres[j]
		}
	}},
	{"one region for all", "regions", alphas, func(m *model.Model, g *model.Gates) {
		for k := range g.Centres {
			g.Centres[k] = 0
		}
	}},
	{"a loading", "components", alphas + "|for the mean of feature|for the deviation of feature", func(m *model.Model, g *model.Gates) { g.Loadings[2] += 0.2 }},
	{"components exchanged", "components", "for the deviation of feature", func(m *model.Model, g *model.Gates) {
		g.Deviation[0], g.Deviation[1] = g.Deviation[1], g.Deviation[0]
	}},
	{"a landmark's feature", "landmarks", "of this landmark is", func(m *model.Model, g *model.Gates) { g.Landmarks.Sparse.Value[3] += 0.25 }},
	{"another row as landmark", "landmarks", "of this landmark is", func(m *model.Model, g *model.Gates) {
		g.Landmarks.Rows[0] = map[bool]int32{true: 1, false: 0}[g.Landmarks.Rows[0] == 0]
		slices.Sort(g.Landmarks.Rows)
	}},
	{"another kernel of landmarks", "landmarks", "for the mean of feature", func(m *model.Model, g *model.Gates) {
		g.On, g.Landmarks.Medians = "kernel:gauss:0.9@1-4*6", nil
		g.Landmarks.Spec = "gauss:0.9@1-4"
	}},
	{"a width of landmarks", "landmarks", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.Landmarks.Medians[0] *= 1.01 }},
	{"a mean of kernel values", "landmarks", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.Mean[5] += 0.1 * g.Deviation[5] }},
	{"a v of kernel values", "landmarks", learnedWrong, func(m *model.Model, g *model.Gates) { g.Parameters[1] -= 0.4 }},
	{"an offset", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { g.Parameters[len(g.Mean)] += 0.3 }},
	{"a v", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { g.Parameters[1] -= 0.2 }},
	{"a v of another gate", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { g.Parameters[len(g.Mean)+1] *= 1.5 }},
	{"the last v", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { g.Parameters[len(g.Parameters)-2] += 0.5 }},
	{"all gates a half", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { clear(g.Parameters) }},
	{"a mean of learned gates", "learned", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.Mean[1] += 0.1 * g.Deviation[1] }},
	{"a deviation of learned gates", "learned", "for the deviation of feature", func(m *model.Model, g *model.Gates) { g.Deviation[2] *= 1.01 }},
	{"other features of learned gates", "learned", "for the mean of feature", func(m *model.Model, g *model.Gates) { g.On = "2-6" }},
	{"another kind of gates", "learned", learnedWrong, func(m *model.Model, g *model.Gates) {
		kinds := map[string]string{"softmax": "sigmoid", "sigmoid": "gauss", "gauss": "softmax"}
		g.Kind = kinds[g.Kind]
	}},
	{"the other kind of gates", "learned", learnedWrong, func(m *model.Model, g *model.Gates) {
		kinds := map[string]string{"softmax": "gauss", "sigmoid": "softmax", "gauss": "sigmoid"}
		g.Kind = kinds[g.Kind]
	}},
	{"copies exchanged", "learned", learnedWrong, func(m *model.Model, g *model.Gates) {
		// The weights of the copies and the norms stay where they are.
		d := len(g.Mean) + 1
		first, other := slices.Clone(g.Parameters[d:2*d]), g.Parameters[2*d:3*d]
		copy(g.Parameters[d:], other)
		copy(g.Parameters[2*d:], first)
	}},
	{"kernels exchanged", "learned", learnedWrong, func(m *model.Model, g *model.Gates) {
		d := len(g.Mean) + 1
		first := slices.Clone(g.Parameters[:d])
		copy(g.Parameters, g.Parameters[d:2*d])
		copy(g.Parameters[d:], first)
	}},
	{"a floor", "learned", learnedWrong, func(m *model.Model, g *model.Gates) { g.Floor = 0.4 }},
	{"a higher stationarity", "learned", "claimed to be stationary", func(m *model.Model, g *model.Gates) { g.Stationarity = g.Stationarity*1.02 + 1e-3 }},
	{"a lower stationarity", "learned", "claimed to be stationary", func(m *model.Model, g *model.Gates) { g.Stationarity *= 0.9 }},
	{"no stationarity", "learned", "claimed to be stationary", func(m *model.Model, g *model.Gates) { g.Stationarity = 0 }},
	{"a decay", "learned", "claimed to be stationary", func(m *model.Model, g *model.Gates) { g.Decay += 3 }},
	{"a gate", "fixed", "has the gate", func(m *model.Model, g *model.Gates) { g.Support[1] += 1e-9 }},
	{"a closed gate", "fixed", "has the gate", func(m *model.Model, g *model.Gates) { g.Support[0] = 0 }},
	{"gates exchanged", "fixed", "has the gate", func(m *model.Model, g *model.Gates) {
		g.Support[0], g.Support[1] = g.Support[1], g.Support[0]
	}},
}

// learnedWrong is what gates that belong to no training meet: their values, or what follows from them.
const learnedWrong = alphas + "|claimed to be stationary|a norm of|the norm of w"

// TestWrongGates alters one thing of the gates of a model at a time.
func TestWrongGates(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := real(t, "heart", 240)
	const kernels = 3
	specs := "gauss:auto,linear@1-5,poly:2@3-8"
	file := filepath.Join(t.TempDir(), "gates.npy")
	w, err := npy.Create(file, len(rows), kernels, true)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range rows {
		if err := w.WriteRow64([]float64{0.5 + rng.Float64(), rng.Float64() + 0.1, 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var models []honest
	for _, o := range []bigmkl.Options{
		{Gating: "regions:2", GateOn: "1-5", Norm: 2, Gap: 1e-5},
		{Gating: "regions:2", GateOn: "1-5", Norm: 4.0 / 3, Gap: 1e-3, Regularizer: bigmkl.Regularizer{GroupNorm: 2}},
		{Gating: "regions:3", GateOn: "pca:2", Norm: 2, Gap: 1e-5},
		{Gating: "fixed:" + file, Norm: 4.0 / 3, Gap: 1e-3},
		{Gating: "softmax", GateOn: "1-5", Gap: 1e-5, GateTol: 2e-2, GateDecay: 1e-3}, // gates of 0 and 1 have no weights that matter
		{Gating: "sigmoid", GateOn: "1-5", Norm: 4.0 / 3, Gap: 1e-5, GateTol: 2e-2, GateDecay: 1e-3},
		{Gating: "gauss", GateOn: "1-5", Gap: 1e-5, GateTol: 2e-2, GateDecay: 1e-3},
		{Gating: "softmax", GateOn: "kernel:gauss:auto@1-4*6", Gap: 1e-5, GateTol: 2e-2, GateDecay: 1e-3},
		{Gating: "softmax", GateOn: "kernel:gauss:auto@1-4*6", Gap: 1e-5, GateTol: 2e-2, GateDecay: 1e-3, Store: "sparse"},
	} {
		o.Kernels, o.C, o.Scale = specs, 0.5, "minmax"
		if o.GateTol > 0 {
			o.Kernels += ",linear copies=2"
		}
		models = append(models, trained(t, o.Gating[:5], rows, o))
	}
	total, before := map[string]int{}, map[string]int{}
	for _, h := range models {
		total[kindOfGates(h.model)]++
	}
	for _, h := range models {
		kind := kindOfGates(h.model)
		t.Run(h.name, func(t *testing.T) {
			var v verify.Options
			if h.model.Family.Gates().Kind == model.GatesFixed {
				v.Gates = file
			}
			if list := h.complaints(t, copied(t, h.model), v); len(list) > 0 {
				t.Errorf("the model as it is: %q", list)
			}
			sampled := v
			sampled.Sample = 60
			if list := h.complaints(t, copied(t, h.model), sampled); len(list) > 0 {
				t.Errorf("the model as it is, on a sample: %q", list)
			}
			for k, c := range wrongGates {
				// Of the models of a kind a run has one for each way to be wrong.
				if kind != c.kind || !testlevel.Diagonal(t, before[kind], k, total[kind], 1) {
					continue
				}
				m := copied(t, h.model)
				g := m.Family.Gates()
				c.alter(m, g)
				m.Family = g.Family()
				expected := regexp.MustCompile(c.want)
				if list := h.complaints(t, copied(t, m), v); !slices.ContainsFunc(list, expected.MatchString) {
					t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
				}
			}
		})
		before[kind]++
	}
}

// kindOfGates is the kind in the table of wrong gates.
func kindOfGates(m *model.Model) string {
	g := m.Family.Gates()
	switch {
	case g.Landmarks != nil:
		return "landmarks"
	case g.Components() > 0:
		return "components"
	case g.Learned():
		return "learned"
	}
	return g.Kind
}

// wrongClassifierGates are the ways in which the gates of classifiers can be wrong.
var wrongClassifierGates = []struct {
	name, want string
	alter      func(g []model.ClassifierGates)
}{
	{"a v of a classifier", learnedWrong, func(g []model.ClassifierGates) { g[1].Parameters[1] -= 0.3 }},
	{"an offset of a classifier", learnedWrong, func(g []model.ClassifierGates) { g[2].Parameters[5] += 0.4 }},
	{"the gates of two classifiers exchanged", learnedWrong, func(g []model.ClassifierGates) {
		g[0].Parameters, g[1].Parameters = g[1].Parameters, g[0].Parameters
	}},
	{"one set for all", learnedWrong, func(g []model.ClassifierGates) { g[1].Parameters, g[2].Parameters = g[0].Parameters, g[0].Parameters }},
	{"a floor of a classifier", learnedWrong, func(g []model.ClassifierGates) { g[1].Floor = 0.4 }},
	{"the stationarity of two classifiers exchanged", "claimed to be stationary", func(g []model.ClassifierGates) {
		g[0].Stationarity, g[2].Stationarity = g[2].Stationarity, g[0].Stationarity
	}},
	{"no stationarity of a classifier", "claimed to be stationary", func(g []model.ClassifierGates) { g[1].Stationarity = 0 }},
	{"a decay of a classifier", "claimed to be stationary", func(g []model.ClassifierGates) { g[2].Decay += 3 }},
}

// TestWrongGatesOfClassifiers alters one thing of the gates of a classifier at a time.
func TestWrongGatesOfClassifiers(t *testing.T) {
	t.Parallel()
	rows := manyClasses(t, "wine", 178, false)
	for _, o := range []bigmkl.Options{
		{Gating: "softmax", GateOn: "1-5", Multiclass: "ovr", GateDecay: 1e-3},
		{Gating: "sigmoid", GateOn: "1-5", Multiclass: "ovo", GateDecay: 1e-3}, // without a decay gates are 1 at all rows, and no weight matters
	} {
		o.Kernels, o.C, o.Scale, o.Gap, o.GateTol = "gauss:auto,linear@1-5", 0.5, "minmax", 1e-5, 2e-2
		h := trained(t, o.Gating, rows, o)
		t.Run(h.name, func(t *testing.T) {
			for _, sample := range []int{0, 60} {
				if list := h.complaints(t, copied(t, h.model), verify.Options{Sample: sample}); len(list) > 0 {
					t.Errorf("the model as it is, sample of %d: %q", sample, list)
				}
			}
			for _, c := range wrongClassifierGates {
				m := copied(t, h.model)
				g := m.Family.Gates()
				c.alter(g.Classifiers)
				m.Family = g.Family()
				expected := regexp.MustCompile(`^classifier ".*(` + c.want + ")")
				if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
					t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
				}
			}
		})
	}
}

// TestWrongGatesOfSingle alters one thing of the gates of one classifier for all classes at a time.
func TestWrongGatesOfSingle(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := manyClasses(t, "wine", 178, false)
	for _, o := range []bigmkl.Options{
		{Gating: "softmax", GateDecay: 1e-3},
		{Gating: "sigmoid", Norm: 4.0 / 3, GateDecay: 1e-3},
		{Gating: "regions:2", Norm: 2},
	} {
		o.Kernels, o.C, o.Scale, o.Gap, o.GateTol = "gauss:auto,linear@1-5", 0.5, "minmax", 1e-5, 2e-2
		o.Multiclass, o.GateOn = "single", "1-5"
		kind := "regions"
		if o.Gating != "regions:2" {
			o.Kernels, kind = o.Kernels+",linear copies=2", "learned"
		}
		h := trained(t, o.Gating[:5], rows, o)
		t.Run(h.name, func(t *testing.T) {
			for _, sample := range []int{0, 60} {
				if list := h.complaints(t, copied(t, h.model), verify.Options{Sample: sample}); len(list) > 0 {
					t.Errorf("the model as it is, sample of %d: %q", sample, list)
				}
			}
			for _, c := range wrongGates {
				if c.kind != kind {
					continue
				}
				m := copied(t, h.model)
				g := m.Family.Gates()
				c.alter(m, g)
				m.Family = g.Family()
				expected := regexp.MustCompile(c.want)
				if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
					t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
				}
			}
		})
	}
}
