package gradient

import (
	"context"
	"math"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The exponential kernels of a group are one function of their base for a function that has fixed
// weights, its profile. Making profiles takes about as long as the kernels take on some thousands
// of pairs of points, so it pays for a function that is evaluated on many points, batch by batch.

// profiles holds the profiles of functions by function and group. A group whose kernels are
// evaluated one by one has none.
type profiles[T simd.Real] struct{ of [][]*kernels.Profile[T] }

// ProfileBytes is the memory that the profiles of all functions take at most. Functions with other
// weights have profiles of their own: the profiles of the pairs of hundreds of classes would take
// more memory than their support vectors, and as long to make as they save.
const ProfileBytes = 32 << 20

// newProfiles returns the profiles of functions with these weights, or none if no group has one. A
// function with the weights of the function before has nil, and uses the profiles of that
// function. Profiles depend on the support vectors and weights alone, and not on the number of
// threads.
func newProfiles[T simd.Real](ctx context.Context, b *kernels.Bank, support *kernels.Set,
	weights []*scaled, threads int) (p profiles[T], err error) {
	distinct := 0
	for _, w := range weights {
		if w != nil {
			distinct++
		}
	}
	sizes, total := profileSizes[T](b, distinct)
	if total == 0 {
		return p, nil
	}
	typical := make([]float64, len(sizes))
	e := kernels.NewEvaluator[float64](b)
	for g := range b.Groups {
		if sizes[g] > 0 {
			typical[g] = e.TypicalBase(&b.Groups[g], support)
		}
	}
	p.of = make([][]*kernels.Profile[T], len(weights))
	for i, w := range weights {
		if w == nil {
			p.of[i] = p.of[i-1]
			continue
		}
		p.of[i] = make([]*kernels.Profile[T], len(sizes))
		for g := range b.Groups {
			if sizes[g] == 0 {
				continue
			}
			group := &b.Groups[g]
			p.of[i][g], err = kernels.NewProfile[T](ctx, group, w.of(group), typical[g], threads)
			if err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// constant returns what the constants of the profiles of function i add to each of its values. alpha
// holds its dual variables. Where these sum to 0 that is 0: what they sum to is then rounding, which
// a large constant would magnify.
func (p profiles[T]) constant(i int, alpha []float64) float64 {
	const rounding = 1e-10
	sum, size := 0.0, 0.0
	for _, a := range alpha {
		sum, size = sum+a, size+math.Abs(a)
	}
	if math.Abs(sum) <= rounding*size {
		return 0
	}
	constant := 0.0
	for _, profile := range p.of[i] {
		if profile != nil {
			constant += float64(profile.Constant * sum)
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
		// The product of a bound and a count of classifiers may not overflow.
		if size > 0 && int64(distinct) <= (ProfileBytes-total)/size {
			sizes[g] = size * int64(distinct)
			total += sizes[g]
		}
	}
	return sizes, total
}

// profileBytes bounds the memory of the profiles of all groups. If there are fewer functions with other weights, more
// groups may have profiles.
func profileBytes[T simd.Real](b *kernels.Bank, v Vectors) int64 {
	if !v.AtMost || v.Distinct <= 1 {
		_, bytes := profileSizes[T](b, v.Distinct)
		return bytes
	}
	sum := int64(0)
	for g := range b.Groups {
		sum += min(kernels.ProfileBytes[T](&b.Groups[g]), ProfileBytes)
	}
	if sum > ProfileBytes/int64(v.Distinct) {
		return ProfileBytes
	}
	return sum * int64(v.Distinct)
}
