package gradient

import "context"

// A kernel of which k - 1 is summed (kernels.Bank.FindWide) is no longer positive semi-definite:
// only d'Kd with sum d = 0 is what it was. Its own constant would bring that back and drown the
// digits that k - 1 has. But no step of a working set sees more of a quadratic model H than
//
//	(1 - 1 1'/q) H (1 - 1 1'/q),
//
// which is positive semi-definite, because the parts that this leaves out move all entries of Hd
// alike.

// Hessian is that of all kernels. If one that is wide has a weight the model is centred, which no
// step that sums to 0 sees.
func (gr *Gradient) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if err := gr.fullHessian(ctx, set, theta, rank, h); err != nil {
		return err
	}
	for m, c := range gr.constants {
		if c != 0 && theta[m] != 0 {
			centreModel(h, len(set))
			break
		}
	}
	return nil
}

// centreModel replaces h, q x q and row-major, by that, and adds the mean of the diagonal to all
// entries: the model is positive definite then, and its factor has the size of its entries.
func centreModel(h []float64, q int) {
	rows, all := make([]float64, q), 0.0
	for i := range rows {
		for _, x := range h[i*q : (i+1)*q] {
			rows[i] += x / float64(q)
		}
		all += rows[i] / float64(q)
	}
	trace := 0.0
	for i, r := range rows {
		trace += h[i*q+i] - 2*r + all
	}
	lift := all + trace/float64(q)
	for i, r := range rows {
		for j := range i + 1 {
			// One of the two halves is computed, so that both have the same bits.
			h[i*q+j] += lift - r - rows[j]
			h[j*q+i] = h[i*q+j]
		}
	}
}
