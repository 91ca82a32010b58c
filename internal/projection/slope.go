package projection

import (
	"context"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// tile is the number of support vectors whose part of the slope is summed at once.
const tile = 64

// Slope returns dJ/dW of J = max over alpha of D(alpha, W), with alpha held (Gönen 2010, section
// 4.1): of D only -1/2 sum alpha_i alpha_j theta k(z_i, z_j) depends on W. x has a row of d features
// of each support vector, z its width projected ones, and alpha its signed dual variable.
//
// It needs no matrix of all pairs: a tile of Omega is made, times Z gives T, and then X'T is added
// (Omega_ij = alpha_i alpha_j k for Gaussians, and with the derivative of the power for polynomials).
// Sums come in the order of the support vectors.
func (f *Form) Slope(ctx context.Context, d int, x, z, alpha []float64, theta float64) ([]float64,
	error) {
	width := f.Width(d)
	n, k := len(alpha), &f.Kernel
	g := make([]float64, f.size(d))
	t, omega := make([]float64, width), make([]float64, n)
	for i := range n {
		if i%tile == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		zi := z[i*width : (i+1)*width]
		f.omega(omega, zi, z, alpha)
		clear(t)
		total := 0.0
		for j, w := range omega {
			w *= alpha[i]
			total += w
			for l := range t {
				t[l] += float64(w * z[j*width+l])
			}
		}
		// Row i of T is row i of (diag(Omega 1) - Omega) Z for Gaussians, and of -Omega Z for
		// others.
		for l := range t {
			if k.Kind == kernelspec.Gauss {
				t[l] = 2 * theta * k.Gamma * float64(float64(total*zi[l])-t[l])
			} else {
				t[l] *= -theta
			}
		}
		xi := x[i*d : (i+1)*d]
		for j, v := range xi {
			switch {
			case v == 0:
			case f.Columns == 0:
				g[j] += float64(v * t[j])
			default:
				for l := range t {
					g[j*width+l] += float64(v * t[l])
				}
			}
		}
	}
	return g, nil
}

// omega writes alpha_j times the kernel of z_i and z_j to dst, or times its derivative by <z_i, z_j>.
func (f *Form) omega(dst, zi, z, alpha []float64) {
	k, width := &f.Kernel, len(zi)
	for j := range dst {
		sum := 0.0
		for l, a := range zi {
			b := z[j*width+l]
			if k.Kind == kernelspec.Gauss {
				sum += float64((a - b) * (a - b))
			} else {
				sum += float64(a * b)
			}
		}
		dst[j] = sum
	}
	switch k.Kind {
	case kernelspec.Gauss:
		simd.Exp(dst, dst, -k.Gamma)
	case kernelspec.Poly:
		for j, s := range dst {
			base, power := float64(k.Gamma*s)+k.Coef, float64(k.Degree)*k.Gamma
			for range k.Degree - 1 {
				power *= base
			}
			dst[j] = power
		}
	default:
		for j := range dst {
			dst[j] = 1
		}
	}
	for j, a := range alpha {
		dst[j] *= a
	}
}
