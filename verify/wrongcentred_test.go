package verify_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// wrongCentred are the ways in which a model of centred kernels can be wrong.
var wrongCentred = []struct {
	name, want string
	alter      func(m *model.Model)
}{
	{"the mean over pairs", "kernel 1 is centred with the mean", func(m *model.Model) { m.Centre.Means[0] *= 1.001 }},
	{"a mean of another kernel", "kernel 3 is not centred", func(m *model.Model) { m.Centre.Means[2] = 1 }},
	{"a feature of a row", "the features of this row of the mean", func(m *model.Model) {
		m.Centre.Vectors = slices.Clone(m.Centre.Vectors)
		m.Centre.Vectors[len(m.Centre.Vectors)/2] += 0.25
	}},
	{"a row less", "at the mean of 219 rows", func(m *model.Model) {
		m.Centre.Rows = m.Centre.Rows[:len(m.Centre.Rows)-1]
		m.Centre.Vectors = m.Centre.Vectors[:len(m.Centre.Rows)*m.Features]
	}},
	{"spherical for centred", "the model claims|the norm of", func(m *model.Model) {
		m.Kernels[0] = strings.Replace(m.Kernels[0], "centred", "spherical", 1)
		m.Centre.Means[0] = 0
	}},
	{"centred for none", "the model claims|the norm of|kernel 3 is centred", func(m *model.Model) { m.Kernels[2] += " norm=centred" }},
	{"a dual variable", "alpha|the model claims", func(m *model.Model) { m.Alpha[3] *= 1.01 }},
}

// TestWrongCentred alters one thing of a model of centred kernels at a time.
func TestWrongCentred(t *testing.T) {
	t.Parallel()
	rows := real(t, "heart", 220)
	for _, gap := range []float64{1e-3, 1e-6} {
		h := trained(t, fmt.Sprint("centred ", gap), rows, bigmkl.Options{
			Kernels: "linear norm=centred,gauss:auto norm=centred,poly:2", Scale: "minmax", Normalize: "none", Store: dataset.LayoutDense, Gap: gap})
		for _, sample := range []int{0, 60} {
			if list := h.complaints(t, copied(t, h.model), verify.Options{Sample: sample}); len(list) > 0 {
				t.Errorf("the model as it is, on a sample of %d: %q", sample, list)
			}
		}
		for _, c := range wrongCentred {
			m := copied(t, h.model)
			c.alter(m)
			expected := regexp.MustCompile(c.want)
			if list := h.complaints(t, m, verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
				t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
			}
		}
	}
}
