package chunking

import "context"

// The cost C of a squared loss can be found along with the weights. The identity is one more
// kernel, which needs no rows, and theta_0 = 1/C is its weight (Ye, Ji and Chen 2008, section 4):
// with the weight r_i of the row of point i,
//
//	g_0,i = alpha_i / r_i,   V_0 = sum_i alpha_i^2 / r_i,   f without its part of the identity
//
// The dual value is lin(alpha) - 1/2 ||v||^2 over the identity and all kernels, where lin lacks the
// term of alpha_i^2. What the identity adds to f at a point is the error xi_i that the point is
// allowed, so ||w_0|| is the length of all errors:
//
//	P = 1/2 || (|xi|, ||w_1||, .., ||w_M||) ||^2,   |xi|^2 = sum_i r_i xi_i^2
//
// That holds for any theta and b, as P of a given C does. The identity is the last kernel of the
// solver, behind the kernels of the gradient, and no result counts it among them.

// Joint is a squared loss whose cost is found along with the weights. Its Linear has no quadratic
// term, and Primal and At give 1/2 |xi|^2.
type Joint interface {
	Separable
	// Identity gives entry i of the diagonal of the kernel that represents the loss: one over the
	// weight of the row.
	Identity(i int) float64
}

// identity is a gradient with the kernel of a Joint loss behind those that it has.
type identity struct {
	Gradient
	loss   Joint
	alpha  []float64 // the dual variables of the solver, which the gradients of the kernel follow from
	blocks Blocks
}

// checkedIdentity is an identity whose other kernels can be computed again.
type checkedIdentity struct {
	*identity
	others Checker
}

var (
	_ Gradient = (*identity)(nil)
	_ Mixer    = (*identity)(nil)
	_ Checker  = checkedIdentity{}
)

// withIdentity returns the gradient with the kernel of the loss behind its own. alpha belongs to
// the solver, and may change. Points are never left out of the passes of such a gradient.
func withIdentity(grad Gradient, loss Joint, alpha []float64) Gradient {
	g := &identity{Gradient: grad, loss: loss, alpha: alpha, blocks: blocksOf(grad)}
	if c, ok := grad.(Checker); ok {
		return checkedIdentity{g, c}
	}
	return g
}

// Hessian implements Gradient.
func (g *identity) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	last, q, back := len(theta)-1, len(set), 0.0
	others := rank
	if rank != nil {
		others, back = rank[:last], rank[last]
	}
	if err := g.Gradient.Hessian(ctx, set, theta[:last], others, h); err != nil {
		return err
	}
	for k, i := range set {
		h[k*q+k] += theta[last] * g.loss.Identity(i)
		if back == 0 {
			continue
		}
		// Both halves get the same product of the same two numbers, and stay equal.
		left := back * g.at(i)
		for l := range k + 1 {
			x := left * g.at(set[l])
			h[k*q+l] += x
			if l != k {
				h[l*q+k] += x
			}
		}
	}
	return nil
}

// at is g_0 at point i.
func (g *identity) at(i int) float64 { return g.loss.Identity(i) * g.alpha[i] }

// Directions implements Gradient.
func (g *identity) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	last := len(b) - 1
	if err := g.Gradient.Directions(ctx, set, d, b[:last], c[:last]); err != nil {
		return err
	}
	b[last], c[last] = 0, 0
	for k, i := range set {
		b[last] += d[k] * g.at(i)
		c[last] += d[k] * d[k] * g.loss.Identity(i)
	}
	return nil
}

// Pass implements Gradient. What the identity adds to the combined gradient comes last, so a pass
// that was cut and goes on adds it once.
func (g *identity) Pass(ctx context.Context, set []int,
	delta, alpha, theta, combined, v []float64) error {
	last := len(theta) - 1
	if err := g.Gradient.Pass(ctx, set, delta, alpha, theta[:last], combined, v[:last]); err != nil {
		return err
	}
	v[last] = g.blocks.Sum(len(alpha), func(from, to int) (sum float64) {
		for i := from; i < to; i++ {
			x := g.loss.Identity(i) * alpha[i]
			combined[i] += theta[last] * x
			sum += x * alpha[i]
		}
		return sum
	})
	return nil
}

// Mix implements Mixer, for a gradient that is one itself.
func (g *identity) Mix(ctx context.Context, set []int, row []int32, factor, mixed []float64) error {
	last := len(row) - 1
	if err := g.Gradient.(Mixer).Mix(ctx, set, row[:last], factor[:last], mixed); err != nil {
		return err
	}
	if r := row[last]; r >= 0 {
		into := mixed[int(r)*len(set):]
		for k, i := range set {
			into[k] += factor[last] * g.at(i)
		}
	}
	return nil
}

// Magnified implements magnifier. The values of the identity, which come last, are exact.
func (g checkedIdentity) Magnified() []float64 { return magnified(g.others) }

// Afresh implements Checker.
func (g checkedIdentity) Afresh(ctx context.Context, sample []int, alpha, theta []float64) (
	[]float64, error) {
	last := len(theta) - 1
	f, err := g.others.Afresh(ctx, sample, alpha, theta[:last])
	if err != nil {
		return nil, err
	}
	for k, i := range sample {
		f[k] += theta[last] * (g.loss.Identity(i) * alpha[i])
	}
	return f, nil
}

// Deviations implements Checker. The gradients of the identity follow from alpha and deviate by
// nothing.
func (g checkedIdentity) Deviations(ctx context.Context, sample []int,
	d, alpha, e []float64) error {
	last := len(e) - 1
	e[last] = 0
	return g.others.Deviations(ctx, sample, d, alpha, e[:last])
}
