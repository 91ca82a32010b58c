package verify_test

import (
	"math"
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/internal/model"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// ofObjects are ways to be wrong that only models of rows that name objects have, and some that they have in another way.
var ofObjects = []wrong{
	{name: "a feature of an object", want: "drug", alter: func(m *model.Model) bool { m.Objects.Kinds[0].Values[3] += 0.25; return true }},
	{name: "a feature in its last digits", want: "drug", alter: func(m *model.Model) bool {
		v := &m.Objects.Kinds[0].Values[3]
		*v = math.Nextafter32(*v, 9)
		return true
	}},
	{name: "names of two objects", want: "target", alter: func(m *model.Model) bool {
		n := m.Objects.Kinds[1].Names
		n[0], n[1] = n[1], n[0]
		return true
	}},
	{name: "features of two objects", want: "target", alter: func(m *model.Model) bool {
		k := m.Objects.Kinds[1]
		for j := range k.Dim {
			k.Values[j], k.Values[k.Dim+j] = k.Values[k.Dim+j], k.Values[j]
		}
		return true
	}},
	{name: "another object of a support vector", want: "support vector|training row|vector", alter: func(m *model.Model) bool {
		m.Vectors[1] = float32((int(m.Vectors[1]) + 1) % m.Objects.Kinds[1].Count)
		return true
	}},
	{name: "alpha of a row", want: "claims a|norm of w|alpha", alter: func(m *model.Model) bool { m.Alpha[0] *= 0.9; return true }},
	{name: "a higher dual value", want: "claims a dual value", alter: func(m *model.Model) bool {
		claim(m, 1.5*m.Certificate.Primal, 1.5*m.Certificate.Primal)
		return true
	}},
}

// TestWrongObjects alters one thing at a time of a model whose rows name objects.
func TestWrongObjects(t *testing.T) {
	t.Parallel()
	p := bigmkltest.DrawPairs(t, 81, 160, 14, 9)
	for _, o := range []bigmkl.Options{{Norm: 1, Gap: 1e-6}, {Norm: 4.0 / 3, Gap: 1e-3}} {
		o.Kernels, o.Objects = "gauss:auto@drug,linear@target,prod(gauss:0.2@drug,gauss:auto@target)", p.Set
		h := trained(t, "objects", p.Rows, o)
		if list := h.complaints(t, copied(t, h.model), verify.Options{Objects: p.Files}); len(list) > 0 {
			t.Errorf("%s: the model as it is: %q", h.name, list)
		}
		for _, w := range ofObjects {
			m := copied(t, h.model)
			if !w.alter(m) {
				t.Fatalf("%s: the model could not be altered", w.name)
			}
			list := h.complaints(t, copied(t, m), verify.Options{Objects: p.Files})
			if !slices.ContainsFunc(list, regexp.MustCompile(w.want).MatchString) {
				t.Errorf("%s, %s: no complaint of %q in %q", h.name, w.name, w.want, list)
			}
		}
	}
}
