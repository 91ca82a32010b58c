package gradient

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl/dataset/npy"
	"bigmkl/kernels"
	"bigmkl/kernelspec"
)

// banks are all banks on n points that the gradient must agree with the definitions on.
func banks(t testing.TB, rng *rand.Rand, n int) []*bank {
	p := uniform(rng, n, 5)
	list := allKinds([]int32{1, 3, 4}, []int32{0})
	scale := make([]float64, len(list.Kernels))
	for i := range scale {
		scale[i] = math.Pow(4, rng.NormFloat64())
	}
	scale[3] = 0
	wide, holes := uniform(rng, n, 40), uniform(rng, n, 9)
	for _, x := range holes.x {
		for j := range x {
			if rng.IntN(3) > 0 {
				x[j] = 0
			}
		}
	}
	holes = newTable(holes.x)
	holes.sparse = true
	products := &kernelspec.Bank{Kernels: slices.Clone(list.Kernels[:4]), Sets: list.Sets, SetViews: list.SetViews}
	last := list.Kernels[len(list.Kernels)-1]
	for i, k := range list.Kernels[:5] {
		products.Products = append(products.Products, []kernelspec.Factor{{Kernel: k, Power: 1 + i%2}, {Kernel: last, Power: 1}})
		products.Kernels = append(products.Kernels, kernelspec.Kernel{Kind: kernelspec.Product, Set: kernelspec.AllFeatures, Index: int32(i)})
	}
	withFiles, a, b := withMatrices(rng, p)
	var own []float64
	each := &kernelspec.Bank{Sets: list.Sets, SetViews: list.SetViews}
	for i, k := range list.Kernels {
		k.Normalizer = []kernelspec.Normalizer{kernelspec.Unsaid, kernelspec.Spherical, kernelspec.Unnormalized, kernelspec.Spherical, kernelspec.Multiplicative}[i%5]
		each.Kernels = append(each.Kernels, k)
		own = append(own, scale[i])
		if k.Normalizer == kernelspec.Spherical {
			own[i] = 1
		}
	}
	return []*bank{
		newBank(t, "mixed", p, list, false, nil),
		newBank(t, "multiplicative", p, list, false, scale),
		newBank(t, "spherical", p, list, true, nil),
		newBank(t, "each its own normaliser", p, each, false, own),
		newBank(t, "sparse, each its own", holes, each, false, own),
		newBank(t, "products", p, products, false, scale[:len(products.Kernels)]),
		newBank(t, "products, spherical", p, products, true, nil),
		newBank(t, "products, sparse", holes, products, false, nil),
		newBank(t, "one group", p, gaussians(5), false, nil),
		newBank(t, "many groups", wide, single(40), false, nil),
		newBank(t, "sparse", holes, list, false, scale),
		newBank(t, "sparse, spherical", holes, list, true, nil),
		newBank(t, "matrices", p, withFiles, false, []float64{1, 1, 0.5, 2, 3}, a, b),
	}
}

// allKinds is a bank of all kinds on all features and on some.
func allKinds(sets ...[]int32) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for at := -1; at < len(sets); at++ {
		set := int32(at)
		b.Kernels = append(b.Kernels,
			kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 0.3, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Linear, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Laplace, Gamma: 0.5, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 3, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Sigmoid, Gamma: 0.2, Coef: 0.5, Set: set},
			kernelspec.Kernel{Kind: kernelspec.ChiSquare, Gamma: 1, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Intersection, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 0.5, Coef: 1, Degree: 3, Set: set},
		)
	}
	for _, s := range sets {
		b.Sets, b.SetViews = append(b.Sets, s), append(b.SetViews, "")
	}
	return b
}

// gaussians is one group of kernels on all features.
func gaussians(count int) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for i := range count {
		b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: math.Pow(2, float64(i-count/2)), Set: kernelspec.AllFeatures})
	}
	return b
}

// single is two groups for each feature.
func single(d int) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for j := range d {
		b.Sets, b.SetViews = append(b.Sets, []int32{int32(j)}), append(b.SetViews, "")
		b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 1, Set: int32(j)}, kernelspec.Kernel{Kind: kernelspec.Linear, Set: int32(j)})
	}
	return b
}

