package predict

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bigmkl/gradient"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// testMatrices has the matrices of test rows by training points, one for each precomputed kernel,
// and the names of their files.
type testMatrices struct {
	matrices []*npy.Matrix
	files    []string
}

// newTestMatrices opens the matrices of test rows against training points. Several kernels may
// represent one matrix, with other factors: it is then given once.
func newTestMatrices(m *Model, files []string) (*testMatrices, error) {
	distinct := map[string]bool{}
	for _, k := range m.Kernels {
		if m.Objects != nil {
			break // Their matrices are in the model.
		}
		if k = strings.TrimSuffix(k, kernelspec.Suffix(k)); strings.HasPrefix(k, "precomputed:") {
			distinct[k] = true
		}
	}
	needed := len(distinct)
	if needed != len(files) {
		return nil, fail.New(fail.Usage,
			"the model has %d precomputed kernels and %d matrices of test rows were given",
			needed, len(files)).
			WithHint("--gram-test FILE, n_test x n_train, once for each kernel in order")
	}
	var grams []*npy.Matrix
	for _, file := range files {
		g, err := npy.Load(file, m.Points)
		if err != nil {
			for _, g := range grams {
				g.Close()
			}
			return nil, err
		}
		grams = append(grams, g)
	}
	return &testMatrices{grams, files}, nil
}

// addTo adds the precomputed kernels of f to the decision values of n rows, the first of which is
// row first of the matrices. Row i of a matrix holds k(x_i, .) against the training points, and
// support holds the numbers of those that are support vectors. Kernels of one matrix differ in
// their factors alone, so their weights are added before the row is read.
func (t *testMatrices) addTo(values []float64, f *gradient.Function, support []int32,
	first, n int, gates *rowGates) error {
	if gates != nil {
		return t.addGated(values, f, support, first, n, gates)
	}
	var row []float64
	next := 0 // Groups of matrices come in the order of their files.
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		if group.Base != kernels.MatrixRow {
			continue
		}
		matrix := t.matrices[next]
		next++
		if first+n > matrix.Rows {
			return fail.New(fail.Input, "the matrix has %d rows, the data more", matrix.Rows).
				At(t.files[next-1], 0, 0)
		}
		row = slices.Grow(row[:0], matrix.Cols)[:matrix.Cols]
		weights := make([]float64, len(f.Outputs))
		for o := range f.Outputs {
			for _, k := range group.Members {
				weights[o] += f.Outputs[o].Theta[k.ID] * f.Bank.Factor(int(k.ID))
			}
		}
		for i := range n {
			matrix.Row64(first+i, 0, row)
			if err := t.checkRow(next-1, first+i, row); err != nil {
				return err
			}
			// Alpha belongs to support vectors, and the columns of the matrix to training points.
			for k, w := range weights {
				o := &f.Outputs[k]
				for s, a := range o.Alpha {
					if o.Rows != nil {
						s = int(o.Rows[s])
					}
					values[k*n+i] += w * a * row[support[s]]
				}
			}
		}
	}
	return nil
}

// addGated is addTo of kernels with gates: each of a matrix has gates of its own, so each adds its
// own sum.
func (t *testMatrices) addGated(values []float64, f *gradient.Function, support []int32,
	first, n int, gates *rowGates) error {
	next := 0
	own := make([][]float64, gates.sets()) // gates of the support vectors in each set
	for k := range own {
		own[k] = make([]float64, len(support))
	}
	all := make([]int32, len(support))
	for s := range all {
		all[s] = int32(s)
	}
	for g := range f.Bank.Groups {
		group := &f.Bank.Groups[g]
		if group.Base != kernels.MatrixRow {
			continue
		}
		matrix := t.matrices[next]
		next++
		if first+n > matrix.Rows {
			return fail.New(fail.Input, "the matrix has %d rows, the data more", matrix.Rows).
				At(t.files[next-1], 0, 0)
		}
		row := make([]float64, matrix.Cols)
		for _, member := range group.Members {
			for k := range own {
				gates.support[k].Gate(member.ID, all, own[k])
			}
			for i := range n {
				eta := gates.factors(i, member.ID, f.Bank.Factor(int(member.ID)))
				if !slices.ContainsFunc(eta, func(x float64) bool { return x != 0 }) {
					continue // A closed gate needs no value.
				}
				matrix.Row64(first+i, 0, row)
				if err := t.checkRow(next-1, first+i, row); err != nil {
					return err
				}
				for k := range f.Outputs {
					o, set := &f.Outputs[k], k%gates.sets()
					sum := 0.0
					for s, a := range o.Alpha {
						if o.Rows != nil {
							s = int(o.Rows[s])
						}
						sum += a * own[set][s] * row[support[s]]
					}
					values[k*n+i] += o.Theta[member.ID] * eta[set] * sum
				}
			}
		}
	}
	return nil
}

// checkRow returns an error if an entry of row i of a matrix is not finite.
func (t *testMatrices) checkRow(matrix, i int, row []float64) error {
	infinite := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	j := slices.IndexFunc(row, infinite)
	if j < 0 {
		return nil
	}
	// A file that was cut short reads as NaN, and its own error is more precise.
	bad := fail.New(fail.Input, "matrix entry (%d, %d) is %g", i+1, j+1, row[j]).
		At(t.files[matrix], 0, 0)
	return cmp.Or(t.matrices[matrix].Err(), error(bad))
}
