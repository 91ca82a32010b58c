package gradient

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The exponential kernels of a group are one function of their base for a function that has fixed
// weights, its profile. Making profiles takes about as long as the kernels take on some thousands
// of pairs of points, so that it pays for a function that is evaluated on many points, batch by
// batch.

// profiles holds the profiles of functions by function and group. A group whose kernels are
// evaluated one by one has none.
type profiles[T simd.Real] struct{ of [][]*kernels.Profile[T] }

// ProfileBytes is the memory that the profiles of all functions take at most. Functions with other
// weights have profiles of their own: those of the pairs of hundreds of classes would take more
// memory than their support vectors, and as long to make as they save.
const ProfileBytes = 32 << 20

// PrepareProfiles makes profiles of the functions for the arithmetic of Values with the same
// double, which then costs the same for many widths as for one. Values differ from those without
// profiles by rounding. The weights of outputs must not change any more, and neither may the bank.
//
// Profiles depend on the support vectors and weights alone, and not on the number of threads. An
// error is that of the context or of Guard.
func (f *Function) PrepareProfiles(ctx context.Context, double bool) error {
	prepare := func() error { return prepareProfiles[float32](ctx, f) }
	if double {
		prepare = func() error { return prepareProfiles[float64](ctx, f) }
	}
	if f.Guard != nil {
		return f.Guard(prepare)
	}
	return prepare()
}

// prepareProfiles is PrepareProfiles in element type T.
func prepareProfiles[T simd.Real](ctx context.Context, f *Function) error {
	f.profiles = nil
	sizes, _ := profileSizes[T](f.Bank, f.distinct())
	if !slices.ContainsFunc(sizes, func(size int64) bool { return size > 0 }) {
		return nil
	}
	typical := make([]float64, len(sizes))
	e := kernels.NewEvaluator[float64](f.Bank)
	for g := range f.Bank.Groups {
		if sizes[g] > 0 {
			typical[g] = e.TypicalBase(&f.Bank.Groups[g], f.Points)
		}
	}
	p := profiles[T]{of: make([][]*kernels.Profile[T], len(f.Outputs))}
	for i := range f.Outputs {
		if i > 0 && f.sameWeights(i) {
			p.of[i] = p.of[i-1]
			continue
		}
		p.of[i] = make([]*kernels.Profile[T], len(sizes))
		weights := f.weights(&f.Outputs[i])
		for g := range f.Bank.Groups {
			if sizes[g] == 0 {
				continue
			}
			group := &f.Bank.Groups[g]
			var err error
			p.of[i][g], err = kernels.NewProfile[T](ctx, group, weights.of(group), typical[g],
				f.Threads)
			if err != nil {
				return err
			}
		}
	}
	f.profiles = p
	return nil
}

// constant returns what the constants of the profiles add to every value of a function. Where its
// dual variables sum to 0 that is 0: what they sum to is then rounding, which a large constant
// would magnify.
func (p profiles[T]) constant(o *Output, own []*kernels.Profile[T]) float64 {
	const rounding = 1e-10
	sum, size := 0.0, 0.0
	for _, a := range o.Alpha {
		sum, size = sum+a, size+math.Abs(a)
	}
	if math.Abs(sum) <= rounding*size {
		return 0
	}
	constant := 0.0
	for _, profile := range own {
		if profile != nil {
			constant += profile.Constant * sum
		}
	}
	return constant
}

// profileSizes bounds the memory of the profiles of each group for functions of which so many
// differ in their weights, and of all groups, in bytes. Groups that come after the memory for
// profiles is used up have none.
func profileSizes[T simd.Real](b *kernels.Bank, distinct int) (sizes []int64, total int64) {
	sizes = make([]int64, len(b.Groups))
	for g := range b.Groups {
		size := kernels.ProfileBytes[T](&b.Groups[g])
		// The product of a bound and a count of machines may not overflow.
		if size > 0 && int64(distinct) <= (ProfileBytes-total)/size {
			sizes[g] = size * int64(distinct)
			total += sizes[g]
		}
	}
	return sizes, total
}

// distinct returns the number of functions whose weights differ from those of the one before.
func (f *Function) distinct() int {
	n := 0
	for i := range f.Outputs {
		if i == 0 || !f.sameWeights(i) {
			n++
		}
	}
	return n
}

// sameWeights reports whether function i has the weights of the one before.
func (f *Function) sameWeights(i int) bool {
	return slices.Equal(f.Outputs[i].Theta, f.Outputs[i-1].Theta)
}

// weights returns the weights of a function. The weight of a kernel and its normaliser are one
// factor.
func (f *Function) weights(o *Output) scaled {
	s := scaled{f.Bank, make([]float64, f.Bank.Len())}
	for id, at := range f.Bank.Places() {
		s.factor[at] = o.Theta[id] * f.Bank.Factor(id)
	}
	return s
}
