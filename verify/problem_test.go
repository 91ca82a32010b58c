package verify

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// rows is a source in memory.
type rows struct {
	list []dataset.Row
	next int
}

func (r *rows) Next() (dataset.Row, error) {
	if r.next == len(r.list) {
		return dataset.Row{}, io.EOF
	}
	r.next++
	return r.list[r.next-1], nil
}

// source makes rows of dense points.
func source(labels []string, points ...[]float64) *rows {
	r := &rows{}
	for i, p := range points {
		row := dataset.Row{Label: labels[i], Weight: 1}
		for j, v := range p {
			if v != 0 {
				row.Index, row.Value = append(row.Index, int32(j)), append(row.Value, v)
			}
		}
		r.list = append(r.list, row)
	}
	return r
}

// bare is a model without kernels.
func bare(points, features int) *model.Model {
	return &model.Model{
		Task: "class", Norm: 2, C: 1, Gap: 1e-3, Precision: "auto", Double: true, Positive: "1", Negative: "-1", PositiveWeight: 1, NegativeWeight: 1,
		Points: points, SupportVectors: model.SupportVectors{Features: features}, Scaling: dataset.Scaling{Kind: "none"}, Normalization: model.Normalization{Kind: "none"},
		Certificate: model.Certificate{Kind: "gap"},
	}
}

// naive recomputes everything with plain loops over full kernel matrices.
func naive(m *model.Model, x [][]float64, y, c []float64, kernels []func(a, b []float64) float64) (primal, dual float64) {
	alpha := make([]float64, len(x))
	for s, i := range m.Support {
		alpha[i] = m.Alpha[s]
	}
	f := make([]float64, len(x))
	v := make([]float64, len(kernels))
	for k, kernel := range kernels {
		for i := range x {
			g := 0.0
			for j := range x {
				q := kernel(x[j], x[i])
				normalizer := m.Normalization.Kind
				if _, own, ok := strings.Cut(m.Kernels[k], " norm="); ok {
					normalizer = own
				}
				switch normalizer {
				case "spherical":
					if d := kernel(x[i], x[i]) * kernel(x[j], x[j]); d > 0 {
						q /= math.Sqrt(d)
					} else {
						q = 0
					}
				case "multiplicative":
					q *= m.Normalization.Scale[k]
				}
				g += alpha[j] * q
			}
			f[i] += m.Theta[k] * g
			v[k] += alpha[i] * g
		}
	}
	power := func(p float64, value func(k int) float64) float64 {
		sum, largest := 0.0, 0.0
		for k := range v {
			sum += math.Pow(value(k), p)
			largest = max(largest, value(k))
		}
		if math.IsInf(p, 1) {
			return largest
		}
		return math.Pow(sum, 1/p)
	}
	w := power(m.Norm, func(k int) float64 { return m.Theta[k] * math.Sqrt(max(0, v[k])) })
	conj := 1 / (1 - 1/m.Norm)
	bank, err := m.Bank()
	if err != nil {
		panic(err)
	}
	d := power(conj, func(k int) float64 {
		if kind := bank.Kernels[k].Kind; m.Theta[k] == 0 && (kind == kernelspec.Sigmoid || kind == kernelspec.Precomputed || bank.Kernels[k].Coef < 0) {
			return 0 // left out
		}
		return math.Sqrt(max(0, v[k]))
	})
	primal, dual = w*w/2, -d*d/2
	for i := range x {
		primal += c[i] * max(0, 1-y[i]*(f[i]+m.Bias))
		dual += math.Abs(alpha[i])
	}
	return primal, dual
}

var (
	dot = func(a, b []float64) float64 { return fold(a, b, func(x, z float64) float64 { return x * z }) }
	d2  = func(a, b []float64) float64 {
		return fold(a, b, func(x, z float64) float64 { return (x - z) * (x - z) })
	}
	d1   = func(a, b []float64) float64 { return fold(a, b, func(x, z float64) float64 { return math.Abs(x - z) }) }
	low  = func(a, b []float64) float64 { return fold(a, b, math.Min) }
	chi2 = func(a, b []float64) float64 {
		return fold(a, b, func(x, z float64) float64 {
			if x+z == 0 {
				return 0
			}
			return (x - z) * (x - z) / (x + z)
		})
	}
)

func fold(a, b []float64, f func(x, z float64) float64) float64 {
	sum := 0.0
	for j := range a {
		sum += f(a[j], b[j])
	}
	return sum
}

func part(lo, hi int, k func(a, b []float64) float64) func(a, b []float64) float64 {
	return func(a, b []float64) float64 { return k(a[lo:hi], b[lo:hi]) }
}

// every kernel with its plain formula.
var specs = []string{"gauss:0.05", "gauss:2", "gauss:1@1-20", "gauss:900@1-20", "gauss:0.5@3+5", "matern:1.5:0.2", "matern:2.5:0.7@1-20", "laplace:0.1", "linear", "poly:3@1-9", "poly:2:0.5:-0.25",
	"sigmoid:0.1:0.2", "chi2:0.2", "intersection", "linear@2-3", "prod(gauss:0.3@1-3,poly:2,intersection)", "pow(linear@2-4,3)"}

