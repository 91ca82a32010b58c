package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The quadratic model needs the kernels of the working set against itself. The base of a group on
// column block j against the rows above it, 0..32j+31, serves all its kernels. Few groups are
// shared out to the threads by column blocks, and their bases are kept for the line search; many
// groups are shared out by ranges, each with all column blocks.

const (
	manyGroups  = 64       // from so many groups on, shares are ranges of groups
	groupRanges = 16       // number of these ranges, each of which needs a matrix of its own
	keptBytes   = 16 << 20 // bases of the last working set that are kept at most
)

// share is the part of the blocks that one goroutine does at a time: ranges of groups and of
// columns.
type share struct {
	number          int
	groups, columns [2]int
}

// shares cuts the blocks of a working set into shares. The cut depends on the set and the bank
// alone, because sums over kernels are made share by share.
func shares(groups, columns int) []share {
	var r []share
	// Each range of groups sums to a matrix of its own, and the matrices are added in order.
	if groups >= manyGroups {
		for i, g := range cut(groups, (groups+groupRanges-1)/groupRanges) {
			r = append(r, share{i, g, [2]int{0, columns}})
		}
		return r
	}
	// The longest columns come first, so no thread is left alone with one.
	for j := columns - 1; j >= 0; j-- {
		r = append(r, share{j, [2]int{0, groups}, [2]int{j, j + 1}})
	}
	return r
}

// bases are the bases of the last working set on its column blocks, [group][block], if they are
// few. The model makes them and the line search, which follows on the same set, uses them again.
type bases[T simd.Real] struct {
	set *workingSet
	at  [][][]T
}

// keep reports whether the bases of a set are kept, and makes room for them. It changes no value.
//
// The set is compared by its address: gather returns the same one for the same points.
func (b *bases[T]) keep(s *workingSet, bank *kernels.Bank) bool {
	groups := len(bank.Groups)
	if b.set == s {
		return true
	}
	b.set = nil
	// With many groups the bases would not fit in memory; they are made twice then.
	if groups >= manyGroups ||
		int64(bank.Bases())*int64(columnStart(s.panels()))*elementSize[T]() > keptBytes {
		return false
	}
	b.set = s
	if len(b.at) != groups {
		b.at = make([][][]T, groups)
	}
	for g, columns := range b.at {
		if more := s.panels() - len(columns); more > 0 {
			b.at[g] = append(columns, make([][]T, more)...)
		}
	}
	for _, columns := range b.at { // a length of 0 means that a base is to be made
		for j := range columns {
			columns[j] = columns[j][:0]
		}
	}
	return true
}
