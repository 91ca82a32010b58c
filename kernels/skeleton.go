package kernels

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// All kernels of a group are functions of one number s, its base, and a family such as
// exp(-gamma s) over many gammas has a tiny numerical rank. So the kernels of a group are sums of a
// few of them, the skeleton of the group,
//
//	k_m(s) = c_m0 + sum_r c_mr k_r(s)      for 0 <= s <= reach,
//
// up to the rounding of the arithmetic that computes k_m(s) itself. A constant c_m0 is invisible
// to a solver, because sum alpha = 0: with G_r = K_r alpha
//
//	g_m = sum_r c_mr G_r,    sum_m theta_m g_m = sum_r (sum_m theta_m c_mr) G_r,
//	V_m = sum_r c_mr alpha'G_r.
//
// What is computed and stored of 2,000 widths is then what 20 to 34 of them take.

// Skeleton describes how the kernels of a bank are sums of the kernels of a smaller one. Numbers
// of the whole bank go by kernel, and numbers of the kept bank by kernel of that bank, which is
// its storage order.
type Skeleton struct {
	Kept  *Bank
	whole *Bank
	spans []span // one for each group
}

// span is the part of a skeleton that belongs to a group.
type span struct {
	first, count int       // place of the first kept kernel, and the number of kept kernels
	coef         []float64 // of each member for the kept ones, [member][count]; nil: all are kept
	constant     []float64 // c_m0 of each member
	deviation    []float64 // standard deviation of each member over the bases that it can have
}

