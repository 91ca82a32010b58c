package gradient

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// The kernels of TestMatrices: of views that rows may lack, of more than one view, and of sequences.
const (
	kindsOfViews = "gauss:0.3@V laplace:0.2@V matern:2.5:0.3@V chi2:0.4@V linear@V poly:2@V poly:3:0.1:0@V sigmoid:0.1@V intersection@V"
	otherKinds   = "gauss:0.1 linear prod(gauss:0.3@a,linear@b) prod(gauss:0.3@a,laplace:0.1@b) pow(poly:2:0.2:1@b,2) user:own@b pair(gauss:0.3,1-3,4-6)"
	stringKinds  = "spectrum:2 spectrum:3:1 wd:3 wd:3:shift=1 prod(spectrum:2@1-6,wd:2@7-12)"
)

// ownKernel is code of a user: the product plus 1.
type ownKernel struct{}

func (ownKernel) Definite() bool { return true }

func (ownKernel) Values(dst []float64, x []float32, z [][]float32) {
	for i, y := range z {
		dst[i] = 1
		for j, v := range x {
			dst[i] += float64(v) * float64(y[j])
		}
	}
}

// lackingRows is rows of two views, features 1-3 and 4-6, or of sequences, and the views that they lack.
type lackingRows struct {
	rows     []dataset.Row
	views    []dataset.View
	lacks    map[string][]bool // of each view
	file     string
	letters  dataset.Alphabet
	specs    []string
	viewOf   []string      // of each kernel, "" for several
	unscaled [][][]float64 // matrices of the kernels, not normalised, of rows that lack nothing
}

