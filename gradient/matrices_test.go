package gradient

import (
	"fmt"
	"math"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// TestMatrices: the matrices that are written, the products of alignments and the rows that the solver adds up are the same values
// for every kernel, normalisation, way to fill in and precision, of dense and of sparse rows.
func TestMatrices(t *testing.T) {
	t.Parallel()
	rng := random(t, 31)
	const n = 35
	whole, lacking, sequences := drawRows(t, rng, n, false), drawRows(t, rng, n, true), drawSequences(t, rng, n)
	for _, c := range []struct {
		*lackingRows
		fills   []string
		layouts []dataset.Layout
	}{
		{whole, []string{""}, []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse}},
		{lacking, []string{"none", "self", "all"}, []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse}},
		{sequences, []string{""}, []dataset.Layout{dataset.LayoutDense}}, // Sequences have one layout.
	} {
		store, p := c.prepare(t, "", "none", dataset.LayoutDense, true, true)
		c.unscaled = matricesOf[float64](t, p.Plainly(), store)
		for _, fill := range c.fills {
			for _, normalize := range kernelspec.Normalizers() {
				for _, layout := range c.layouts {
					for variant := range 4 {
						r, double, uncentred := c.lackingRows, variant&1 == 1, variant&2 == 2
						if normalize == "centred" {
							if !double {
								continue // Training rejects it.
							}
							r = r.withoutProducts()
						}
						t.Run(fmt.Sprintf("%s%s/%s/%s/double %v/uncentred %v", fill, r.letters, normalize, layout, double, uncentred), func(t *testing.T) {
							t.Parallel()
							r.compareMatrices(t, fill, normalize, layout, double, uncentred)
						})
					}
				}
			}
		}
	}
}

// compareMatrices holds the rows that the solver adds up and the matrices that are written to each other and to the definition.
// The rows of a bank that is centred are compared where dual variables sum to 0, up to the constant that centring takes.
func (r *lackingRows) compareMatrices(t *testing.T, fill, normalize string, layout dataset.Layout, double, uncentred bool) {
	t.Helper()
	store, p := r.prepare(t, fill, normalize, layout, double, uncentred)
	got, near, far := [][][]float64(nil), 1e-11, 1e-8
	if double {
		got = matricesOf[float64](t, p.Plainly(), store)
	} else {
		got, near, far = matricesOf[float32](t, p.Plainly(), store), 5e-5, 1e-4
	}
	n, m := store.Len(), p.Len()
	where := func(id int) string { return p.Describe(id) }
	size := make([]float64, m)
	for id := range m {
		want := r.define(id, fill, normalize)
		for i := range want {
			for _, v := range want[i] {
				size[id] = max(size[id], math.Abs(v))
			}
		}
		for i := range want {
			for j, v := range want[i] {
				if !(math.Abs(got[id][i][j]-v) <= far*size[id]) {
					t.Fatalf("%s: entry %d, %d of the matrix is %v, by definition %v", where(id), i, j, got[id][i][j], v)
				}
			}
		}
	}
	gr, err := New(store, p.Bank, Options{Threads: 1, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer gr.Close()
	alpha, theta, combined, v := make([]float64, n), make([]float64, m), make([]float64, n), make([]float64, m)
	if err := gr.Rebuild(t.Context(), alpha, double); err != nil {
		t.Fatal(err)
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	before, after := make([]float64, n*m), make([]float64, n*m)
	for i := 1; i < n; i++ {
		set, delta := []int{i}, []float64{1}
		if !uncentred {
			set, delta = []int{i, 0}, []float64{1, -1}
		}
		for k, at := range set {
			alpha[at] += delta[k]
		}
		if err := gr.Pass(t.Context(), set, delta, alpha, theta, combined, v); err != nil {
			t.Fatal(err)
		}
		if err := gr.At(all, after); err != nil {
			t.Fatal(err)
		}
		for id := range m {
			row, mean := make([]float64, n), 0.0
			for j := range row {
				row[j] = after[j*m+id] - before[j*m+id] - got[id][i][j]
				if !uncentred {
					row[j] += got[id][0][j]
				}
				mean += row[j] / float64(n)
			}
			for j, e := range row {
				if !uncentred {
					e -= mean
				}
				if !(math.Abs(e) <= near*max(1, size[id])) {
					t.Fatalf("%s: entry %d, %d of the matrix is %v, and the solver's row is off by %v", where(id), i, j, got[id][i][j], e)
				}
			}
		}
		before, after = after, before
	}
	if double {
		compareProducts(t, p, store, got)
	}
}

// compareProducts holds the products that alignments and rules are made of to those of matrices.
func compareProducts(t *testing.T, p *kernels.Prepared, store *dataset.Store, matrices [][][]float64) {
	t.Helper()
	got, err := kernels.Matrices{Bank: p.Plainly(), Points: store}.Align(t.Context(), kernels.AlignOptions{Plain: true, Classes: store.Labels(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	side := p.Len() + 1
	product := func(a, b int) (sum float64) {
		for i := range matrices[a] {
			for j, v := range matrices[a][i] {
				sum += v * matrices[b][i][j]
			}
		}
		return sum / (p.Factor(a) * p.Factor(b)) // Products lack the factors of the multiplicative normalisation.
	}
	for a := range p.Len() {
		for b := range a + 1 {
			if e := math.Abs(got[a*side+b] - product(a, b)); !(e <= 1e-9*math.Sqrt(product(a, a)*product(b, b))) {
				t.Fatalf("%s and %s: the product is %v, that of their matrices %v", p.Describe(a), p.Describe(b), got[a*side+b], product(a, b))
			}
		}
	}
}

// matricesOf are the matrices of all kernels, as they are written to files.
func matricesOf[T simd.Real](t *testing.T, b *kernels.Bank, points kernels.Points) (list [][][]float64) {
	t.Helper()
	for id := range b.Len() {
		var m [][]float64
		err := kernels.Gram(t.Context(), kernels.Matrices{Bank: b, Points: points}, id, kernels.GramRows, 1, func(row []T) error {
			line := make([]float64, len(row))
			for j, v := range row {
				line[j] = float64(v)
			}
			m = append(m, line)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}