var plain = []func(a, b []float64) float64{
	func(a, b []float64) float64 { return math.Exp(-0.05 * d2(a, b)) },
	func(a, b []float64) float64 { return math.Exp(-2 * d2(a, b)) },
	part(0, 20, func(a, b []float64) float64 { return math.Exp(-d2(a, b)) }),
	part(0, 20, func(a, b []float64) float64 { return math.Exp(-900 * d2(a, b)) }),
	func(a, b []float64) float64 {
		return math.Exp(-0.5 * d2([]float64{a[2], a[4]}, []float64{b[2], b[4]}))
	},
	func(a, b []float64) float64 {
		s := math.Sqrt(3 * 0.2 * d2(a, b))
		return (1 + s) * math.Exp(-s)
	},
	part(0, 20, func(a, b []float64) float64 {
		s := math.Sqrt(5 * 0.7 * d2(a, b))
		return (1 + s + s*s/3) * math.Exp(-s)
	}),
	func(a, b []float64) float64 { return math.Exp(-0.1 * d1(a, b)) },
	dot,
	part(0, 9, func(a, b []float64) float64 { return math.Pow(dot(a, b)+1, 3) }),
	func(a, b []float64) float64 { return math.Pow(0.5*dot(a, b)-0.25, 2) },
	func(a, b []float64) float64 { return math.Tanh(0.1*dot(a, b) + 0.2) },
	func(a, b []float64) float64 { return math.Exp(-0.2 * chi2(a, b)) },
	low,
	part(1, 3, dot),
	func(a, b []float64) float64 {
		return math.Exp(-0.3*d2(a[:3], b[:3])) * math.Pow(dot(a, b)+1, 2) * low(a, b)
	},
	part(1, 4, func(a, b []float64) float64 { return math.Pow(dot(a, b), 3) }),
}

// random makes a problem of n points with d features and a feasible, far from optimal model over all kinds of kernels.
func random(n, d int, norm float64, normalize string) (*model.Model, *rows, [][]float64, []float64, []float64) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	m := bare(n, d)
	m.Norm, m.C, m.PositiveWeight, m.NegativeWeight, m.RowWeights, m.Bias = norm, 2, 1.5, 0.5, true, 0.3
	m.Kernels, m.Normalization.Kind = slices.Clone(specs), normalize
	if normalize == "each its own" {
		m.Normalization.Kind = "spherical"
		for k := range m.Kernels {
			m.Kernels[k] += []string{"", " norm=multiplicative", " norm=none"}[k%3]
		}
	}
	var labels []string
	var x [][]float64
	var y, c []float64
	for i := range n {
		p := make([]float64, d)
		for j := range p {
			if rnd.IntN(3) > 0 {
				p[j] = float64(float32(rnd.Float64()))
			}
		}
		if i%7 == 3 {
			copy(p, x[i-1]) // duplicates
		}
		x = append(x, p)
		sign, weight := float64(1-2*(i%2)), 1+float64(i%3)
		labels = append(labels, fmt.Sprint(sign))
		y = append(y, sign)
		c = append(c, weight*2*(1+0.5*sign))
	}
	src := source(labels, x...)
	sum := 0.0
	for i := range n {
		src.list[i].Weight = 1 + float64(i%3)
		if i%4 == 1 && i < n-2 {
			continue
		}
		a := y[i] * c[i] * rnd.Float64()
		if i >= n-2 { // the last two balance the sum
			continue
		}
		sum += a
		m.Support, m.Alpha = append(m.Support, int32(i)), append(m.Alpha, a)
	}
	balance := n - 2
	if sum > 0 {
		balance = n - 1
	}
	m.Support, m.Alpha = append(m.Support, int32(balance)), append(m.Alpha, -sum)
	src.list[balance].Weight = 1000
	c[balance] *= 1000 / (1 + float64(balance%3))
	for _, i := range m.Support {
		for _, v := range x[i] {
			m.Vectors = append(m.Vectors, float32(v))
		}
	}
	for k := range specs {
		theta := rnd.Float64()
		if k%5 == 4 {
			theta = 0
		}
		m.Theta, m.WNorms = append(m.Theta, theta), append(m.WNorms, 0)
		switch {
		case normalize == "each its own" && k%3 != 1:
			m.Normalization.Scale = append(m.Normalization.Scale, 1)
		case normalize == "each its own" || normalize == "multiplicative":
			own, all := 0.0, 0.0
			for i := range x {
				own += plain[k](x[i], x[i])
				for j := range x {
					all += plain[k](x[i], x[j])
				}
			}
			m.Normalization.Scale = append(m.Normalization.Scale, float64(n)/(own-all/float64(n)))
		}
	}
	unitNorm(m)
	return m, src, x, y, c
}

// unitNorm scales theta to sum theta^(p/(2-p)) = 1.
func unitNorm(m *model.Model) {
	q, s := m.Norm/(2-m.Norm), 0.0
	if math.IsInf(m.Norm, 1) {
		q = -1
	}
	for k, v := range m.Theta {
		switch {
		case v > 0 && m.Norm == 2:
			m.Theta[k] = 1
		case v > 0:
			s += math.Pow(v, q)
		}
	}
	for k := range m.Theta {
		if m.Norm != 2 {
			m.Theta[k] /= math.Pow(s, 1/q)
		}
	}
}

// honest lets the model claim what it is.
func honest(t testing.TB, m *model.Model, src *rows, gram ...string) {
	t.Helper()
	p, err := newProblem(m, &Options{Gram: gram})
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	e, err := p.recompute(context.Background(), &rows{list: src.list}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Fingerprint = e.fingerprint
	one := e.findings[0]
	m.Certificate = model.Certificate{Kind: "gap", Primal: one.primal, Dual: one.dual, RelativeGap: math.Abs(one.gap)}
	if !one.definite {
		m.Certificate.Kind = "stationary"
	}
	for k, w := range one.wNorms {
		m.WNorms[k] = (w.low + w.high) / 2
	}
}
