package kernelspec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
)

var seeds = []string{
	"spectrum:6", "spectrum:3..5:1@v", "wd:20:shift=3", "wd:1..3@1-2", "wd:", "spectrum:3:3", "wd:2:shift=", "wd:2:shift=99999",
	"gauss:auto/10@each-view", "gauss:2^-10..2^2", "poly:2:1/3:0@1-4+9", "linear@random:3*5", "-t 3 -g 1 -r 2", "precomputed:x", "chi2:1..2/3", "matern:1.5:auto/2@v,matern:2.5:0.1..1,matern:2:1", "sigmoid:1/features:-2^3", "chi2:mean", "gauss:mean/3@each-view",
	"gauss:0.001..10/2000000000@each-feature", "gauss:1/2/3", "linear@3", "linear@v", "hist@10+1-9", "gauss:1e-308..1e308", "gauss:5e-324", "poly:1..1000", "gauss:NaN", "gauss:0x1", "gauss:1_0",
	"linear@random:0*1", "linear@random:99999999999*1", "linear@1-", "linear@+", "linear@", ":", "@", "gauss:2^99999", "gauss:0^0", "linear,,linear", "\xff", "gauss:1..2..3", "-t", "-g 1 -g 2", "gauss:3..3/7",
	"gauss:1 group=a prior=2,linear group=b cost=1/3,hist,poly:2 group=a", "linear group=", "user:k,user:other@v,prod(user:k,pow(user:x-1@1-3,2))", "user:", "user:a b", "pair(gauss:1,1-2,3-4),pair(poly:2@1,1,2)", "pair(linear,v,1-3) cost=2", "pair(linear,1,2", "pair(,,)", "gauss:nn/3@v,laplace:nn", "prod(gauss:auto@v,poly:2@1-3)", "pow(hist,3) norm=none,linear", "prod(pow(linear@3,2),linear,chi2:mean) group=a", "prod(wd:3,pow(spectrum:2:1@1-4,2))", "prod(", "pow(linear)", "prod(gauss:1..2,hist)", "prod(prod(linear,hist),hist)", "pow(pow(linear,2),2)", "prod(linear norm=none,hist)", "prod(precomputed:x,linear)", "prod(,)", "prod(linear,hist))", "gauss:1..4 norm=none,-t 0 norm=spherical group=a", "linear norm=x", "group=a", "linear cost=0", "precomputed:my file group=a",
}

// same compares kernels by what they are, wherever their sets lie.
func same(a *Bank, m int, b *Bank, k int) bool {
	x, y := a.Kernels[m], b.Kernels[k]
	if x.Kind == Precomputed && y.Kind == Precomputed {
		return a.Files[x.Index] == b.Files[y.Index]
	}
	if x.Kind == Pairwise && y.Kind == Pairwise {
		return a.Describe(m) == b.Describe(k)
	}
	if x.Kind == Product && y.Kind == Product {
		f, g := a.Products[x.Index], b.Products[y.Index]
		alike := len(f) == len(g)
		for i := range f {
			alike = alike && f[i].Power == g[i].Power && same(&Bank{Kernels: []Kernel{f[i].Kernel}, Sets: a.Sets, Users: a.Users}, 0, &Bank{Kernels: []Kernel{g[i].Kernel}, Sets: b.Sets, Users: b.Users}, 0)
		}
		return alike && x.Normalizer == y.Normalizer
	}
	if x.Kind == User && y.Kind == User {
		if a.Users[x.Index] != b.Users[y.Index] {
			return false
		}
		x.Index, y.Index = 0, 0
	}
	sets := slices.Equal(a.Features(x.Set), b.Features(y.Set))
	x.Set, y.Set, x.Index, y.Index = 0, 0, 0, 0
	return sets && x == y
}

// For any text the result is a bank that fits the context, each of whose kernels is described by a specification that
// gives it again, or an error of a class.
func FuzzExpand(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "v", uint8(0))
		f.Add(s, "3", uint8(0))
		f.Add(s, "v", uint8(1))
		f.Add(s, "v", uint8(2))
	}
	f.Fuzz(func(t *testing.T, list, view string, letters uint8) {
		if len(list) > 0 && list[0] == '@' {
			t.Skip("files")
		}
		c := testContext()
		c.Sequences = []dataset.Alphabet{dataset.Numbers, dataset.DNA, dataset.Bytes}[letters%3]
		if view != "" {
			c.Views = append(slices.Clone(c.Views), dataset.View{Name: view, First: 2, Last: 6})
		}
		c.Limit, c.Memory = 10000, 1<<20
		var b *Bank
		var specs []string
		var err error
		used := heaptest.Allocated(func() {
			if specs, err = Split(list); err == nil {
				b, err = Expand(specs, c)
			}
		})
		if used > int64(4*len(list)+4<<20) {
			t.Fatalf("%q: %d bytes allocated", list, used)
		}
		if err != nil {
			if !errors.Is(err, fail.Usage) && !errors.Is(err, fail.Input) && !errors.Is(err, fail.Budget) {
				t.Fatalf("%q: %v", list, err)
			}
			return
		}
		if n, medians, err := Count(specs, c); err != nil || n != len(b.Kernels) || medians != len(b.Medians) {
			t.Fatalf("%q: counted %d and %d, %v; expanded %d and %d", list, n, medians, err, len(b.Kernels), len(b.Medians))
		}
		for m, k := range b.Kernels {
			if k.Set < AllFeatures || int(k.Set) >= len(b.Sets) || k.Gamma < 0 || k.Gamma-k.Gamma != 0 {
				t.Fatalf("%q: kernel %+v", list, k)
			}
			if m >= 20 && m < len(b.Kernels)-20 {
				continue
			}
			text := b.Describe(m)
			again, err := Expand([]string{text}, c)
			if err != nil || len(again.Kernels) != 1 || !same(b, m, again, 0) {
				t.Fatalf("%q: kernel %d is described as %q, which gives %+v, %v", list, m, text, again, err)
			}
		}
	})
}

// A file of specifications gives what its lines give one by one; an error is at a line that exists.
func FuzzList(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte("# list\r\n\n" + s + " # x\nlinear"))
	}
	f.Add([]byte("\ufefflinear\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "list")
		read := func(content string) ([]string, error) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			return Split("@" + path)
		}
		specs, err := read(string(content))
		if err != nil {
			var e *fail.Error
			if !errors.As(err, &e) || e.Class != fail.Usage && e.Class != fail.Input || e.File != path || e.Line > strings.Count(string(content), "\n")+1 {
				t.Fatalf("%q: %v", content, err)
			}
			return
		}
		for _, s := range specs {
			if strings.Contains(s, ",") { // a file name or a view may have one, but not in a list
				continue
			}
			if one, err := Split(s); err != nil || len(one) != 1 || one[0] != s {
				t.Fatalf("%q alone gives %q, %v", s, one, err)
			}
		}
		if again, err := read(strings.Join(specs, "\n")); err != nil || !slices.Equal(again, specs) {
			t.Fatalf("%q written and read: %q, %v", specs, again, err)
		}
	})
}