// withMatrices is two precomputed kernels beside computed ones.
func withMatrices(rng *rand.Rand, p *table) (*kernelspec.Bank, [][]float64, [][]float64) {
	b := gaussians(2)
	b.Files = []string{"a", "b"}
	b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures, Index: 1},
		kernelspec.Kernel{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}, kernelspec.Kernel{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures})
	var m [2][][]float64
	for k := range m {
		m[k] = make([][]float64, len(p.x))
		for i := range m[k] {
			m[k][i] = make([]float64, len(p.x))
			for j := range i + 1 {
				m[k][i][j] = rng.NormFloat64()
				m[k][j][i] = m[k][i][j]
			}
		}
	}
	return b, m[0], m[1]
}

func matrixFile(t testing.TB, rows [][]float64) *npy.Matrix {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.npy")
	w, err := npy.Create(path, len(rows), len(rows[0]), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.WriteRow64(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// bank is a bank of kernels with its matrices in float64, by the definitions.
type bank struct {
	name string
	*kernels.Bank
	list   *kernelspec.Bank
	points *table
	k      [][]float64 // per kernel, n x n, normalised
	size   []float64   // largest entry of each
}

// newBank makes the kernel matrices of list on the points; matrices are those of its files.
func newBank(t testing.TB, name string, p *table, list *kernelspec.Bank, sphere bool, scale []float64, matrices ...[][]float64) *bank {
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
		files = append(files, matrixFile(t, m))
	}
	b := &bank{name: name, list: list, points: p}
	normalizer := kernelspec.Multiplicative
	if sphere {
		normalizer = kernelspec.Spherical
	}
	if b.Bank, err = kernels.NewBank(list, s, normalizer, files, nil); err != nil {
		t.Fatal(err)
	}
	b.Scale = scale
	if len(p.x) > 300 {
		return b // for comparisons of bits only
	}
	n := len(p.x)
	for id, k := range list.Kernels {
		sphere := k.Normalizer.Or(normalizer) == kernelspec.Spherical
		m := make([]float64, n*n)
		largest := 0.0
		for i := range n {
			for j := range n {
				v := 0.0
				switch k.Kind {
				case kernelspec.Precomputed:
					v = matrices[k.Index][i][j]
				case kernelspec.Product:
					v = 1
					for _, f := range list.Products[k.Index] {
						v *= math.Pow(value(f.Kernel, list.Features(f.Kernel.Set), p.x[i], p.x[j], make([]float32, p.d)), float64(f.Power))
					}
				default:
					v = value(k, list.Features(k.Set), p.x[i], p.x[j], centre(shift, sphere))
				}
				m[i*n+j] = v * b.Factor(id)
			}
		}
		for i := range n {
			for j := range n {
				if norms := m[i*n+i] * m[j*n+j]; sphere && i != j {
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
			for j := range n {
				largest = max(largest, math.Abs(m[i*n+j]))
			}
		}
		b.k = append(b.k, m)
		b.size = append(b.size, largest)
	}
	return b
}

func centre(shift []float32, spherical bool) []float32 {
	if spherical {
		return make([]float32, len(shift))
	}
	return shift
}

// value is a kernel by its definition; linear kernels are centred by shift.
func value(k kernelspec.Kernel, set []int32, x, z, shift []float32) float64 {
	base := 0.0
	visit := func(j int) {
		a, b := float64(x[j]), float64(z[j])
		switch k.Kind {
		case kernelspec.Gauss:
			base += (a - b) * (a - b)
		case kernelspec.Laplace:
			base += math.Abs(a - b)
		case kernelspec.ChiSquare:
			if a+b != 0 {
				base += (a - b) * (a - b) / (a + b)
			}
		case kernelspec.Intersection:
			base += min(a, b)
		case kernelspec.Linear:
			base += (a - float64(shift[j])) * (b - float64(shift[j]))
		default:
			base += a * b
		}
	}
	if set == nil {
		for j := range x {
			visit(j)
		}
	}
	for _, j := range set {
		visit(int(j))
	}
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return math.Exp(-k.Gamma * base)
	case kernelspec.Poly:
		return math.Pow(k.Gamma*base+k.Coef, float64(k.Degree))
	case kernelspec.Sigmoid:
		return math.Tanh(k.Gamma*base + k.Coef)
	}
	return base
}
