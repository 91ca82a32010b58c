package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// sumsObjects reports whether a pass takes the sums of a kernel of objects by its objects. Several columns of dual variables and
// looks take kernel values.
func (ps *pass[T]) sumsObjects(g *kernels.Group, u *update) bool {
	return u.columns <= 1 && u.look == nil && kernels.SumsObjects(ps.fields.points.Len(), len(u.set.index), g)
}

// sumObjects computes the sums of the kernels of objects over the working set, and enters them in the plans. Items write to
// places of their own, so threads change nothing.
func (ps *pass[T]) sumObjects(ctx context.Context, u *update, plans []plan[T]) error {
	var groups []int
	for k := range plans {
		if g := &ps.bank.Groups[k]; !u.skips(k) && ps.sumsObjects(g, u) {
			groups = append(groups, k)
		}
	}
	if groups == nil {
		return nil
	}
	if ps.sums == nil {
		ps.sums = kernels.NewObjectSums[T](ps.bank, len(ps.workers))
	}
	ps.sums.Begin(ps.fields.points.Len(), u.set.points, u.set.delta, groups)
	for stage := range 2 {
		err := each(ctx, len(ps.workers), ps.sums.Items(stage), func(w, item int) error {
			ps.sums.Do(stage, item, w)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, k := range groups {
		plans[k].sum = ps.sums.Of(k)
	}
	return nil
}

// squareObjects computes the values of the objects of a working set with each other, in which the evaluators look up from here on.
func squareObjects[T simd.Real](ctx context.Context, ps *pass[T], s *workingSet, wanted func(g *kernels.Group) bool) error {
	lookUpIn(&ps.square, ps.workers)
	return each(ctx, len(ps.workers), ps.square.Begin(s.points, ps.bank.Groups, wanted), func(_, item int) error {
		ps.square.Do(item)
		return nil
	})
}

// lookUpIn sets where the evaluators of all workers look up values of objects.
func lookUpIn[T simd.Real](s *kernels.ObjectSquare[T], workers []worker[T]) {
	for i := range workers {
		workers[i].eval.Square = s
	}
}