// drawRows draws rows with features that are not negative. A row of zeros has both views.
func drawRows(t *testing.T, rng *rand.Rand, n int, missing bool) *lackingRows {
	r := &lackingRows{views: []dataset.View{{Name: "a", First: 1, Last: 3}, {Name: "b", First: 4, Last: 6}}, lacks: map[string][]bool{}}
	var file strings.Builder
	for i := range n {
		row := dataset.Row{Label: []string{"1", "-1"}[rng.IntN(2)]}
		for j := range 6 {
			if i != 5 && rng.IntN(4) > 0 {
				row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, float64(float32(rng.ExpFloat64())))
			}
		}
		r.rows = append(r.rows, row)
		for _, v := range r.views {
			lacks := missing && i != 5 && rng.IntN(3) == 0
			if r.lacks[v.Name] = append(r.lacks[v.Name], lacks); lacks {
				fmt.Fprintf(&file, "%d %s\n", i+1, v.Name)
			}
		}
	}
	if missing {
		r.file = filepath.Join(t.TempDir(), "missing")
		if err := os.WriteFile(r.file, []byte(file.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range r.views {
		for _, s := range strings.Fields(strings.ReplaceAll(kindsOfViews, "@V", "@"+v.Name)) {
			r.specs, r.viewOf = append(r.specs, s), append(r.viewOf, v.Name)
		}
	}
	if !missing {
		r.specs = append(r.specs, strings.Fields(otherKinds)...)
		r.viewOf = append(r.viewOf, make([]string, len(strings.Fields(otherKinds)))...)
	}
	return r
}

// drawSequences draws sequences of 12 letters.
func drawSequences(t *testing.T, rng *rand.Rand, n int) *lackingRows {
	r := &lackingRows{letters: dataset.DNA, specs: strings.Fields(stringKinds)}
	for range n {
		text := make([]byte, 12)
		for j := range text {
			text[j] = "ACGT"[rng.IntN(4)]
		}
		index, value, err := dataset.DNA.Sequence(text, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.rows = append(r.rows, dataset.Row{Label: []string{"1", "-1"}[rng.IntN(2)], Index: index, Value: value})
	}
	r.viewOf = make([]string, len(r.specs))
	return r
}

// prepare packs the rows and prepares the kernels, each with a suffix that replaces values that rows lack; "" replaces nothing.
func (r *lackingRows) prepare(t *testing.T, fill, normalize string, layout dataset.Layout, double, uncentred bool) (*dataset.Store, *kernels.Prepared) {
	t.Helper()
	var src dataset.Source = datasettest.Stream(r.rows)
	o := dataset.StoreOptions{Dir: t.TempDir(), Layout: layout, Sequences: r.letters}
	specs := r.specs
	if fill != "" {
		missing, err := dataset.ReadMissing(r.file, r.views)
		if err != nil {
			t.Fatal(err)
		}
		src = dataset.WithFlags(src, r.views, missing, true)
		o.Flags, o.Features, specs = len(r.views), 6+len(r.views), nil
		for _, s := range r.specs {
			specs = append(specs, s+" missing="+fill)
		}
	}
	store, err := dataset.Build(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	normalizer, err := kernelspec.ParseNormalizer(normalize)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernels.Prepare(t.Context(), store, specs, kernels.PrepareOptions{
		Views: r.views, Flags: fill != "", Sequences: r.letters, Normalizer: normalizer, Uncentred: uncentred, Memory: 1 << 24, Threads: 1,
		Scratch: t.TempDir(), Users: map[string]kernels.UserKernel{"own": ownKernel{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.FindScales(t.Context(), store, double, t.Logf); err != nil {
		t.Fatal(err)
	}
	return store, p
}

// define is the matrix of a kernel by the definition of its normalisation and of the replacement of values that rows lack.
func (r *lackingRows) define(id int, fill, normalize string) [][]float64 {
	k, lacks := r.unscaled[id], make([]bool, len(r.rows))
	if fill != "" {
		lacks = r.lacks[r.viewOf[id]]
	}
	n, diagonal, all, means := 0.0, 0.0, 0.0, make([]float64, len(k))
	for i := range k {
		if lacks[i] {
			continue
		}
		n++
		diagonal += k[i][i]
		for j := range k {
			means[j] += k[i][j]
		}
	}
	for i := range means {
		if means[i] /= n; !lacks[i] {
			all += means[i] / n
		}
	}
	diagonal /= n
	value := func(i, j int) float64 {
		switch normalize {
		case "multiplicative":
			return k[i][j] / (diagonal - all)
		case "spherical":
			if k[i][i] <= 0 || k[j][j] <= 0 {
				return 0
			}
			return k[i][j] / math.Sqrt(k[i][i]*k[j][j])
		case "centred":
			own := func(i int) float64 { return k[i][i] - 2*means[i] + all }
			if own(i) <= 0 || own(j) <= 0 {
				return 0 // A sigmoid is not positive semi-definite.
			}
			return (k[i][j] - means[i] - means[j] + all) / math.Sqrt(own(i)*own(j))
		}
		return k[i][j]
	}
	filled := diagonal
	switch normalize {
	case "multiplicative":
		filled /= diagonal - all
	case "spherical", "centred":
		filled = 1
	}
	m := make([][]float64, len(k))
	for i := range m {
		m[i] = make([]float64, len(k))
		for j := range m[i] {
			switch {
			case !lacks[i] && !lacks[j]:
				m[i][j] = value(i, j)
			case lacks[i] && lacks[j] && (fill == "all" || fill == "self" && i == j):
				m[i][j] = filled
			}
		}
	}
	return m
}

// withoutProducts leaves products of kernels out, which cannot be centred.
func (r *lackingRows) withoutProducts() *lackingRows {
	s := *r
	s.specs, s.viewOf, s.unscaled = nil, nil, nil
	for i, spec := range r.specs {
		if !strings.HasPrefix(spec, "prod") && !strings.HasPrefix(spec, "pow") {
			s.specs, s.viewOf, s.unscaled = append(s.specs, spec), append(s.viewOf, r.viewOf[i]), append(s.unscaled, r.unscaled[i])
		}
	}
	return &s
}
