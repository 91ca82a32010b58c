package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/verify"
)

// wrongMissing are the ways in which a model whose rows lack views can be wrong.
var wrongMissing = []struct {
	name, want string
	alter      func(m *model.Model)
}{
	{"what stands for missing values", "kernel 1 fills in", func(m *model.Model) { m.Fill[0] *= 1.001 }},
	{"a kernel that fills nothing in", "kernel 3 fills nothing in", func(m *model.Model) { m.Fill[2] = 1 }},
	{"a factor", "the factor of kernel 2", func(m *model.Model) { m.Normalization.Scale[1] *= 1.01 }},
	{"a flag that is not there", "support vector", func(m *model.Model) { setFlag(m, false) }},
	{"a flag that was", "support vector", func(m *model.Model) { setFlag(m, true) }},
	{"none for self", "the model claims|the norm of", func(m *model.Model) {
		m.Kernels[0] = strings.Replace(m.Kernels[0], "self", "none", 1)
	}},
	{"all for self", "the model claims|the norm of", func(m *model.Model) {
		m.Kernels[0] = strings.Replace(m.Kernels[0], "self", "all", 1)
	}},
}

// setFlag changes the flag of view a of the first dense support vector that has it so.
func setFlag(m *model.Model, was bool) {
	d := m.Features
	for s := range m.Support {
		if flag := &m.Vectors[s*d+d-2]; *flag != 0 == was {
			if *flag = 0; !was {
				*flag = float32(m.Support[s]+1) / (1 << 22)
			}
			return
		}
	}
}

// TestWrongMissing alters one thing of a model whose rows lack views at a time.
func TestWrongMissing(t *testing.T) {
	t.Parallel()
	rows := real(t, "heart", 240)
	file := filepath.Join(t.TempDir(), "missing")
	var b strings.Builder
	for i := 0; i < len(rows); i += 3 {
		fmt.Fprintf(&b, "%d %c\n", i+1, 'a'+i%2)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	d := 0
	for _, r := range rows {
		d = max(d, int(r.Index[len(r.Index)-1])+1)
	}
	for _, gap := range []float64{1e-3, 1e-6} {
		h := trained(t, fmt.Sprint("missing ", gap), rows, bigmkl.Options{
			Kernels: "linear@a missing=self,gauss:auto@b missing=all,poly:2@a", Scale: "minmax", Store: dataset.LayoutDense,
			Views: []dataset.View{{Name: "a", First: 1, Last: 5}, {Name: "b", First: 4, Last: d}}, Missing: file, Gap: gap})
		v := verify.Options{Missing: file}
		if list := h.complaints(t, copied(t, h.model), v); len(list) > 0 {
			t.Errorf("the model as it is: %q", list)
		}
		sampled := v
		sampled.Sample = 60
		if list := h.complaints(t, copied(t, h.model), sampled); len(list) > 0 {
			t.Errorf("the model as it is, on a sample: %q", list)
		}
		for _, c := range wrongMissing {
			m := copied(t, h.model)
			c.alter(m)
			expected := regexp.MustCompile(c.want)
			if list := h.complaints(t, m, v); !slices.ContainsFunc(list, expected.MatchString) {
				t.Errorf("%s: no complaint of %q in %q", c.name, c.want, list)
			}
		}
	}
}
