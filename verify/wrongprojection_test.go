package verify_test

import (
	"regexp"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/model"
	"bigmkl/verify"
)

// wrongProjections are the ways in which a projection can be wrong.
var wrongProjections = []struct {
	name, want string
	alter      func(p *model.Projection)
}{
	{"W not orthonormal", "W is off by", func(p *model.Projection) { p.W[0] += 1e-6 }},
	{"W doubled", "W is off by", func(p *model.Projection) {
		for k := range p.W {
			p.W[k] *= 2
		}
	}},
	{"equal columns", "W is off by", func(p *model.Projection) {
		for k := 0; k < len(p.W); k += 2 {
			p.W[k+1] = p.W[k]
		}
	}},
	{"columns exchanged", "fingerprint", func(p *model.Projection) {
		for k := 0; k < len(p.W); k += 2 {
			p.W[k], p.W[k+1] = p.W[k+1], p.W[k]
		}
	}},
	{"a column of the other sign", "fingerprint", func(p *model.Projection) {
		for k := 0; k < len(p.W); k += 2 {
			p.W[k] = -p.W[k]
		}
	}},
	{"features exchanged", "fingerprint", func(p *model.Projection) {
		p.W[0], p.W[1], p.W[2], p.W[3] = p.W[2], p.W[3], p.W[0], p.W[1]
	}},
	{"a higher stationarity", "claimed to be stationary", func(p *model.Projection) { p.Stationarity = 1.02*p.Stationarity + 1e-3 }},
	{"a lower stationarity", "claimed to be stationary", func(p *model.Projection) { p.Stationarity *= 0.98 }},
	{"no stationarity", "claimed to be stationary", func(p *model.Projection) { p.Stationarity = 0 }},
}

// TestWrongProjections alters one thing of a projection at a time.
func TestWrongProjections(t *testing.T) {
	rows := real(t, "heart", 200)
	for _, kernel := range []string{"proj(gauss:0.3,2)", "proj(poly:2,2)"} {
		h := trained(t, kernel, rows, bigmkl.Options{Kernels: kernel, GateTol: 1e-2})
		if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
			t.Errorf("%s as it is: %q", kernel, list)
		}
		for _, c := range wrongProjections {
			m := copied(t, h.model)
			p := m.Projection()
			p.W = slices.Clone(p.W)
			c.alter(p)
			m.SetProjection(p)
			expected := regexp.MustCompile(c.want)
			if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
				t.Errorf("%s, %s: no complaint of %q in %q", kernel, c.name, c.want, list)
			}
		}
	}
}
