package bigmkltest

import (
	"math"
	"sync/atomic"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/verify"
)

// Coded is a kernel of the user that is made of a function of two points.
type Coded struct {
	Value        func(x, z []float32) float64
	SemiDefinite bool
	Calls        *atomic.Int64
}

func (c Coded) Values(dst []float64, x []float32, z [][]float32) {
	if c.Calls != nil {
		c.Calls.Add(int64(len(z)))
	}
	for i := range z {
		dst[i] = c.Value(x, z[i])
	}
}

func (c Coded) Definite() bool { return c.SemiDefinite }

// CodedGauss returns the kernel exp(-gamma |x-z|^2).
func CodedGauss(gamma float64) Coded {
	return Coded{SemiDefinite: true, Value: func(x, z []float32) float64 {
		sum := 0.0
		for j, v := range x {
			d := float64(v) - float64(z[j])
			sum += d * d
		}
		return math.Exp(-gamma * sum)
	}}
}

var CodedProduct = Coded{SemiDefinite: true, Value: func(x, z []float32) float64 {
	sum := 0.0
	for j, v := range x {
		sum += float64(v) * float64(z[j])
	}
	return sum
}}

var SomeUsers = map[string]bigmkl.UserKernel{"g": CodedGauss(0.3), "dot": CodedProduct}

// Verified holds a model with kernels of the user to what it claims.
func Verified(t *testing.T, m *bigmkl.Model, rows []dataset.Row, users map[string]bigmkl.UserKernel) {
	t.Helper()
	r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{UserKernels: users})
	if err != nil || len(r.Faults) > 0 {
		t.Errorf("verify: %v, %+v", err, r)
	}
}
