package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// movedBytes bounds what the ranks hand to each other at a time when points change their owners.
const movedBytes = 4 << 20

// move hands on the gradients of the points of a part whose owners in the part and in the field of
// all points are different ranks: to the part, or back. Points that stay with their rank are not
// touched. Every rank knows from the list of the points who has what, so only gradients travel.
func (s *exchange) move(all, part *field, kernels int, back bool) error {
	if s.team.alone() {
		return nil
	}
	size, me := s.team.ranks.Size(), s.team.ranks.Rank()
	from, to := all, part
	if back {
		from, to = part, all
	}
	// place is where the gradients of the k-th point of the part begin in a field that has them.
	place := func(f *field, k int) int {
		if f == part {
			return f.at(k, kernels)
		}
		return f.at(int(part.index[k]), kernels)
	}
	ownersAll, ownersPart := all.owners(), part.owners()
	owners := func(k int) (source, target int) {
		source, target = int(ownersAll[part.index[k]/simd.Width]), int(ownersPart[k/simd.Width])
		if back {
			source, target = target, source
		}
		return source, target
	}
	for _, r := range cut(part.n, max(simd.Width, movedBytes/8/kernels)) {
		own, travels := s.frame(), false
		for k := r[0]; k < r[1]; k++ {
			source, target := owners(k)
			travels = travels || source != target
			if source == me && target != me {
				g := from.g[place(from, k):]
				for m := range kernels {
					own = append(own, g[m*simd.Width])
				}
			}
		}
		if !travels {
			continue
		}
		sent, err := s.send(own)
		if err != nil {
			return err
		}
		frames := make([][]byte, size)
		if sent != nil {
			lists := make([][]float64, size)
			for k := r[0]; k < r[1]; k++ {
				if source, target := owners(k); source != target {
					lists[target] = append(lists[target], sent.take(source, kernels)...)
				}
			}
			for t, list := range lists {
				frames[t] = mmap.Bytes(list)
			}
		}
		frame, err := s.team.ranks.Scatter(frames)
		if err != nil {
			return err
		}
		got := mmap.Slice[float64](frame)
		for k := r[0]; k < r[1]; k++ {
			if source, target := owners(k); source != me && target == me {
				g := to.g[place(to, k):]
				for m := range kernels {
					g[m*simd.Width] = got[m]
				}
				got = got[kernels:]
			}
		}
	}
	return nil
}
