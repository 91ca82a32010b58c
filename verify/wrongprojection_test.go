package verify_test

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/verify"
)

// wrongProjection alters a projection, of which verify is to complain in a line with want.
type wrongProjection struct {
	name, want string
	alter      func(p *model.Projection)
}

// wrongProjections are the ways in which a projection can be wrong.
var wrongProjections = []wrongProjection{
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

// wrongScalings are the ways in which the scaling before a projection can be wrong.
var wrongScalings = []wrongProjection{
	{"another factor", "fingerprint", func(p *model.Projection) {
		p.Scaling.Factor = slices.Clone(p.Scaling.Factor)
		p.Scaling.Factor[0] *= 1.001
	}},
	{"another offset", "fingerprint", func(p *model.Projection) {
		p.Scaling.Offset = slices.Clone(p.Scaling.Offset)
		p.Scaling.Offset[1] += 1e-3
	}},
	{"no scaling", "fingerprint", func(p *model.Projection) { p.Scaling = dataset.Scaling{} }},
}

// wrongPairs are the ways in which two projections on as many directions can be wrong.
var wrongPairs = []wrongProjection{
	{"projections exchanged", "fingerprint", func(p *model.Projection) {
		half := len(p.W) / 2
		p.W = slices.Concat(p.W[half:], p.W[:half])
	}},
	{"the first for both", "fingerprint", func(p *model.Projection) {
		half := len(p.W) / 2
		p.W = slices.Concat(p.W[:half], p.W[:half])
	}},
	{"the second not orthonormal", "W is off by", func(p *model.Projection) { p.W[len(p.W)-1] += 1e-6 }},
}

// TestWrongProjections alters one thing of a projection at a time.
func TestWrongProjections(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 4, 1)
	rows := real(t, "heart", 200)
	classes := manyClasses(t, "iris", 150, true)
	scaled := slices.Concat(wrongProjections, wrongScalings)
	for k, problem := range []struct {
		rows   []dataset.Row
		o      bigmkl.Options
		wrongs []wrongProjection
	}{
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.3,2)"}, wrongProjections},
		{rows, bigmkl.Options{Kernels: "proj(poly:2,2)"}, wrongProjections},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.1,2),linear", Scale: "standard", Norm: 2}, scaled},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.1,2),proj(gauss:0.05,2)", Norm: 2}, slices.Concat(wrongProjections, wrongPairs)},
		{rows, bigmkl.Options{Kernels: "proj(gauss:0.1,2),linear", Scale: "standard", Gating: "softmax"}, scaled},
		{classes, bigmkl.Options{Kernels: "proj(gauss:0.3,2)", Gating: "sigmoid", Scale: "standard", Multiclass: "ovr", OneGate: true}, scaled},
		{classes, bigmkl.Options{Kernels: "proj(gauss:0.3,2)", Scale: "standard", Multiclass: "ovr", OneGate: true}, scaled},
	} {
		if !testlevel.Diagonal(t, 0, k, 2, 1) {
			continue
		}
		kernel := problem.o.Kernels
		problem.o.GateTol = 1e-2
		h := trained(t, fmt.Sprint(k), problem.rows, problem.o)
		if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
			t.Errorf("%s as it is: %q", kernel, list)
		}
		for _, c := range problem.wrongs {
			m := copied(t, h.model)
			p := m.Family.Projection()
			p.W = slices.Clone(p.W)
			c.alter(p)
			m.Family = p.Family(m.Family)
			expected := regexp.MustCompile(c.want)
			if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
				t.Errorf("%s, %s: no complaint of %q in %q", kernel, c.name, c.want, list)
			}
		}
	}
}

// TestWrongSharedGates alters one thing at a time of gates that several classifiers share, or that are used
// with a projection.
func TestWrongSharedGates(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := manyClasses(t, "iris", 150, true)
	for k, o := range []bigmkl.Options{
		{Kernels: "gauss:auto,linear", Gating: "softmax", Multiclass: "ovr", OneGate: true, Scale: "standard", GateDecay: 1e-2},
		{Kernels: "gauss:auto,linear", Gating: "sigmoid", Multiclass: "ovo", OneGate: true, Scale: "standard", GateDecay: 1e-2},
		{Kernels: "proj(gauss:0.3,2),linear", Gating: "gauss", GateOn: "1-4", Positive: []string{"1", "2"}, Scale: "standard", GateTol: 0.3}, // gates of 0 and 1, where a closer descent ends, have a slope of rounding
	} {
		o.GateTol = cmp.Or(o.GateTol, 1e-2)
		h := trained(t, fmt.Sprint("gates", k), rows, o)
		if list := h.complaints(t, copied(t, h.model), verify.Options{}); len(list) > 0 {
			t.Errorf("%s as it is: %q", o.Kernels, list)
		}
		for _, c := range []struct {
			name, want string
			alter      func(g *model.Gates)
		}{
			{"a parameter", "claimed|claims", func(g *model.Gates) { g.Parameters[0] += 0.5 }},
			{"a mean", "claimed|claims", func(g *model.Gates) { g.Mean[0] += 0.5 }},
			{"a higher stationarity", "claimed to be stationary", func(g *model.Gates) { g.Stationarity = 1.02*g.Stationarity + 1e-3 }},
			{"a lower stationarity", "claimed to be stationary", func(g *model.Gates) { g.Stationarity *= 0.98 }},
			{"a decay", "claimed to be stationary", func(g *model.Gates) { g.Decay += 0.1 * math.Abs(h.model.Certificate.Dual+10) }},
		} {
			m := copied(t, h.model)
			g, p := m.Family.Gates(), m.Family.Projection()
			g.Parameters, g.Mean = slices.Clone(g.Parameters), slices.Clone(g.Mean)
			c.alter(g)
			m.Family = g.Family()
			if p != nil {
				m.Family = p.Family(m.Family)
			}
			expected := regexp.MustCompile(c.want)
			if list := h.complaints(t, copied(t, m), verify.Options{}); !slices.ContainsFunc(list, expected.MatchString) {
				t.Errorf("%s, %s: no complaint of %q in %q", o.Kernels, c.name, c.want, list)
			}
		}
	}
}

// TestMemoryOfProjections: a budget counts the features that support vectors have before the projection, and the least that a
// rejection names is enough.
func TestMemoryOfProjections(t *testing.T) {
	t.Parallel()
	const n, d = 40, 3000
	rows := make([]dataset.Row, n)
	for i := range rows {
		for j := range d {
			rows[i].Index = append(rows[i].Index, int32(j))
			rows[i].Value = append(rows[i].Value, float64((i*i+7*j*i)%11)/8)
		}
		rows[i].Label = []string{"1", "-1"}[i%2]
	}
	h := trained(t, "wide", rows, bigmkl.Options{Kernels: "proj(gauss:0.001,2)", GateTol: 0.1})
	list := h.complaints(t, copied(t, h.model), verify.Options{Memory: 1})
	each := 8*(d+2) + 128
	text := fmt.Sprintf("support vectors before the projection %d each = ", each)
	if len(list) != 1 || !strings.Contains(list[0], text) {
		t.Fatalf("no %q in %q", text, list)
	}
	named := regexp.MustCompile(`the least that is enough is --memory (\d+)MiB`).FindStringSubmatch(list[0])
	if named == nil {
		t.Fatalf("no budget in %q", list)
	}
	least, err := strconv.ParseInt(named[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if list := h.complaints(t, copied(t, h.model), verify.Options{Memory: least << 20}); len(list) > 0 {
		t.Errorf("%q", list)
	}
}
