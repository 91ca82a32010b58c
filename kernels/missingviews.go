package kernels

import (
	"context"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// A kernel of a view that some points lack is (Lewis 2006, section 2.4.4)
//
//	k(x,z)     if both have the view,
//	0          if one has it and one has not,
//	f d        if neither has it,
//
// with d the mean of k(x,x) over the points that have it, and f = 0, [x = z] or 1. It is positive
// semi-definite where k is: in the order of who has the view the matrix has two blocks, of which one
// is K and the other 0, d times the identity, or d times 11'.
//
// The base of such a group is that value before it is normalised: under the spherical normalisation
// both points without the view are divided by the root of d, so f is left. Points have a feature,
// their flag, that shows whether they lack the view, and rows that are one and the same have equal
// flags above 0. Whatever holds points thus holds what there is to know.

// lacking selects the replacement of the values of a kernel at points that lack its view. The
// group is then a product of one factor, which is the kernel where both points have the view.
type lacking struct {
	missing kernelspec.Missing
	flag    int     // feature that is not 0 in points that lack the view; see dataset.WithFlags
	fill    float64 // mean of k(x,x) over the points that have it, not normalised
}

// newWrapped returns the group of a kernel that is centred, or of a view that points may lack, or
// both, without members, and whether the kernel is positive semi-definite.
func newWrapped(b *kernelspec.Bank, k *kernelspec.Kernel, s *Shape, centred bool,
	users map[string]UserKernel) (*Group, bool, error) {
	own, flag := *k, 0
	if k.Missing != kernelspec.MissingUnsaid {
		flag = int(k.Index)
		own.Missing, own.Index = kernelspec.MissingUnsaid, 0
	}
	one, err := newGroup(b, &own, baseOf(k.Kind, true), s, nil, users)
	if err != nil {
		return nil, false, err
	}
	one.add(0, &own, kernelspec.Unnormalized)
	choice := baseChoice{&one, s}
	choice.settle()
	definite := choice.definite(&own)
	g := &Group{
		Base: Factored, layers: layers{Layers: 1}, features: features{Dim: one.Dim},
		Factors: []Factor{{Group: &one, Power: 1, definite: definite}},
		lacking: lacking{missing: k.Missing, flag: flag},
	}
	if centred {
		g.centre = &centring{}
	}
	return g, definite, nil
}

// lacks reports whether a kernel of the bank is one of a view that points may lack.
func (gs Groups) lacks() bool {
	for i := range gs {
		if gs[i].missing != kernelspec.MissingUnsaid {
			return true
		}
	}
	return false
}

// SetFills sets d of each kernel by number: what a filler has found for the points of the
// training. It is called before anything is packed; nil has no effect.
func (gs Groups) SetFills(fills []float64) {
	if fills == nil {
		return
	}
	for i := range gs {
		if g := &gs[i]; g.missing != kernelspec.MissingUnsaid {
			g.fill = fills[g.Members[0].ID]
		}
	}
}

// filler finds the values of kernels at points without their view.
type filler struct{ Matrices }

// find returns d of each kernel: the mean of k(x,x) over the points that have the view, not
// normalised, and 1 under the spherical normalisation. It is 0 for kernels that fill nothing in and
// where no point has the view, and the list is nil if no kernel fills anything in. It takes a pass
// over the points for each kernel. An error is the context's.
func (f filler) find(ctx context.Context) ([]float64, error) {
	b := f.Bank
	if !b.lacks() {
		return nil, nil
	}
	fills := make([]float64, b.Len())
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.missing == kernelspec.MissingUnsaid {
			continue
		}
		d := 1.0
		if !g.Spherical && !g.Factors[0].Group.Members.UnitDiagonal() {
			var err error
			if d, err = f.meanSelf(ctx, g); err != nil {
				return nil, err
			}
		}
		fills[g.Members[0].ID] = d
	}
	return fills, nil
}

// meanSelf returns the mean of k(x,x) over the points that have the view of a group, in float64.
func (f filler) meanSelf(ctx context.Context, g *Group) (float64, error) {
	points, e := f.Points, NewEvaluator[float64](f.Bank)
	inner := g.Factors[0].Group
	var buffer PanelBuffer
	var cols Columns[float64]
	sum, count := 0.0, 0
	self := make([]float64, simd.Width)
	for p := range panelsOf(points.Len()) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		panel := PanelOf(points, p, &buffer)
		e.PackColumns(&cols, inner, &panel, points.Len())
		e.SelfValues(self, &cols, &inner.Members[0])
		for lane, flag := range panel.row(g.flag)[:panel.Len] {
			if flag == 0 {
				sum += self[lane]
				count++
			}
		}
	}
	return sum / float64(max(1, count)), nil
}

// having states which points of a set have the view of the group, and how many.
func (l *lacking) having(set *Set) (have []bool, count int) {
	have = make([]bool, len(set.IDs))
	for i := range have {
		have[i] = l.missing == kernelspec.MissingUnsaid || l.flagOf(set, i) == 0
		if have[i] {
			count++
		}
	}
	return have, count
}

// havingPoints returns the numbers of those of some points that have the view of a group.
func (l *lacking) havingPoints(points Points) (have []int32) {
	var buffer PanelBuffer
	for p := range panelsOf(points.Len()) {
		panel := PanelOf(points, p, &buffer)
		for lane, flag := range panel.row(l.flag)[:panel.Len] {
			if flag == 0 {
				have = append(have, int32(panel.id(lane)))
			}
		}
	}
	return have
}

// packRowFlags takes the flags of the points of a set.
func (r *Rows[T]) packRowFlags(g *Group, set *Set) {
	r.flags = grow(r.flags, len(set.IDs))
	for i := range r.flags {
		r.flags[i] = g.flagOf(set, i)
	}
}

// flagOf returns the flag of point i of a set.
func (l *lacking) flagOf(s *Set, i int) float32 {
	if !s.Sparse {
		return s.Dense[i*s.Dim+l.flag]
	}
	// The flags are the last features, of which a point has few.
	for e := len(s.Index[i]) - 1; e >= 0 && int(s.Index[i][e]) >= l.flag; e-- {
		if int(s.Index[i][e]) == l.flag {
			return s.Value[i][e]
		}
	}
	return 0
}

// fillSelves sets k(x,x) of the points that have a flal.
func fillSelves[T simd.Real](l *lacking, self []T, flags []float32) {
	for i, flag := range flags {
		if flag == 0 {
			continue
		}
		if self[i] = 0; l.missing != kernelspec.MissingNone {
			self[i] = T(l.fill)
		}
	}
}

// fillValues sets the values of rows against 32 columns where one of the two has a flal.
func fillValues[T simd.Real](l *lacking, dst []T, rows []float32, columns *[simd.Width]float32) {
	any := false
	for _, flag := range columns {
		any = any || flag != 0
	}
	for i, own := range rows {
		if own == 0 && !any {
			continue
		}
		for j, flag := range columns {
			x := &dst[i*simd.Width+j]
			switch {
			case own == 0 && flag == 0:
			case own == 0 || flag == 0 || l.missing == kernelspec.MissingNone:
				*x = 0
			case l.missing == kernelspec.MissingAll || own == flag && own > 0:
				*x = T(l.fill)
			default:
				*x = 0
			}
		}
	}
}
