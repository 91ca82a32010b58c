package gradient

import (
	"context"

	"bigmkl/kernels"
)

// sumsObjects reports whether a pass takes the sums of a kernel of objects by its objects. Several columns of dual variables and
// looks take kernel values.
func (ps *pass[T]) sumsObjects(g *kernels.Group, u *update) bool {
	return u.columns <= 1 && u.look == nil && kernels.SumsObjects(ps.fields.points.Len(), len(u.set.index), g)
}

// sumObjects computes the sums of the kernels of objects over the working set, and enters them in the plans. A group is one
// item, so threads change nothing.
func (ps *pass[T]) sumObjects(ctx context.Context, u *update, plans []plan[T]) error {
	if plans == nil {
		return nil
	}
	if ps.sums == nil {
		ps.sums = make([]kernels.ObjectSum, len(ps.bank.Groups))
	}
	return each(ctx, len(ps.workers), len(plans), func(_, k int) error {
		g := &ps.bank.Groups[k]
		if !u.skips(k) && ps.sumsObjects(g, u) {
			ps.sums[k].Make(g, ps.fields.points.Len(), u.set.points, u.set.delta)
			plans[k].sum = &ps.sums[k]
		}
		return nil
	})
}
