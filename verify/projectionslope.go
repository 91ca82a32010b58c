package verify

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/kernelspec"
)

// The slope by a matrix is a sum over pairs of support vectors, and each sum over j of one i is multiplied by
// the features of x_i. Its rounding is bounded term by term. With u the unit roundoff, n support vectors and r
// columns, the sum over j of a Gaussian, of terms w_ij (z_i - z_j) with w_ij = alpha_i alpha_j k(z_i, z_j), is
// off by at most
//
//	u sum_j |w_ij| ((n + 4) (|z_i| + |z_j|) + (gamma |z_i - z_j|^2 (r + 4) + exponential) |z_i - z_j|),
//
// as training takes (sum_j w_ij) z_i and sum_j w_ij z_j apart, and of an exponential the rounding of its exponent
// is the relative error. A polynomial of degree q is off by q (r + 4) + n roundings of its terms where no product
// of coordinates cancels. The sum over i adds n roundings of each term.

const (
	slopeBlock   = 128 // support vectors whose terms one goroutine sums
	slopeThreads = 8   // goroutines at most, each with a slope of its own
)

// exponential is the error of an exponential of double precision, in units of its last digit.
const exponential = 16

// matrixSlope are the slope by each entry of a matrix, and what rounding may add to it once.
type matrixSlope struct {
	sums []neumaier
	off  []float64
}

func newMatrixSlope(n int) *matrixSlope { return &matrixSlope{make([]neumaier, n), make([]float64, n)} }

// add adds the sums of another block.
func (t *matrixSlope) add(o *matrixSlope) {
	for k := range o.sums {
		t.sums[k].addSum(o.sums[k])
		t.off[k] += o.off[k]
	}
}

// result returns the slope and its bounds.
func (t *matrixSlope) result() (slope, off []float64) {
	for k := range t.sums {
		slope = append(slope, t.sums[k].value())
	}
	return slope, t.off
}

// length is the Euclidean norm.
func length(x []float64) float64 {
	var square neumaier
	for _, v := range x {
		square.add(v * v)
	}
	return math.Sqrt(square.value())
}

// slope returns dJ/dW of a block, with its bounds. Blocks of support vectors are summed in parallel and added in
// their order.
func (p *projection) slope(ctx context.Context, block int, classifiers []classifier) (*matrixSlope, error) {
	b := p.blocks[block]
	row, index := make([]float64, p.Width()), make([]int32, p.Features)
	for j := range index {
		index[j] = int32(j)
	}
	projected := make([][]float64, len(p.x))
	for i, x := range p.x {
		p.column(index, x, row)
		projected[i] = append([]float64(nil), row[b.First:][:b.Width]...)
	}
	all := newMatrixSlope(len(b.W))
	for at := range classifiers {
		m := &classifiers[at]
		for first := 0; first < len(m.support); {
			var parts []*matrixSlope
			g, ctx := errgroup.WithContext(ctx)
			for ; first < len(m.support) && len(parts) < min(max(1, p.threads), slopeThreads); first += slopeBlock {
				from, part := first, newMatrixSlope(len(b.W))
				parts = append(parts, part)
				g.Go(func() error {
					for i := from; i < min(from+slopeBlock, len(m.support)); i++ {
						if err := ctx.Err(); err != nil {
							return err
						}
						p.addSlopeOf(part, block, m, i, projected)
					}
					return nil
				})
			}
			if err := g.Wait(); err != nil {
				return nil, err
			}
			for _, part := range parts {
				all.add(part)
			}
		}
	}
	return all, nil
}

// addSlopeOf adds the terms of support vector i of a classifier with all others.
func (p *projection) addSlopeOf(t *matrixSlope, block int, m *classifier, i int, projected [][]float64) {
	b, k := p.blocks[block], &p.kernels[block]
	place, n, width := m.support[i], float64(len(m.support)), float64(b.Width)
	z, ends, off := projected[place], make([]float64, b.Width), make([]float64, b.Width)
	own := m.Alpha[i] * m.Theta[block]
	if p.gates != nil {
		own *= p.gates.support[place][block]
	}
	for j, other := range m.support {
		product, products, square, end := 0.0, 0.0, 0.0, projected[other]
		for l, a := range z {
			product += a * end[l]
			products += math.Abs(a * end[l])
			square += (a - end[l]) * (a - end[l])
		}
		factor := own * m.Alpha[j]
		if p.gates != nil {
			factor *= p.gates.support[other][block]
		}
		switch k.Kind {
		case kernelspec.Gauss:
			factor *= 2 * k.Gamma * math.Exp(-k.Gamma*square)
			relative := k.Gamma*square*(width+4) + exponential
			for l, v := range end {
				ends[l] += factor * (z[l] - v)
				off[l] += math.Abs(factor) * ((n+4)*(math.Abs(z[l])+math.Abs(v)) + relative*math.Abs(z[l]-v))
			}
		case kernelspec.Poly:
			q := float64(k.Degree)
			size := math.Abs(factor*q*k.Gamma) * math.Pow(math.Abs(k.Gamma)*products+math.Abs(k.Coef), q-1)
			factor *= q * k.Gamma * math.Pow(k.Gamma*product+k.Coef, q-1)
			for l, v := range end {
				ends[l] -= factor * v
				off[l] += size * math.Abs(v) * (n + q*(width+4))
			}
		default:
			for l, v := range end {
				ends[l] -= factor * v
				off[l] += math.Abs(factor*v) * (n + 4)
			}
		}
	}
	for j, v := range p.x[place] {
		if v == 0 {
			continue
		}
		for l, e := range ends {
			at := j
			switch {
			case b.Columns > 0:
				at = j*b.Width + l
			case j != l:
				continue
			}
			t.sums[at].add(v * e)
			t.off[at] += inDouble * math.Abs(v) * (off[l] + (n+4)*math.Abs(e))
		}
	}
}
