package gradient

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// bank is a bank of kernels with its matrices in float64, by the definitions.
type bank struct {
	name string
	*kernels.Bank
	list   *kernelspec.Bank
	points *table
	// The matrices of the kernels, n x n and normalised, and the largest entry of each. They are made
	// when they are first asked for, as they take longer than most of what is compared with them.
	k    func() [][]float64
	size func() []float64
}

// newBank makes the kernel matrices of list on the points; matrices has the matrices of its files.
func newBank(t testing.TB, name string, p *table, list *kernelspec.Bank, sphere bool, scale []float64, matrices ...[][]float64) *bank {
	t.Helper()
	return newGatedBank(t, name, p, list, sphere, scale, nil, matrices...)
}

// etas is gates by kernel and point. The values may be changed while no method of a gradient runs.
type etas [][]float64

func (e etas) Gate(kernel int32, points []int32, eta []float64) {
	for k, i := range points {
		eta[k] = e[kernel][i]
	}
}

// newEtas draws gates of either sign that differ by kernel and point. Three in ten are exactly 0; every fifth kernel is closed
// everywhere, and every fifth is 1 everywhere.
func newEtas(rng *rand.Rand, kernels, n int) etas {
	e := make(etas, kernels)
	for m := range e {
		e[m] = make([]float64, n)
		for i := range e[m] {
			switch {
			case m%5 == 3 || rng.IntN(10) < 3:
			case m%5 == 1:
				e[m][i] = 1
			default:
				e[m][i] = (rng.Float64()*2 - 0.5) * []float64{1, 30, 0.01}[m%3]
			}
		}
		if m%5 == 1 {
			for i := range e[m] {
				e[m][i] = 1
			}
		}
		for i := range min(n, 2*simd.Width) { // two panels are closed, or open, all along
			if m%5 == 0 {
				e[m][i] = float64(i / simd.Width)
			}
		}
	}
	return e
}

// newGatedBank is newBank for kernels eta_m(x) k_m(x, z) eta_m(z). If eta is nil, there are no gates.
func newGatedBank(t testing.TB, name string, p *table, list *kernelspec.Bank, sphere bool, scale []float64, eta etas, matrices ...[][]float64) *bank {
	t.Helper()
	shift := make([]float32, p.d)
	for j := range shift {
		for _, x := range p.x {
			shift[j] += x[j] / float32(len(p.x))
		}
	}
	s, err := kernels.Survey(context.Background(), p, shift, 1)
	if err != nil {
		t.Fatal(err)
	}
	var files []*npy.Matrix
	for _, m := range matrices {
		files = append(files, kernelstest.MatrixFile(t, m, true))
	}
	b := &bank{name: name, list: list, points: p}
	normalizer := kernelspec.Multiplicative
	if sphere {
		normalizer = kernelspec.Spherical
	}
	if b.Bank, err = kernels.NewBank(context.Background(), list, s, normalizer, files, nil); err != nil {
		t.Fatal(err)
	}
	b.Scale = scale
	if eta != nil {
		b.Bank = b.Bank.Gated(eta, eta)
	}
	b.k = sync.OnceValue(func() (list [][]float64) {
		for id := range b.list.Kernels {
			list = append(list, b.define(id, normalizer, shift, eta, matrices))
		}
		return list
	})
	b.size = sync.OnceValue(func() (list []float64) {
		for _, m := range b.k() {
			list = append(list, max(slices.Max(m), -slices.Min(m)))
		}
		return list
	})
	return b
}

// define makes the matrix of a kernel by its definition. The value of (i, j) is also the value of (j, i).
func (b *bank) define(id int, normalizer kernelspec.Normalizer, shift []float32, eta etas, matrices [][][]float64) []float64 {
	k, x := b.list.Kernels[id], b.points.x
	n := len(x)
	sphere := k.Normalizer.Or(normalizer) == kernelspec.Spherical
	centre := shift
	if sphere || eta != nil {
		centre = nil // Such linear kernels are not centred.
	}
	m := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := 0.0
			switch k.Kind {
			case kernelspec.Precomputed:
				v = matrices[k.Index][i][j]
			case kernelspec.Product:
				v = 1
				for _, f := range b.list.Products[k.Index] {
					factor, _ := kernelstest.Value(f.Kernel, b.list.Features(f.Kernel.Set), x[i], x[j], nil)
					v *= math.Pow(factor, float64(f.Power))
				}
			default:
				v, _ = kernelstest.Value(k, b.list.Features(k.Set), x[i], x[j], centre)
			}
			m[i*n+j] = v * b.Factor(id)
		}
	}
	for i := range n {
		for j := range i {
			if norms := m[i*n+i] * m[j*n+j]; sphere {
				m[i*n+j] /= math.Sqrt(norms)
				if norms <= 0 { // a point without norm
					m[i*n+j] = 0
				}
			}
		}
	}
	for i := range n {
		if sphere && m[i*n+i] > 0 {
			m[i*n+i] = 1
		}
		for j := range i + 1 {
			if eta != nil {
				m[i*n+j] *= eta[id][i] * eta[id][j]
			}
			m[j*n+i] = m[i*n+j]
		}
	}
	return m
}
