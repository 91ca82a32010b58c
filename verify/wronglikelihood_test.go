package verify_test

import (
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// wrongLikelihoods are the ways in which a model of task mixture can be wrong. alter gets its mixture.
var wrongLikelihoods = []struct {
	name, want string
	alter      func(m *model.Model, x *model.Mixture)
}{
	{"one e", "constant of component", func(m *model.Model, x *model.Mixture) { x.Multipliers[0] += 1e-3 }},
	{"the last e", "constant of component", func(m *model.Model, x *model.Mixture) { x.Multipliers[x.Len()-1] -= 1e-3 }},
	{"one w", "w of component", func(m *model.Model, x *model.Mixture) { x.Weights[largest(m)] *= 1.001 }},
	{"the last w", "w of component", func(m *model.Model, x *model.Mixture) {
		x.Weights[len(x.Weights)-len(m.Support)+largest(m)] += 1e-6
	}},
	{"a w of the other class", "w of component", func(m *model.Model, x *model.Mixture) {
		at := slices.IndexFunc(m.Alpha, func(a float64) bool { return a < 0 })
		x.Weights[at] = -1e-9
	}},
	{"q of a row", "responsibilities sum|w of component", func(m *model.Model, x *model.Mixture) {
		x.Responsibilities[int(m.Support[largest(m)])*x.Width()] *= 0.9
	}},
	{"q of two components", "w of component", func(m *model.Model, x *model.Mixture) {
		q := x.Responsibilities[int(m.Support[largest(m)])*x.Width():][:2]
		q[0], q[1] = q[0]/2, q[1]+q[0]/2
	}},
	{"an observed component", "was observed", func(m *model.Model, x *model.Mixture) {
		x.Observed = make([]float64, m.Points)
		x.Observed[int(m.Support[largest(m)])] = 1
	}},
	{"how often a row counts", "counts|the bound", func(m *model.Model, x *model.Mixture) { m.Alpha[largest(m)] *= 0.99 }},
	{"a row of the other class", "for label", func(m *model.Model, x *model.Mixture) { m.Alpha[0] = -m.Alpha[0] }},
	{"another kernel", "claims|not 1 for the kernels", func(m *model.Model, x *model.Mixture) { x.Components[0][0] = 2 }},
	{"an objective", "claims an objective", func(m *model.Model, x *model.Mixture) { x.Objective *= 0.99 }},
	{"a change", "of the softmax", func(m *model.Model, x *model.Mixture) { x.Change = x.Change/2 + 0.1 }},
	{"a proof", "certificate is", func(m *model.Model, x *model.Mixture) { m.Certificate.Kind = "gap" }},
	{"a bound", values, func(m *model.Model, x *model.Mixture) { claim(m, m.Certificate.Primal*1.01, m.Certificate.Dual) }},
	{"a likelihood", values, func(m *model.Model, x *model.Mixture) { claim(m, m.Certificate.Primal, m.Certificate.Dual*0.99) }},
	{"a norm", norms, func(m *model.Model, x *model.Mixture) { m.WNorms[heaviest(m)] *= 1.01 }},
	{"a weight", "not 1 for the kernels", func(m *model.Model, x *model.Mixture) { m.Theta[0] = 0.5 }},
	{"a feature of a row", "support vector .* has", func(m *model.Model, x *model.Mixture) { m.Vectors[len(m.Vectors)/2] += 1 }},
}

// TestWrongLikelihoods alters one thing of a model of task mixture at a time.
func TestWrongLikelihoods(t *testing.T) {
	t.Parallel()
	rows := real(t, "heart", 120)
	for _, o := range []bigmkl.Options{
		{Normalize: "none", Scale: "standard"},
		{Normalize: "spherical", Scale: "minmax", Components: "1,2/3,2,1"},
	} {
		o.Task, o.Kernels, o.Restarts, o.Gap = bigmkl.TaskMixture, "gauss:auto,linear@1-5,poly:2@3-8", 1, 5e-3
		h := trained(t, o.Normalize, rows, o)
		t.Run(h.name, func(t *testing.T) {
			if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
				t.Errorf("the model as it is: %q", list)
			}
			for _, c := range wrongLikelihoods {
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
