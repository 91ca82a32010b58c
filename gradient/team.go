package gradient

import (
	"bigmkl/internal/cluster"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// A gradient may be one of several, each in a process of its own (cluster.Collective): the same
// methods are called on all of them in the same order with the same arguments. The units of every
// field are dealt out to the ranks in ranges, and each rank has the gradients and the cached rows
// of its own units alone. All have the points. What a method returns is right on rank 0 and
// undefined on the others.
//
// Nothing is summed in another order than by one gradient alone: each unit has its sums, which
// are sent to rank 0 and added up in their order. So the bits do not depend on the number of
// ranks.

// team is the ranks that hold a gradient together. The zero value is a gradient that is alone.
type team struct{ ranks cluster.Collective }

// alone reports whether this gradient holds all units itself.
func (t team) alone() bool { return t.ranks == nil || t.ranks.Size() == 1 }

// leads reports whether what the methods return is right here.
func (t team) leads() bool { return t.alone() || t.ranks.Rank() == 0 }

// mine reports whether an item is done here, of items that are dealt out one by one.
func (t team) mine(item int) bool {
	return t.alone() || item%t.ranks.Size() == t.ranks.Rank()
}

// range of rank r of items that are dealt out in ranges. Where there are fewer items than ranks,
// rank 0 has one.
func (t team) share(items, r int) [2]int {
	size := t.ranks.Size()
	return [2]int{(r*items + size - 1) / size, ((r+1)*items + size - 1) / size}
}

// dealUnits deals the units of a field out to the ranks, in ranges. Points of a part stay with the rank that
// has them among all points, except for those in units that several ranks have points of. Then few gradients
// travel, and rows in the cache serve on. Where a rank would have much more than others, or none, units are
// dealt out as evenly as they can be.
func (t team) dealUnits(f, all *field) [][2]int {
	size, units := t.ranks.Size(), len(f.units)
	even, kept := make([][2]int, size), make([][2]int, size)
	for r := range even {
		even[r] = t.share(units, r)
	}
	if f.index == nil || units < size {
		return even
	}
	unit := 0
	for r := range kept {
		kept[r][0] = unit
		for ; unit < units; unit++ {
			first, end := f.units[unit][0]*simd.Width, min(f.units[unit][1]*simd.Width, f.n)
			if r < size-1 && all.owner(int(f.index[(first+end)/2])/simd.Width) > r {
				break
			}
		}
		kept[r][1] = unit
		// The mean is rounded up, as it is where units are dealt out evenly.
		if own, mean := unit-kept[r][0], (units+size-1)/size; own == 0 || 8*own > 9*mean {
			return even
		}
	}
	return kept
}

// numbers is what ranks have sent to rank 0, as numbers that are taken in the order in which they
// were put.
type numbers struct {
	of [][]float64
}

// gather sends the numbers of each rank to rank 0, where alone they are not nil.
func (t team) gather(own []float64) (*numbers, error) {
	frames, err := t.ranks.Gather(mmap.Bytes(own))
	if err != nil || frames == nil {
		return nil, err
	}
	n := &numbers{}
	for r, frame := range frames {
		if len(frame)%8 != 0 {
			return nil, fail.New(fail.Corrupt, "rank %d sent %d bytes, which are no numbers", r,
				len(frame))
		}
		n.of = append(n.of, mmap.Slice[float64](frame))
	}
	return n, nil
}

// take returns the next count numbers of a rank.
func (n *numbers) take(rank, count int) []float64 {
	x := n.of[rank][:count]
	n.of[rank] = n.of[rank][count:]
	return x
}
