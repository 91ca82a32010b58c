package kernels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Prepared is the kernels of a run: what was asked for, its expansion, and its arithmetic.
type Prepared struct {
	*Bank
	expansion
	Shape Shape // what the survey of the points has found

	// Large is whether some k(x,x) is not finite in single precision and in double precision. Blame names it.
	Large [2]bool

	// Normalization is what FindScales has found. It is zero before that, and where no kernel is
	// normalised multiplicatively.
	Normalization Normalization

	// Skeletons are those for float32 and for float64; nil where all kernels are kept. FindScales
	// adds the normalisation to them.
	Skeletons [2]*Skeleton

	// Fills is what a filler has found; nil if no kernel fills anything in.
	Fills []float64

	// Centre is the numbers of the points at whose mean kernels are centred, and CentreMeans what
	// a centrer has found. Both are nil if no kernel is centred.
	Centre      []int32
	CentreMeans []float64

	reach []float64    // of each group, for which Skeletons and wide kernels were found
	plain [2]*Skeleton // Skeletons before the normalisation, which may be found more than once
}

// Prepare makes the kernels that specs ask for on the points of a store. It estimates the medians
// and means that the specifications refer to, opens and checks the matrices of precomputed kernels,
// and surveys the features. The kernels are not normalised yet; see FindScales. Close frees them.
//
// Faults of specifications are of class fail.Usage, faults of matrices of class fail.Input. An
// expansion that takes more than o.Memory is of class fail.Budget.
func Prepare(ctx context.Context, store *dataset.Store, specs []string, o PrepareOptions) (
	p *Prepared, err error) {
	p = &Prepared{expansion: expansion{options: o}}
	defer func() {
		if err != nil {
			p.Close()
			p = nil
		}
	}()
	if err := p.expand(ctx, store, specs); err != nil {
		return p, err
	}
	if err := p.open(ctx, store.Len()); err != nil {
		return p, err
	}
	if p.Shape, err = Survey(ctx, store, store.Mean(), o.Threads); err != nil {
		return p, err
	}
	p.Shape.Uncentred, p.Shape.Lookups = o.Uncentred, p.lookups
	if p.Bank, err = NewBank(ctx, p.Expanded, p.Shape, o.Normalizer, p.Matrices, o.Users); err != nil {
		return p, err
	}
	if err := (userCheck{Matrices{p.Bank, store}}).all(); err != nil {
		return p, err
	}
	if p.Fills, err = (filler{Matrices{p.Bank, store}}).find(ctx); err != nil {
		return p, err
	}
	p.Bank.SetFills(p.Fills)
	if p.Bank.normCentred() {
		p.Centre = CentreSample(store.Len(), o.Seed)
		if p.CentreMeans, err = (centrer{Matrices{p.Bank, store}, o.Threads}).find(ctx, p.Centre, o.Scratch); err != nil {
			return p, err
		}
	}
	if p.Large, err = (Matrices{p.Bank, store}).overflows(ctx, o.Threads); err != nil {
		return p, err
	}
	return p, p.findFamilies(ctx, store)
}

// findFamilies finds out which kernels are wide and which groups are sums of a few of their
// kernels. Dual variables that do not sum to 0 would see the constants. Of few points a training
// takes less time than it takes to find a skeleton.
func (p *Prepared) findFamilies(ctx context.Context, store *dataset.Store) error {
	if p.options.Uncentred {
		return nil
	}
	reach, err := p.Bank.Reaches(ctx, store, p.options.Threads)
	if err != nil {
		return err
	}
	if g := p.options.Given; g != nil && g.Reach != nil {
		reach = farther(g.Reach, reach)
	}
	p.reach = reach
	p.Bank.FindWide(reach)
	if store.Len() < leastPoints {
		return nil
	}
	p.plain, err = NewSkeletons(ctx, p.Bank, reach, p.options.Threads)
	p.Skeletons = p.plain
	return err
}

// spareReach is by how much a reach that was exceeded grows, so points that come in batches do not
// exceed it again and again.
const spareReach = 2

// farther returns the reaches that were given, where they suffice for the points, and else more
// than the points need.
func farther(given, needed []float64) []float64 {
	reach := slices.Clone(given)
	for k, r := range needed {
		if r > reach[k] {
			reach[k] = spareReach * r
		}
	}
	return reach
}

// Given returns what other points need for the same kernels as p.
func (p *Prepared) Given() *Given {
	n := p.Normalization
	return &Given{Medians: p.Expanded.Medians, Normalization: &n, Reach: p.reach}
}

// SharesSums reports whether sums over points are sums of the same values for p and for q, which
// have the same kernels: the same of them are wide, and the skeletons are the same. Gradients that
// were held for one serve the other then.
func (p *Prepared) SharesSums(q *Prepared) bool {
	for i := range p.Skeletons {
		a, b := p.Skeletons[i], q.Skeletons[i]
		if (a == nil) != (b == nil) || a != nil && !slices.Equal(p.reach, q.reach) {
			return false
		}
	}
	for i := range p.Groups {
		for j, m := range p.Groups[i].Members {
			if m.Wide != q.Groups[i].Members[j].Wide {
				return false
			}
		}
	}
	return true
}

// Held returns the largest number of kernels that gradients are held for, in either precision.
func (p *Prepared) Held() int {
	most := 0
	for _, s := range p.Skeletons {
		if s == nil {
			return p.Bank.Len()
		}
		most = max(most, s.Kept.Len())
	}
	return most
}

// SetThreads states how many threads FindScales takes from here on.
func (p *Prepared) SetThreads(threads int) { p.options.Threads = threads }

// On makes the arithmetic of the same kernels for other points of the same features, not
// normalised. Kernels that are centred are so at the mean of these points.
func (p *Prepared) On(ctx context.Context, points Points) (*Bank, error) {
	shape, err := Survey(ctx, points, p.Shape.Shift, p.options.Threads)
	if err != nil {
		return nil, err
	}
	shape.Uncentred, shape.Lookups = p.Shape.Uncentred, p.lookups
	b, err := NewBank(ctx, p.Expanded, shape, p.options.Normalizer, p.Matrices, p.options.Users)
	if err != nil {
		return nil, err
	}
	b.SetFills(p.Fills)
	return b, p.centreAt(ctx, b, points)
}

// centreAt centres kernels of a bank for other points at the mean of these.
func (p *Prepared) centreAt(ctx context.Context, b *Bank, points Points) error {
	sample := CentreSample(points.Len(), p.options.Seed)
	_, err := centrer{Matrices{b, points}, p.options.Threads}.find(ctx, sample, p.options.Scratch)
	return err
}

// Blame names the kernel whose values have made a sum overflow. energies are the V_m = alpha'K_m
// alpha of the solver, or nil if it has none for each kernel; double gives the precision in which they
// were computed.
func (p *Prepared) Blame(energies []float64, points Points, double bool) error {
	find := overflow[float32]
	if double {
		find = overflow[float64]
	}
	if id, i, found := find(Matrices{p.Bank, points}); found {
		return p.Overflow(id, fmt.Sprintf("on these data, such as k(x,x) of row %d", i+1))
	}
	for id, v := range energies {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p.Overflow(id, "on these data")
		}
	}
	return fail.New(fail.Input, "the kernels take values whose sums are not finite on these data").
		WithHint("scale the data, or normalise the kernels")
}
