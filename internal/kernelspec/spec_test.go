package kernelspec

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

var views = []dataset.View{{Name: "pix", First: 1, Last: 4}, {Name: "mor", First: 5, Last: 10}, {Name: "all", First: 1, Last: 10}}

func testContext() Context {
	return Context{Features: 10, Views: views, Seed: 7, Median: func(set []int32, k Kind) (float64, error) {
		if set == nil {
			return 100, nil
		}
		return float64(len(set)), nil
	}, Mean: func(set []int32, k Kind) (float64, error) { return 1000, nil }}
}

func expand(t *testing.T, list string) *Bank {
	t.Helper()
	specs, err := Split(list)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Expand(specs, testContext())
	if err != nil {
		t.Fatal(err)
	}
	if n, medians, err := Count(specs, testContext()); err != nil || n != len(b.Kernels) || medians != len(b.Medians) {
		t.Fatalf("Count(%q) = %d, %d, %v; Expand makes %d, %d", list, n, medians, err, len(b.Kernels), len(b.Medians))
	}
	return b
}

func gammas(b *Bank) []float64 {
	var out []float64
	for _, k := range b.Kernels {
		out = append(out, k.Gamma)
	}
	return out
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		spec string
		want []float64
	}{
		{"gauss:0.5", []float64{0.5}},
		{"gauss:2^-2..2^2", []float64{0.25, 0.5, 1, 2, 4}},
		{"gauss:1e-3", []float64{1e-3}},
		{"gauss:1/123", []float64{1.0 / 123}},
		{"gauss:1/features", []float64{0.1}},
		{"gauss:0.1..1", []float64{0.1, 0.2, 0.4, 0.8}},
		{"laplace:1..100/3", []float64{1, 10, 100}},
		{"chi2:1/8..1/2/3", []float64{0.125, 0.25, 0.5}},
		{"gauss:3..3/1", []float64{3}},
		{"gauss:1.5^2", []float64{2.25}},
		{"gauss:1.2^-49", []float64{0.0001318617829406067}}, // (5/6)^49 by Python's fractions
		{"gauss:auto", []float64{0.01}},
		{"gauss:auto/3", []float64{0.005, 0.01, 0.02}},
		{"chi2:mean", []float64{0.001}},
		{"matern:1.5:0.5", []float64{0.5}},
		{"matern:2.5:auto/3", []float64{0.005, 0.01, 0.02}},
		{"matern:1.5:1..100/3", []float64{1, 10, 100}},
		{"laplace:mean/3", []float64{0.0005, 0.001, 0.002}},
		{"gauss:auto/2", []float64{math.Sqrt2 / 200, math.Sqrt2 / 100}},
		{"sigmoid:0.25..0.5:-1", []float64{0.25, 0.5}},
	} {
		b := expand(t, c.spec)
		got := gammas(b)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.spec, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-15*c.want[i] {
				t.Errorf("%s: value %d is %v, want %v", c.spec, i, got[i], c.want[i])
			}
		}
	}
	fifty := gammas(expand(t, "gauss:0.001..10/50"))
	if len(fifty) != 50 || fifty[0] != 0.001 || fifty[49] != 10 || !slices.IsSorted(fifty) {
		t.Errorf("50 values: %v", fifty)
	}
}

func TestValueLists(t *testing.T) {
	got, err := Values("0.5, 1..8,1..100/3", 8)
	want := []float64{0.5, 1, 2, 4, 8, 1, 10, 100}
	if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-14*b }) {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"", "1,", "0", "-1", "2..1", "x", "1..8,1..100/6"} {
		if got, err := Values(bad, 9); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}

