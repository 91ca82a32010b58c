// Package gradienttest helps to test gradients, the way a solver sees data and kernels: Dense is
// one by the definitions, for small kernel matrices, and Run checks that another behaves as it
// should.
package gradienttest

import (
	"context"

	"bigmkl/chunking"
)

// Dense is a gradient made of kernel matrices, each method by its definition. It is for tests and
// examples: every pass takes n numbers for each point of the working set and each kernel.
type Dense struct {
	N      int
	K      [][]float64 // of each kernel: N x N, row-major and symmetric
	G      [][]float64 // of each kernel: g_m = K_m alpha
	Sets   []int       // the sizes of the working sets of the passes so far
	Double bool        // what the last Rebuild asked for

	step [][]float64 // K_m d of the last direction
}

var (
	_ chunking.Far    = (*Dense)(nil)
	_ chunking.Mixer  = (*Dense)(nil)
	_ chunking.Scaler = (*Dense)(nil)
)

// NewDense returns the gradient of n points at alpha = 0.
func NewDense(n int, kernels [][]float64) *Dense {
	d := &Dense{N: n, K: kernels}
	for range kernels {
		d.G = append(d.G, make([]float64, n))
	}
	return d
}

// Hessian implements chunking.Gradient.
func (d *Dense) Hessian(_ context.Context, set []int, theta, rank, h []float64) error {
	clear(h)
	q := len(set)
	for m, k := range d.K {
		for a, i := range set {
			for b, j := range set {
				h[a*q+b] += float64(theta[m] * k[i*d.N+j])
				if rank != nil {
					h[a*q+b] += float64(rank[m] * d.G[m][i] * d.G[m][j])
				}
			}
		}
	}
	return nil
}

// Directions implements chunking.Gradient.
func (d *Dense) Directions(_ context.Context, set []int, dir, b, c []float64) error {
	for m, k := range d.K {
		b[m], c[m] = 0, 0
		for a, i := range set {
			b[m] += float64(dir[a] * d.G[m][i])
			for e, j := range set {
				c[m] += float64(dir[a] * k[i*d.N+j] * dir[e])
			}
		}
	}
	return nil
}

// Pass implements chunking.Gradient.
func (d *Dense) Pass(_ context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	d.Sets = append(d.Sets, len(set))
	clear(combined)
	for m, k := range d.K {
		for a, i := range set {
			for j := range d.G[m] {
				d.G[m][j] += float64(delta[a] * k[i*d.N+j])
			}
		}
		for j, x := range d.G[m] {
			combined[j] += float64(theta[m] * x)
		}
		v[m] = product(alpha, d.G[m])
	}
	return nil
}

// Rebuild implements chunking.Gradient.
func (d *Dense) Rebuild(_ context.Context, alpha []float64, double bool) error {
	d.Double = double
	for m, k := range d.K {
		for i := range d.N {
			d.G[m][i] = product(k[i*d.N:(i+1)*d.N], alpha)
		}
	}
	return nil
}

// Scale implements chunking.Scaler.
func (d *Dense) Scale(c float64) {
	for _, g := range d.G {
		for i := range g {
			g[i] *= c
		}
	}
}

// Mix implements chunking.Mixer.
func (d *Dense) Mix(_ context.Context, set []int, row []int32, factor, mixed []float64) error {
	clear(mixed)
	for m, r := range row {
		if r < 0 {
			continue
		}
		for a, i := range set {
			mixed[int(r)*len(set)+a] += float64(factor[m] * d.G[m][i])
		}
	}
	return nil
}

// Along implements chunking.Far.
func (d *Dense) Along(_ context.Context, dir, theta, b, c, image []float64) error {
	d.step = nil
	clear(image)
	for m, k := range d.K {
		row := make([]float64, d.N)
		for i := range row {
			row[i] = product(k[i*d.N:(i+1)*d.N], dir)
		}
		d.step = append(d.step, row)
		b[m], c[m] = product(dir, d.G[m]), product(dir, row)
		for i := range image {
			image[i] += float64(theta[m] * row[i])
		}
	}
	return nil
}

// Advance implements chunking.Far.
func (d *Dense) Advance(ctx context.Context, t float64, alpha, theta, combined, v []float64) error {
	for m, row := range d.step {
		for i, x := range row {
			d.G[m][i] += float64(t * x)
		}
	}
	return d.Pass(ctx, nil, nil, alpha, theta, combined, v)
}

// product is a'b, without fused multiply-add, so results are the same on every classifier.
func product(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}
