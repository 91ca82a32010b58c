package letters

import (
	"fmt"
	"math"

	"bigmkl"
	"bigmkl/internal/fail"
	"bigmkl/internal/libsvm"
)

// specOf returns the specification of a kernel. Both programs have the same parameters for these
// kernels: exp(-gamma d^2), (gamma x'z + r)^d and tanh(gamma x'z + r).
func specOf(k libsvm.Kernel) (string, error) {
	switch k.Kind {
	case libsvm.Linear:
		return "linear", nil
	case libsvm.Polynomial:
		if k.Degree == 0 {
			return "", fail.New(fail.Usage, "a polynomial of degree 0 is the same for all rows")
		}
		// The order of the parameters is degree, gamma, coef0.
		return fmt.Sprintf("poly:%d:%s:%s", k.Degree, libsvm.Number(k.Gamma), libsvm.Number(k.Coef0)), nil
	case libsvm.RBF:
		return "gauss:" + libsvm.Number(k.Gamma), nil
	case libsvm.Sigmoid:
		return "sigmoid:" + libsvm.Number(k.Gamma) + ":" + libsvm.Number(k.Coef0), nil
	}
	// A precomputed kernel of LIBSVM comes with its rows, so no file could name it.
	return "user:" + tableKernel, nil
}

// tableKernel is the name of a precomputed kernel.
const tableKernel = "table"

// table is a precomputed kernel. A point is one number: s > 0 means row s of the training, as the files
// count them, and -t for row t of the rows to predict, counted from 1. A row has its values with all rows
// of the training. Training points are thus rows of one feature, and the solver needs no other code for
// such kernels.
type table struct {
	// trained returns the values of row s of the training, and asked the values of row t.
	trained, asked func(row int) []float32
}

var _ bigmkl.UserKernel = (*table)(nil)

// Values implements bigmkl.UserKernel.
func (t *table) Values(dst []float64, x []float32, z [][]float32) {
	for k := range z {
		dst[k] = t.value(int(x[0]), int(z[k][0]))
	}
}

// value returns the value of two points.
func (t *table) value(a, b int) float64 {
	if a > 0 && b < 0 {
		a, b = b, a // Rows to predict have the values, and rows of the training are columns.
	}
	// Values beyond a row are 0, as the format of LIBSVM is sparse.
	var row []float32
	switch {
	case a < 0 && b < 0 || a == 0 || b == 0:
		return 0 // Two rows to predict are never compared.
	case a < 0:
		row = t.asked(-a)
	default:
		row = t.trained(a)
	}
	if b >= len(row) {
		return 0
	}
	return float64(row[b])
}

// Definite implements bigmkl.UserKernel. It is unknown of a matrix from a file.
// The gap then proves a stationary point only.
func (t *table) Definite() bool { return false }

// mostSerial is the largest number of a row that a float32 holds exactly.
const mostSerial = 1 << 24

// serial returns the number of a row of a precomputed kernel, which is its feature 0.
func serial(index []int32, value []float32) (int, error) {
	if len(index) == 0 || index[0] != 0 {
		return 0, fail.New(fail.Input, "the first column of a precomputed kernel is 0:i, the number of the row")
	}
	// LIBSVM reads the number as an int.
	s := math.Trunc(float64(value[0]))
	if s < 1 || s > mostSerial {
		return 0, fail.New(fail.Input, "%g is no number of a row of a precomputed kernel, which count from 1", value[0])
	}
	return int(s), nil
}

// newTable returns the kernel of the rows of a problem. The matrix takes 4 bytes for each value. Rows
// are read whole, as any part of the matrix may be needed.
func newTable(p *problem) (*table, error) {
	// Rows may come in any order, so they are found by number.
	byNumber := map[int][]float32{}
	for i := range int32(p.rows()) {
		index, value := p.row(i)
		s, err := serial(index, value)
		if err == nil && s > int(p.last) {
			err = fail.New(fail.Input, "row %d has the number %d, and the matrix has %d columns", i+1, s, p.last)
		}
		if err != nil {
			return nil, err
		}
		if byNumber[s] != nil {
			return nil, fail.New(fail.Input, "two rows have the number %d", s)
		}
		row := make([]float32, index[len(index)-1]+1)
		for k, j := range index {
			row[j] = value[k]
		}
		byNumber[s] = row
	}
	return &table{trained: func(row int) []float32 { return byNumber[row] }}, nil
}