func TestKinds(t *testing.T) {
	b := expand(t, "linear,poly:2..3,poly:2:0.5:-1,sigmoid:0.1,sigmoid:0.1:2,intersection,hist,precomputed:a@b:c,precomputed:x,precomputed:a@b:c")
	all := int32(AllFeatures)
	want := []Kernel{
		{Kind: Linear, Set: all},
		{Kind: Poly, Degree: 2, Gamma: 1, Coef: 1, Set: all}, {Kind: Poly, Degree: 3, Gamma: 1, Coef: 1, Set: all},
		{Kind: Poly, Degree: 2, Gamma: 0.5, Coef: -1, Set: all},
		{Kind: Sigmoid, Gamma: 0.1, Set: all}, {Kind: Sigmoid, Gamma: 0.1, Coef: 2, Set: all},
		{Kind: Intersection, Set: all}, {Kind: Intersection, Set: all},
		{Kind: Precomputed, Set: all}, {Kind: Precomputed, Set: all, Index: 1}, {Kind: Precomputed, Set: all},
	}
	if !reflect.DeepEqual(b.Kernels, want) {
		t.Errorf("got  %+v\nwant %+v", b.Kernels, want)
	}
	if !reflect.DeepEqual(b.Files, []string{"a@b:c", "x"}) {
		t.Errorf("files %q", b.Files)
	}
}

func TestSets(t *testing.T) {
	b := expand(t, "gauss:1@1-4,linear@pix,linear@2+4+6,linear@1-4+9,linear@6+4+2,linear@1-10,linear@all,gauss:1..2@each-view")
	wantSets := [][]int32{{0, 1, 2, 3}, {1, 3, 5}, {0, 1, 2, 3, 8}, {4, 5, 6, 7, 8, 9}}
	if !reflect.DeepEqual(b.Sets, wantSets) {
		t.Errorf("sets %v", b.Sets)
	}
	if want := []string{"pix", "", "", "mor"}; !reflect.DeepEqual(b.SetViews, want) {
		t.Errorf("views %q", b.SetViews)
	}
	var got []int32
	for _, k := range b.Kernels {
		got = append(got, k.Set)
	}
	if want := []int32{0, 0, 1, 2, 1, -1, -1, 0, 0, 3, 3, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("set of each kernel %v, want %v", got, want)
	}
	if g := gammas(b)[7:]; !slices.Equal(g, []float64{1, 2, 1, 2, 1, 2}) {
		t.Errorf("values are not the inner loop: %v", g)
	}
	b = expand(t, "linear@each-feature,linear@3")
	if len(b.Sets) != 10 || b.Kernels[10].Set != 2 || len(b.Kernels) != 11 {
		t.Errorf("each-feature: %d sets, kernels %v", len(b.Sets), b.Kernels)
	}
}

func TestMedians(t *testing.T) {
	b := expand(t, "gauss:auto/2@each-view,laplace:auto,chi2:mean/2@pix,gauss:auto@1-4")
	if want := []float64{4, 6, 100, 100, 1000, 4}; !slices.Equal(b.Medians, want) {
		t.Errorf("medians %v, want %v", b.Medians, want)
	}
	c := testContext()
	for _, med := range []float64{-1, math.NaN(), math.Inf(1), 1e-320} {
		c.Median = func([]int32, Kind) (float64, error) { return med, nil }
		if _, err := Expand([]string{"gauss:auto"}, c); !errors.Is(err, fail.Input) {
			t.Errorf("median %v: %v", med, err)
		}
	}
	c.Median = func([]int32, Kind) (float64, error) { return 0, nil }
	if b, err := Expand([]string{"gauss:auto"}, c); err != nil || b.Kernels[0].Gamma != 1 || b.Medians[0] != 1 {
		t.Errorf("median 0: %+v, %v", b, err)
	}
}

