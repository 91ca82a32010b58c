package kernels

import (
	"cmp"
	"context"
	"math"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
)

const (
	// matrixRows is the number of rows of a matrix that are read before training.
	matrixRows = 1000

	// asymmetry64 is how far k(x,z) and k(z,x) may lie apart, relative to the diagonal, in a matrix
	// that is stored in double precision.
	asymmetry64 = 1e-8

	// asymmetry32 is the same of a matrix in single precision. The two values of a kernel for a
	// pair of points are rounded each for itself, and squared distances of points that are far from
	// the mean may lose as many digits as directAbove32 allows.
	asymmetry32 = 1e-4
)

// MatrixStep is the distance between the rows of an n x n matrix that are read before training.
func MatrixStep(n int) int { return max(1, n/matrixRows) }

// checkMatrix reads evenly spread rows of a square matrix: numbers must be finite and the matrix
// symmetric.
func checkMatrix(ctx context.Context, m *npy.Matrix, file string) error {
	n := m.Cols
	row, other := make([]float64, n), make([]float64, 1)
	step, asymmetry := MatrixStep(n), asymmetry32
	if m.Float64s {
		asymmetry = asymmetry64
	}
	for i := 0; i < n; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.Row64(i, 0, row)
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return cmp.Or(m.Err(), error(fail.New(fail.Input, "matrix entry (%d, %d) is %g", i+1, j+1, v).At(file, 0, 0)))
			}
			if (j-i)%step != 0 {
				continue
			}
			m.Row64(j, i, other)
			if math.Abs(v-other[0]) > asymmetry*max(math.Abs(v), math.Abs(row[i])) {
				return fail.New(fail.Input, "the matrix is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", i+1, j+1, v, j+1, i+1, other[0]).At(file, 0, 0)
			}
		}
	}
	return nil
}