// NewSkeletons returns the skeletons of a bank that is not normalised yet: one that is exact to
// float32, and one that is exact to float64. Either is nil if no group has one. reach is the largest
// base of each group between two of the points, see Reaches.
//
// Skeletons are functions of the bank and of reach, and do not depend on the number of threads. They
// are of use only where the dual variables sum to 0. An error is the context's.
func NewSkeletons(ctx context.Context, b *Bank, reach []float64, threads int) ([2]*Skeleton, error) {
	var kept [2][][]int
	var spans [2][]span
	for k := range kept {
		kept[k], spans[k] = make([][]int, len(b.Groups)), make([]span, len(b.Groups))
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(1, threads))
	for i := range b.Groups {
		g := &b.Groups[i]
		for k := range spans {
			spans[k][i].count = len(g.Members)
		}
		if !hasSkeleton(g) {
			continue
		}
		group.Go(func() (err error) {
			most := int(worth * float64(len(g.Members)))
			f := newFamily(g, reach[i], most)
			if f == nil {
				return within.Err()
			}
			for k, exact := range []float64{exactSingle, exactDouble} {
				kept[k][i], spans[k][i], err = f.fit(within, exact, most, threads)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	var both [2]*Skeleton
	if err := group.Wait(); err != nil {
		return both, err
	}
	for k, spans := range spans {
		if !slices.ContainsFunc(kept[k], func(list []int) bool { return list != nil }) {
			continue
		}
		s := &Skeleton{Kept: b.keep(kept[k]), whole: b, spans: spans}
		for i := range s.spans {
			s.spans[i].first = s.Kept.Groups[i].First
			s.spans[i].fixConstants(b.Groups[i].Members, s.Kept.Groups[i].Members)
		}
		both[k] = s
	}
	return both, nil
}

// Bytes is what the coefficients take in memory.
func (s *Skeleton) Bytes() int64 {
	if s == nil {
		return 0
	}
	sum := int64(0)
	for i := range s.spans {
		x := &s.spans[i]
		sum += 8 * int64(len(x.coef)+len(x.constant)+len(x.deviation))
	}
	return sum + bytesPerKept*int64(s.Kept.Len())
}

// bytesPerKept is what a kernel of the kept bank takes at most.
const bytesPerKept = 300

// Normalised returns the skeleton of the bank with its factors, which are known now. It is nil where
// a kernel is multiplied by so much that a sum is not exact any more: that of a family of distances
// most of which are far below the largest.
func (s *Skeleton) Normalised() *Skeleton {
	if s == nil || s.whole.Scale == nil {
		return s
	}
	r := &Skeleton{whole: s.whole, spans: slices.Clone(s.spans)}
	kept := *s.Kept
	kept.Scale = make([]float64, kept.Len())
	for i := range r.spans {
		x, members := &r.spans[i], s.whole.Groups[i].Members
		if x.coef == nil {
			for j, m := range members {
				kept.Scale[x.first+j] = s.whole.Scale[m.ID]
			}
			continue
		}
		// The kept kernels are held as they are, and normalisers are part of the coefficients.
		for r := range x.count {
			kept.Scale[x.first+r] = 1
		}
		x.coef, x.constant = slices.Clone(x.coef), slices.Clone(x.constant)
		for j, m := range members {
			factor := s.whole.Scale[m.ID]
			if factor*x.deviation[j] > magnified {
				return nil
			}
			for r := range x.count {
				x.coef[j*x.count+r] *= factor
			}
			x.constant[j] *= factor
		}
	}
	r.Kept = &kept
	return r
}

// Of returns the skeleton for some of its points, as Bank.Of does.
func (s *Skeleton) Of(index []int32) *Skeleton {
	if s == nil {
		return nil
	}
	return &Skeleton{Kept: s.Kept.Of(index), whole: s.whole, spans: s.spans}
}

// magnified is the largest standard deviation that a normalised kernel may have over the bases that
// its group can have. On the bases that it has it is about 1.
const magnified = 1e3

const (
	// leastMembers is the number of kernels from which on a group may have a skeleton.
	leastMembers = 8
	// leastPoints is the number of points from which on groups may have one.
	leastPoints = 256
)

// hasSkeleton reports whether the group is one of exponentials of a distance, with enough members
// for a skeleton to be smaller.
func hasSkeleton(g *Group) bool {
	return g.constantsCancel() && len(g.Members) >= leastMembers
}

// keep returns a bank of some members of each group; nil means all. Kernels are numbered in
// storage order.
func (b *Bank) keep(members [][]int) *Bank {
	r := *b
	r.Groups, r.Scale, r.Magnified, r.definite, r.places = slices.Clone(b.Groups), nil, nil, nil, nil
	for i := range r.Groups {
		g := &r.Groups[i]
		list := g.Members
		if members[i] != nil {
			list = nil
			for _, m := range members[i] {
				list = append(list, g.Members[m])
			}
		}
		g.First = len(r.places)
		g.Members = slices.Clone(list)
		for j := range g.Members {
			m := &g.Members[j]
			r.definite = append(r.definite, b.definite[m.ID])
			m.ID = int32(len(r.places))
			r.places = append(r.places, m.ID)
		}
		if members[i] != nil {
			g.plan(g.Members) // which kernels are squares of others changes where some are left out
		}
	}
	return &r
}

// Lower sets kept to the weights of the kept kernels that represent the weights of all: kept_r =
// sum_m weight_m c_mr.
func (s *Skeleton) Lower(kept, weight []float64) {
	clear(kept)
	for i := range s.spans {
		x := &s.spans[i]
		for j, m := range s.whole.Groups[i].Members {
			if x.coef == nil {
				kept[x.first+j] = weight[m.ID]
			} else if w := weight[m.ID]; w != 0 {
				x.addRow(kept[x.first:x.first+x.count], j, w)
			}
		}
	}
}

// Constant returns sum_m weight_m c_m0.
func (s *Skeleton) Constant(weight []float64) float64 {
	sum := 0.0
	for i := range s.spans {
		if x := &s.spans[i]; x.coef != nil {
			for j, m := range s.whole.Groups[i].Members {
				sum += float64(weight[m.ID] * x.constant[j])
			}
		}
	}
	return sum
}

// Raise sets all to the numbers of all kernels that the numbers of the kept ones give: all_m =
// sum_r c_mr kept_r + c_m0 one, where one is the number of a kernel that is 1 everywhere.
func (s *Skeleton) Raise(all, kept []float64, one float64) {
	for i := range s.spans {
		x := &s.spans[i]
		own := kept[x.first : x.first+x.count]
		for j, m := range s.whole.Groups[i].Members {
			if x.coef == nil {
				all[m.ID] = own[j]
			} else {
				all[m.ID] = x.sum(j, own, one)
			}
		}
	}
}

// Forms visits the groups with the quadratic form that represents weights of the squares of all
// kernels, S = sum_m weight_m c_m c_m': places first..first+count-1 of the kept bank, and S as
// count x count, row-major. Where all kernels of a group are kept the form is nil, and diagonal has
// its weights.
func (s *Skeleton) Forms(weight []float64, visit func(first, count int, form, diagonal []float64)) {
	for i := range s.spans {
		x := &s.spans[i]
		members := s.whole.Groups[i].Members
		if x.coef == nil {
			diagonal := make([]float64, len(members))
			for j, m := range members {
				diagonal[j] = weight[m.ID]
			}
			visit(x.first, x.count, nil, diagonal)
			continue
		}
		form := make([]float64, x.count*x.count)
		for j, m := range members {
			w := weight[m.ID]
			if w == 0 {
				continue
			}
			row := x.row(j)
			for r, c := range row {
				half := form[r*x.count:][:r+1]
				for k, d := range row[:len(half)] {
					half[k] += float64(w * c * d)
				}
			}
		}
		for r := range x.count {
			for k := range r {
				form[k*x.count+r] = form[r*x.count+k]
			}
		}
		visit(x.first, x.count, form, nil)
	}
}

// raise does what Raise does for the members of the group.
func (x *span) raise(all, kept []float64, one float64) {
	for j := range all {
		all[j] = x.sum(j, kept, one)
	}
}

// sum is the number of member j that the numbers of the kept kernels give.
func (x *span) sum(j int, kept []float64, one float64) float64 {
	sum := x.constant[j] * one
	for r, c := range x.row(j) {
		// The conversion keeps the product from being fused with the sum.
		sum += float64(c * kept[r])
	}
	return sum
}

// fixConstants sets the constants of a group with wide members to those of kernels that are their
// Constant at a distance of 0, and not 1.
func (x *span) fixConstants(members, kept []Member) {
	if x.coef == nil || !slices.ContainsFunc(members, func(m Member) bool { return m.Wide }) {
		return
	}
	for j := range members {
		x.constant[j] = members[j].atZero()
		for r, c := range x.row(j) {
			x.constant[j] -= float64(c * kept[r].atZero())
		}
	}
}

// row is the coefficients of member j.
func (x *span) row(j int) []float64 { return x.coef[j*x.count : (j+1)*x.count] }

// addRow adds w times the coefficients of member j to a vector.
func (x *span) addRow(to []float64, j int, w float64) {
	for r, c := range x.row(j) {
		to[r] += float64(w * c)
	}
}