func TestUsage(t *testing.T) {
	for _, s := range []string{
		"", ",", "gauss", "gauss:", "gauss:0", "gauss:-1", "gauss:nan", "gauss:inf", "gauss:0x1p3", "gauss:1_0", "gauss:1e400",
		"gauss:1e-400", "gauss:1/0", "gauss:2^0.5", "gauss:2^99999", "gauss:2^", "gauss:0^-1", "gauss:2..1", "gauss:1..", "gauss:..1", "gauss:1..2/0",
		"gauss:1..2/1", "gauss:1..2/x", "gauss:auto/0", "gauss:auto/-1", "gauss:auto/1001", "gauss:auto/", "chi2:mean/0", "chi2:mean/1001", "chi2:mean..2", "sigmoid:mean", "gauss:1:2", "matern", "matern:", "matern:0.5", "matern:1.5", "matern:2.5:", "matern:0.5:1", "matern:3.5:1", "matern:1.50:1", "matern:1.5:0", "matern:1.5:1:2", "linear:1", "hist:1", "poly", "poly:0",
		"poly:-1", "poly:2.5", "poly:3..2", "poly:2:1", "poly:2:0:1", "poly:2:1:x", "poly:2:1:1:1", "poly:1001", "sigmoid", "sigmoid:0", "sigmoid:1:x",
		"sigmoid:auto", "precomputed", "precomputed:", "cubic:1", "GAUSS:1", "linear@", "linear@0", "linear@11", "linear@3-1", "linear@1-11", "linear@1++2",
		"linear@-3", "linear@nowhere", "linear@random:", "linear@random:3", "linear@random:0*3", "linear@random:3*0", "linear@random:11*2",
		"user", "user:", "user:a b", "user:a:b", "user:a(b", "user:" + strings.Repeat("x", 65), "user:k@nowhere",
		"prod", "prod(", "prod()", "prod(linear)", "prod(linear,)", "prod(linear,hist", "prod(linear,hist))", "prod(linear,hist)@1-2", "pow(linear)", "pow(linear,0)", "pow(linear,2..3)",
		"pow(linear,2,3)", "prod(gauss:1..2,hist)", "prod(gauss:auto/2,hist)", "prod(poly:2..3,hist)", "prod(linear@each-view,hist)", "prod(linear@each-feature,hist)",
		"prod(linear@random:1*1,hist)", "prod(prod(linear,hist),hist)", "pow(prod(linear,hist),2)", "pow(pow(linear,2),2)", "prod(precomputed:f,hist)", "prod(linear norm=none,hist)",
		"pow(linear group=a,2)", "prod(wd:3,linear)", "prod(hist" + strings.Repeat(",hist", 16) + ")", "prod:1", "prod(linear@nowhere,hist)",
		"linear@random:99999999999*2", "linear@random:1*2147483647", "linear@99999999999", "-t 5", "-t", "-x 3", "-t 2 -g 0",
	} {
		specs, err := Split(s)
		if err == nil {
			_, err = Expand(specs, testContext())
		}
		if !errors.Is(err, fail.Usage) {
			t.Errorf("%q: error %v, want usage", s, err)
		} else if start := s[:min(len(s), 32)]; s != "" && s != "," && !strings.Contains(err.Error(), strings.TrimSpace(start)) {
			t.Errorf("%q is not named in %q", s, err)
		}
	}
	if _, err := Expand([]string{"linear@each-view"}, Context{Features: 3}); !errors.Is(err, fail.Usage) {
		t.Errorf("each-view without views: %v", err)
	}
	if _, err := Expand(nil, testContext()); !errors.Is(err, fail.Usage) {
		t.Errorf("no specifications: %v", err)
	}
	bad := testContext()
	bad.Features = 5
	if _, err := Expand([]string{"linear@mor"}, bad); !errors.Is(err, fail.Usage) {
		t.Errorf("a view beyond the data: %v", err)
	}
	limited := testContext()
	limited.Limit = 3
	if _, err := Expand([]string{"gauss:1..8"}, limited); !errors.Is(err, fail.Usage) {
		t.Errorf("above the limit: %v", err)
	}
}

// TestUsers: a name means one kernel, over any sets and as a factor.
func TestUsers(t *testing.T) {
	b := expand(t, "user:k,user:other.2@each-view,prod(user:k@1-2,pow(user:third,2)) norm=none")
	if want := []string{"k", "other.2", "third"}; !slices.Equal(b.Users, want) {
		t.Errorf("users %v", b.Users)
	}
	for m, want := range []string{"user:k", "user:other.2@pix", "user:other.2@mor", "user:other.2", "prod(user:k@1-2,pow(user:third,2)) norm=none"} {
		if got := b.Describe(m); got != want {
			t.Errorf("kernel %d is %q, want %q", m, got, want)
		}
	}
}

