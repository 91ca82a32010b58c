package bits

import (
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/tests/bigmkltest"
)

// storeProblems have every layout, scaling, normalisation and precision.
func storeProblems(d bytesData) []problem {
	const texts = "gauss:auto/2,linear,linear@1-100,laplace:0.1,poly:2"
	return []problem{
		{name: "dense store", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutDense}},
		{name: "sparse store", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutSparse, Norm: 1}},
		{name: "auto store", rows: d.texts, o: bigmkl.Options{Kernels: texts, Normalize: "spherical"}},
		{name: "sparse store, oneclass", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Store: dataset.LayoutSparse, Task: bigmkl.TaskOneClass}},
		{name: "scale minmax", rows: d.two, o: bigmkl.Options{Scale: "minmax"}},
		{name: "scale standard", rows: d.two, o: bigmkl.Options{Scale: "standard", Norm: 1}},
		{name: "scale global, sparse", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Scale: "global", Store: dataset.LayoutSparse}},
		{name: "normalisation none", rows: d.two, o: bigmkl.Options{Normalize: "none", C: 0.1}},
		{name: "normalisation spherical", rows: d.two, o: bigmkl.Options{Normalize: "spherical"}},
		{name: "normalisations mixed", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:auto/2,linear norm=spherical,poly:2 norm=none"}},
		{name: "precision 32", rows: d.two, o: bigmkl.Options{Precision: "32", Gap: 3e-4}},
		{name: "precision 64", rows: d.two, o: bigmkl.Options{Precision: "64"}},
		{name: "precision auto, small gap", rows: d.two, o: bigmkl.Options{Gap: 1e-6}},
		{name: "precision 64, sparse", rows: d.texts,
			o: bigmkl.Options{Kernels: texts, Precision: "64", Store: dataset.LayoutSparse}},
	}
}

// kernelProblems have the kernels that the bank of the others does not have.
func kernelProblems(d bytesData) []problem {
	squared := func(x, z dataset.Row) float64 { return product(x, z) * product(x, z) }
	n := len(d.two) - predictedRows
	known, fresh := d.two[:n], d.two[n:]
	matrices := func(t *testing.T) {
		writeMatrix(t, "product.npy", known, known, product)
		writeMatrix(t, "squared.npy", known, known, squared)
		writeMatrix(t, "newproduct.npy", fresh, known, product)
		writeMatrix(t, "newsquared.npy", fresh, known, squared)
	}
	list := []problem{
		{name: "histograms", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "chi2:mean/2,intersection,chi2:0.3@1-3,laplace:auto", Scale: "minmax",
			}},
		{name: "Matern", rows: d.two, o: bigmkl.Options{Kernels: "matern:1.5:auto/3,matern:2.5:auto/2@1-4,gauss:auto/2,matern:1.5:0.5@1+3", Gap: 1e-4}},
		{name: "Matern, precision 64, centred", rows: d.two, o: bigmkl.Options{Kernels: "matern:2.5:0.1 norm=centred,prod(matern:1.5:auto@1-2,linear),linear", Precision: "64"}},
		{name: "sigmoid", rows: d.two, o: bigmkl.Options{Kernels: "sigmoid:0.05:0.1,gauss:auto/2"}},
		{name: "many widths, precision 32", rows: d.two,
			o: bigmkl.Options{
				Kernels: "gauss:0.001..3/40,laplace:0.01..1/12,linear", Precision: "32", Gap: 1e-3,
			}},
		{name: "many widths, precision 64", rows: d.two,
			o: bigmkl.Options{Kernels: "gauss:0.0001..100/9,poly:2", Precision: "64"}},
		{name: "products", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "prod(gauss:auto@1-3,poly:2@4-6),gauss:auto," +
					"prod(chi2:mean,laplace:0.1,pow(linear@2-6,2)) norm=spherical",
			}},
		{name: "powers, sparse", rows: d.positive,
			o: bigmkl.Options{
				Kernels: "pow(intersection,2),pow(gauss:0.2,3),linear",
				Store:   dataset.LayoutSparse, Norm: 3,
			}},
		{name: "views and random features", rows: d.two,
			o: bigmkl.Options{
				Kernels: "gauss:auto/2@each-view,linear@each-feature,gauss:0.3@random:3*6",
				Views:   bigmkltest.TwoViews, Seed: 7, Norm: 1,
			}},
		{name: "user kernels", rows: d.two,
			o: bigmkl.Options{
				Kernels:     "user:g,user:dot@2-5,gauss:1,prod(user:g@1-2,poly:2)",
				UserKernels: bigmkltest.SomeUsers,
			}},
		{name: "precomputed", rows: d.two,
			o:     bigmkl.Options{Kernels: "precomputed:product.npy,precomputed:squared.npy"},
			files: matrices, gram: []string{"newproduct.npy", "newsquared.npy"},
		},
	}
	for _, s := range []problem{
		{name: "spectrum", o: bigmkl.Options{Kernels: "spectrum:2..4,spectrum:9"}},
		{name: "spectrum with mismatches",
			o: bigmkl.Options{Kernels: "spectrum:4:1,spectrum:5:1@1-30", Normalize: "spherical"}},
		{name: "wd", o: bigmkl.Options{Kernels: "wd:5..8,wd:20@11-50", Norm: 1}},
		{name: "wd with shifts", o: bigmkl.Options{Kernels: "wd:4:shift=3,wd:8:shift=1", Norm: 3}},
		{name: "products of strings",
			o: bigmkl.Options{Kernels: "prod(wd:8,spectrum:3),pow(wd:4:shift=2@5-30,3)"}},
		{name: "strings with gates", o: bigmkl.Options{Kernels: "spectrum:3,wd:5", Gating: "sigmoid", GateOn: "kernel:spectrum:2*8", GateTol: 5e-2}},
		{name: "strings, svr", o: bigmkl.Options{Kernels: bigmkltest.StringKernels, Task: bigmkl.TaskSVR}},
	} {
		s.rows, s.o.Sequences = d.letters, dataset.DNA
		list = append(list, s)
	}
	return list
}

// writeMatrix writes the kernel values of rows against others, as a file of that name in the
// working folder.
func writeMatrix(t *testing.T, name string, rows, others []dataset.Row,
	kernel func(x, z dataset.Row) float64) {
	t.Helper()
	w, err := npy.Create(name, len(rows), len(others), true)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(others))
	for _, x := range rows {
		for j, z := range others {
			values[j] = kernel(x, z)
		}
		if err := w.WriteRow64(values); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// product is <x,z>. Its terms are summed in the order of the features. So the matrix is
// symmetric to the bit.
func product(x, z dataset.Row) float64 {
	sum := 0.0
	for k, j := range x.Index {
		if at, ok := slices.BinarySearch(z.Index, j); ok {
			sum += x.Value[k] * z.Value[at]
		}
	}
	return sum
}
