package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// apartFrom is the number of points of a working set from which the quadratic model takes kernels of objects without their bases. The bases of
// smaller sets are kept for the search, and take less time.
const apartFrom = 1024

// objectWork is what a pass and its quadratic model do with kernels of objects.
type objectWork[T simd.Real] struct{ *pass[T] }

// sumsObjects reports whether a pass takes the sums of a kernel of objects by its objects. Several columns of dual variables and
// looks take kernel values.
func (ps objectWork[T]) sumsObjects(g *kernels.Group, u *update) bool {
	return u.columns <= 1 && u.look == nil && kernels.SumsObjects(ps.fields.points.Len(), len(u.set.index), g)
}

// sumObjects computes the sums of the kernels of objects over the working set, and enters them in the plans.
func (ps objectWork[T]) sumObjects(ctx context.Context, u *update, plans []plan[T]) error {
	var groups []int
	for k := range plans {
		if g := &ps.bank.Groups[k]; !u.skips(k) && ps.sumsObjects(g, u) {
			groups = append(groups, k)
		}
	}
	if groups == nil {
		return nil
	}
	err := ps.memory().Sum(ps.fields.points.Len(), u.set.points, u.set.delta, groups, ps.share(ctx))
	for _, k := range groups {
		plans[k].sum = ps.sums.Of(k)
	}
	return err
}

// memory returns the sums of kernels of objects, whose memory is taken when they are needed first.
func (ps objectWork[T]) memory() *kernels.ObjectSums[T] {
	if ps.sums == nil {
		ps.sums = kernels.NewObjectSums[T](ps.bank, len(ps.workers))
	}
	return ps.sums
}

// share returns what shares items of work out to the workers. Items write to places of their own, so threads change nothing.
func (ps objectWork[T]) share(ctx context.Context) func(items int, do func(worker, item int)) error {
	return func(items int, do func(worker, item int)) error {
		return each(ctx, len(ps.workers), items, func(w, item int) error {
			do(w, item)
			return nil
		})
	}
}

// apart returns the groups that the quadratic model of a set takes without their bases, and which kernels these have, in storage order.
func (ps objectWork[T]) apart(s *workingSet) (groups []int, is []bool) {
	is = make([]bool, ps.bank.Len())
	if len(s.index) < apartFrom {
		return nil, is
	}
	for k := range ps.bank.Groups {
		if g := &ps.bank.Groups[k]; kernels.ModelsObjects(ps.bank.Groups, k) && kernels.SumsObjects(ps.fields.points.Len(), len(s.index), g) {
			is[g.First], groups = true, append(groups, k)
		}
	}
	return groups, is
}

// sumModel sums the tables of the kernels of objects with a weight that are taken apart, if there are any.
func (ps objectWork[T]) sumModel(ctx context.Context, s *workingSet, work *mixing[T]) error {
	var groups []int
	var weights []float64
	groups, work.apart = ps.apart(s)
	groups = slices.DeleteFunc(groups, func(k int) bool { return !anyWeight(work.of(&ps.bank.Groups[k])) })
	for _, k := range groups {
		weights = append(weights, work.of(&ps.bank.Groups[k])[0])
	}
	if groups == nil {
		return nil
	}
	work.model = &ps.model
	return ps.model.Sum(s.points, ps.bank.Groups, groups, weights, len(ps.workers), ps.share(ctx))
}

// curveObjects sets c_m = d'K_m[B,B]d of kernels of objects, in storage order: the sums over the set are taken at its points.
func (ps objectWork[T]) curveObjects(ctx context.Context, s *workingSet, groups []int, d, c []float64) error {
	err := ps.memory().Sum(len(s.index), s.points, d, groups, ps.share(ctx))
	if err != nil {
		return err
	}
	panels := make([]kernels.Panel, s.panels())
	for j := range panels {
		panels[j] = s.points.Panel(j*simd.Width, &kernels.PanelBuffer{})
	}
	return each(ctx, len(ps.workers), len(groups), func(_, item int) error {
		k := groups[item]
		g, f := &ps.bank.Groups[k], ps.sums.Of(k)
		total := 0.0
		for j := range panels {
			var values [simd.Width]float64
			f.At(&values, &panels[j])
			for r, x := range d[j*simd.Width : min((j+1)*simd.Width, len(d))] {
				total += x * values[r]
			}
		}
		c[g.First] = total * ps.factor[g.First]
		return nil
	})
}

// squareObjects computes the values of the objects of a working set with each other, in which the evaluators look up from here on.
func squareObjects[T simd.Real](ctx context.Context, ps *pass[T], s *workingSet, wanted func(g *kernels.Group) bool) error {
	lookUpIn(&ps.square, ps.workers)
	return ps.square.Fill(s.points, ps.bank.Groups, wanted, objectWork[T]{ps}.share(ctx))
}

// lookUpIn sets where the evaluators of all workers look up values of objects.
func lookUpIn[T simd.Real](s *kernels.ObjectSquare[T], workers []worker[T]) {
	for i := range workers {
		workers[i].eval.Square = s
	}
}