// TestBriefNumbersHaveFourDigits: what people read is short, and what programs read is exact.
func TestBriefNumbersHaveFourDigits(t *testing.T) {
	b := expand(t, "gauss:0.15704825202636968@mor,poly:3:1/3:2,prod(laplace:2.0615943254e-5,linear) norm=none,gauss:123456")
	exact := []string{"gauss:0.15704825202636968@mor", "poly:3:0.3333333333333333:2", "prod(laplace:2.0615943254e-05,linear) norm=none", "gauss:123456"}
	for m, want := range []string{"gauss:0.157@mor", "poly:3:0.3333:2", "prod(laplace:2.062e-05,linear) norm=none", "gauss:1.235e+05"} {
		if got := b.Brief(m); got != want || b.Describe(m) != exact[m] {
			t.Errorf("kernel %d is %q, in short %q, want %q and %q", m, b.Describe(m), got, exact[m], want)
		}
	}
}

// TestProducts: factors have features and medians of their own.
func TestProducts(t *testing.T) {
	b := expand(t, "prod(gauss:auto@pix, poly:2@5-10) norm=spherical prior=2,linear,pow(hist@1-3+5,3),prod(pow(laplace:mean,2),sigmoid:1:2,chi2:3@all)")
	for m, want := range []string{"prod(gauss:0.25@pix,poly:2@mor) norm=spherical", "linear", "pow(intersection@1-3+5,3)", "prod(pow(laplace:0.001,2),sigmoid:1:2,chi2:3)"} {
		if got := b.Describe(m); got != strings.Replace(want, "@mor", "@5-10", 1) {
			t.Errorf("kernel %d is %q, want %q", m, got, want)
		}
	}
	if want := []float64{4, 1000}; !slices.Equal(b.Medians, want) || len(b.Products) != 3 || len(b.Sets) != 3 || !slices.Equal(b.Importance(1), []float64{2, 1, 1, 1}) {
		t.Errorf("medians %v, %d products, %d sets", b.Medians, len(b.Products), len(b.Sets))
	}
	c := testContext()
	c.Views = append(slices.Clone(views), dataset.View{Name: "a,b", First: 2, Last: 3})
	other, err := Expand([]string{"pow(linear@a,b,2)"}, c)
	if err != nil || other.Describe(0) != "pow(linear@2-3,2)" {
		t.Errorf("a view with a comma: %v", err)
	}
}

func TestSplitFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("\ufeff# kernels\r\n\r\n gauss:0.5 \r\n-t 0\n-t 1 -g 0.5\n-t 2 -g 0.25 # wide\n-t 3 -r 1\n-t 1 -g 2 -r -3 -d 4\nprecomputed:a,b.npy")
	got, err := Split("@" + name)
	want := []string{"gauss:0.5", "linear", "poly:3:0.5:0", "gauss:0.25", "sigmoid:1/features:1", "poly:4:2:-3", "precomputed:a,b.npy"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	write("linear\n\ngauss:x\n")
	if _, err = Split("@" + name); !errors.Is(err, fail.Usage) || !strings.HasPrefix(err.Error(), name+":3: ") {
		t.Errorf("a fault in line 3: %v", err)
	}
	write("# nothing\n")
	if _, err = Split("@" + name); !errors.Is(err, fail.Usage) {
		t.Errorf("an empty list: %v", err)
	}
	if _, err = Split("@" + name + "x"); !errors.Is(err, fail.Input) {
		t.Errorf("a missing list: %v", err)
	}
}

func TestDescribe(t *testing.T) {
	list := "matern:1.5:0.5,matern:2.5:2@pix,gauss:0.5,gauss:1@pix,linear@1-3+5,poly:2,poly:2:0.5:0,sigmoid:0.1:2,chi2:3,intersection,precomputed:f"
	b := expand(t, list)
	for m, want := range strings.Split(list, ",") {
		if got := b.Describe(m); got != want {
			t.Errorf("kernel %d is %q, want %q", m, got, want)
		}
	}
}

