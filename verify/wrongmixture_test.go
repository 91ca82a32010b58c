package verify_test

import (
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// wrongMixtures are the ways in which a model of components can be wrong. alter gets its mixture.
var wrongMixtures = []struct {
	name, want string
	alter      func(m *model.Model, x *model.Mixture)
}{
	{"one e", values + "|constant of|of the softmax|claims an objective", func(m *model.Model, x *model.Mixture) { x.Multipliers[0] += 0.3 }},
	{"the last e", values + "|constant of|of the softmax|claims an objective", func(m *model.Model, x *model.Mixture) { x.Multipliers[x.Len()-1] -= 0.3 }},
	{"one w", "w of component|w of the other class", func(m *model.Model, x *model.Mixture) { x.Weights[largest(m)] *= 1.001 }},
	{"the last w", "w of component|w of the other class", func(m *model.Model, x *model.Mixture) {
		x.Weights[len(x.Weights)-len(m.Support)+largest(m)] *= 1.001
	}},
	{"a w of the wrong sign", "w of component|w of the other class", func(m *model.Model, x *model.Mixture) {
		at := largest(m)
		x.Weights[at] = -x.Weights[at]
	}},
	{"q of a support vector", "responsibilities sum|w of component", func(m *model.Model, x *model.Mixture) {
		x.Responsibilities[int(m.Support[largest(m)])*x.Width()] *= 0.9
	}},
	{"q of two components", "w of component", func(m *model.Model, x *model.Mixture) {
		q := x.Responsibilities[int(m.Support[largest(m)])*x.Width():][:2]
		q[0], q[1] = q[0]/2, q[1]+q[0]/2
	}},
	{"q that sums to less", "responsibilities sum", func(m *model.Model, x *model.Mixture) { x.Responsibilities[0] /= 2 }},
	{"an observed component", "was observed", func(m *model.Model, x *model.Mixture) {
		x.Observed = make([]float64, m.Points)
		x.Observed[int(m.Support[largest(m)])] = 1
	}},
	{"a total", "w of component|w of the other class|the bound", func(m *model.Model, x *model.Mixture) { m.Alpha[largest(m)] *= 1.01 }},
	{"a total of the wrong sign", "for label", func(m *model.Model, x *model.Mixture) { m.Alpha[0] = -m.Alpha[0] }},
	{"another kernel", "claims|not 1 for the kernels", func(m *model.Model, x *model.Mixture) { x.Components[0][0] = 2 }},
	{"another entropy", "claims", func(m *model.Model, x *model.Mixture) { x.Entropy = model.EntropyDrop }},
	{"an objective", "claims an objective", func(m *model.Model, x *model.Mixture) { x.Objective *= 0.99 }},
	{"a change", "of the softmax", func(m *model.Model, x *model.Mixture) { x.Change = x.Change/2 + 0.1 }},
	{"a proof", "certificate is", func(m *model.Model, x *model.Mixture) { m.Certificate.Kind = "gap" }},
	{"a dual value", "claims a dual value", func(m *model.Model, x *model.Mixture) { claim(m, m.Certificate.Primal, m.Certificate.Dual*0.99) }},
	{"a primal value", "claims a primal value", func(m *model.Model, x *model.Mixture) { claim(m, m.Certificate.Primal*0.99, m.Certificate.Dual) }},
	{"a norm", norms, func(m *model.Model, x *model.Mixture) { m.WNorms[heaviest(m)] *= 1.01 }},
	{"a weight", "not 1 for the kernels", func(m *model.Model, x *model.Mixture) { m.Theta[0] = 0.5 }},
	{"a cost", "the bound|claims", func(m *model.Model, x *model.Mixture) { m.C *= 0.5 }},
	{"a feature of a support vector", "support vector .* has", func(m *model.Model, x *model.Mixture) { m.Vectors[len(m.Vectors)/2] += 1 }},
}

// TestWrongMixtures alters one thing of a model of task med at a time.
func TestWrongMixtures(t *testing.T) {
	t.Parallel()
	rows := real(t, "heart", 100)
	for _, o := range []bigmkl.Options{
		{Normalize: "none", Scale: "standard", C: 5},
		{Normalize: "spherical", Scale: "minmax", C: 20, Components: "1,2/3,2,1"},
	} {
		o.Task, o.Kernels, o.Restarts, o.Rounds, o.Gap = bigmkl.TaskMED, "gauss:auto,linear@1-5,poly:2@3-8", 1, 4, 1e-5
		h := trained(t, o.Normalize, rows, o)
		t.Run(h.name, func(t *testing.T) {
			if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
				t.Errorf("the model as it is: %q", list)
			}
			for _, c := range wrongMixtures {
				m := copied(t, h.model)
				x := m.Family.Mixture()
				c.alter(m, x)
				m.Family = x.Family()
				expected := regexp.MustCompile(c.want)
				if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
					t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
				}
			}
		})
	}
}
