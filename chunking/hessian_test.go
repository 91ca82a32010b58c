package chunking_test

import (
	"context"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
)

// byRow is a gradient that computes the quadratic model row by row, and counts the rows.
type byRow struct {
	*gradienttest.Dense
	asked, all int
}

func (g *byRow) HessianRows(ctx context.Context, set []int, theta, rank,
	diagonal []float64) (func(int, []float64), error) {
	q := len(set)
	h := make([]float64, q*q)
	if err := g.Hessian(ctx, set, theta, rank, h); err != nil {
		return nil, err
	}
	for k := range set {
		diagonal[k] = h[k*q+k]
	}
	g.all += q
	return func(k int, row []float64) {
		g.asked++
		copy(row, h[k*q:(k+1)*q])
		row[k] = -1 // the diagonal is another part of the model
	}, nil
}

// TestHessianByRow: a solver that gets the model row by row has the bits of one that gets all of it, for
// losses whose model has a diagonal of its own, and asks for a part of the rows.
func TestHessianByRow(t *testing.T) {
	for _, kernels := range []int{1, 3} {
		y, K := ill(100, kernels)
		for name, l := range map[string]Loss{
			"insensitive": loss.NewInsensitive(y, 1, nil, 0.05), "squared": loss.NewLeastSquares(y, 1, nil),
			"sided": loss.NewExpectile(y, 1, nil, 0.8),
		} {
			solve := func(g Gradient) *Solver {
				s := New(len(y), kernels, l, norm.NewBlock(4.0/3, nil), g, 1e-4, Tuning{WorkingSet: 40})
				if _, err := NewDriver(s, Limits{}).Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				return s
			}
			rows := &byRow{Dense: gradienttest.NewDense(len(y), K)}
			got, want := solve(rows), solve(gradienttest.NewDense(len(y), K))
			if !slices.Equal(got.Solution().Alpha, want.Solution().Alpha) {
				t.Errorf("%s, %d kernels: another solution", name, kernels)
			}
			if rows.asked == 0 || rows.asked > rows.all {
				t.Errorf("%s, %d kernels: %d of %d rows", name, kernels, rows.asked, rows.all)
			}
		}
	}
}
