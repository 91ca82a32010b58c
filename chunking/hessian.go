package chunking

import "context"

// hessian is the matrix H of a subproblem of q coordinates. A row is computed when it is first asked for, if
// the gradient can do so: pairs look at the rows of the coordinates that move, which are a tenth of all where
// working sets hold every point.
type hessian struct {
	at    []float64 // q x q, row-major
	q     int
	known []bool                     // the rows that are in at; nil: all are
	fill  func(k int, row []float64) // computes a row, except for its entry on the diagonal
}

// denseHessian returns the matrix with these entries.
func denseHessian(at []float64, q int) *hessian { return &hessian{at: at[:q*q], q: q} }

// row returns a row.
func (h *hessian) row(k int) []float64 {
	row := h.at[k*h.q : (k+1)*h.q]
	if h.known != nil && !h.known[k] {
		h.known[k] = true
		own := row[k]
		h.fill(k, row)
		row[k] = own
	}
	return row
}

// diagonal returns an entry on the diagonal, which needs no row.
func (h *hessian) diagonal(k int) float64 { return h.at[k*h.q+k] }

// bend adds to an entry on the diagonal.
func (h *hessian) bend(k int, by float64) float64 {
	h.at[k*h.q+k] += by
	return h.at[k*h.q+k]
}

// rowGradient is a Gradient that can compute the quadratic model row by row.
type rowGradient interface {
	// HessianRows prepares what Hessian puts in h, and puts its diagonal in diagonal. The function that it
	// returns puts row k in row, to the bit, until another method is called. It is nil if all rows together
	// take less time.
	HessianRows(ctx context.Context, set []int, theta, rank, diagonal []float64) (func(k int, row []float64), error)
}