// TestAttributes: groups and importances belong to all kernels of their specification.
func TestAttributes(t *testing.T) {
	b := expand(t, "gauss:1..2 group=a prior=3,linear,poly:2 \tcost=2 prior=1/2 group=b,hist group=a,-t 0 group=b,precomputed:my file cost=4")
	if want := []float64{3, 3, 1, 0.25, 1, 1, 0.25}; !slices.Equal(b.Importance(0.5), want) {
		t.Errorf("importances %v, want %v", b.Importance(0.5), want)
	}
	if want := []float64{3, 3, 1, 0.125, 1, 1, 0.0625}; !slices.Equal(b.Importance(1), want) {
		t.Errorf("importances %v, want %v", b.Importance(1), want)
	}
	if want := []float64{1, 1, 1, 2, 1, 1, 4}; !slices.Equal(b.Costs(), want) || !b.HasCosts {
		t.Errorf("costs %v, want %v", b.Costs(), want)
	}
	if want := []float64{3, 3, 1, 0.5, 1, 1, 1}; !slices.Equal(b.Importance(0), want) {
		t.Errorf("importances %v without costs, want %v", b.Importance(0), want)
	}
	if b := expand(t, "gauss:1,linear cost=1"); b.Importance(1) != nil || !slices.Equal(b.Costs(), []float64{1, 1}) {
		t.Errorf("a cost of 1: importances %v, costs %v", b.Importance(1), b.Costs())
	}
	for text, named := range map[string]bool{"linear cost=1": true, "linear group=cost=1": false, "precomputed:cost=1": false, "linear": false, "pow(linear,2) group=a cost=2": true} {
		if NamesCost([]string{"hist", text}) != named {
			t.Errorf("%s names a cost: %v", text, !named)
		}
	}
	for power, want := range map[float64]bool{0: true, 0.5: true, 10: true, 500: false} {
		if _, _, err := Count([]string{"linear cost=1e-3"}, Context{Features: 3, CostPower: power}); (err == nil) != want {
			t.Errorf("a cost of 1e-3 to the power %g: %v", power, err)
		}
	}
	if want := []int32{0, 0, 2, 1, 0, 1, 3}; !slices.Equal(b.Grouping(), want) || !slices.Equal(b.Groups, []string{"a", "b"}) {
		t.Errorf("groups %v of %v, want %v", b.Grouping(), b.Groups, want)
	}
	if b.Files[0] != "my file" {
		t.Errorf("file %q", b.Files[0])
	}
	b = expand(t, "gauss:1..2 norm=spherical,linear,-t 0 norm=none,precomputed:my file group=b norm=multiplicative")
	for m, want := range []Normalizer{Spherical, Spherical, Unsaid, Unnormalized, Multiplicative} {
		if got := b.Kernels[m].Normalizer; got != want {
			t.Errorf("kernel %d: normaliser %s, want %s", m, got, want)
		}
	}
	if text := b.Describe(3); text != "linear norm=none" || b.Files[0] != "my file" {
		t.Errorf("described as %q, file %q", text, b.Files[0])
	}
	if specs := []string{"linear norm=none", "gauss:1 group=norm=spherical"}; !Unnormalized.AskFor(specs) || Spherical.AskFor(specs) {
		t.Error("which normalisers are asked for")
	}
	if b := expand(t, "gauss:1,linear prior=1"); b.Importance(1) != nil || b.Grouping() != nil || b.Attributes != nil {
		t.Errorf("%+v without a reason", b.Attributes)
	}
	for list, want := range map[string]string{
		"group=a": "names no kernel", "gauss:1,group=a": "names no kernel", "linear group=": "without a name", "linear group=a group=b": "twice",
		"linear norm=": "none of none", "linear norm=l2": "none of none", "linear norm=none norm=none": "twice", "norm=none": "names no kernel",
		"linear prior=0": "not positive", "linear cost=x": "cost=",
	} {
		if _, err := Split(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
