package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// What ranks find is brought to rank 0 and put where one gradient alone would have it, so that what
// follows is the same: sums are added there, in the order in which threads' are. One gradient alone
// has everything already.

// atPoints is the gradients of some points: those of point i are at g[at[i]], g[at[i]+stride], ..
// in storage order.
type atPoints struct {
	g      []float64
	at     []int
	stride int
	some   bool // there are only those of the kernels that were asked for, in their order
}

// of returns the gradients of the i-th point and of what lies behind it.
func (a *atPoints) of(i int) []float64 { return a.g[a.at[i]:] }

// index returns where behind a point the kernel at a place in storage order lies, which is the k-th of
// those that were asked for.
func (a *atPoints) index(k, place int) int {
	if a.some {
		return k
	}
	return place * a.stride
}

// gathered returns the gradients of some points of a field on rank 0, and nil on the others. They are those
// of the kernels at the given places in storage order; nil stands for all.
//
// One gradient alone copies nothing. Of several, each sends those of its points.
func (s *fields) gathered(f *field, set []int, places []int) (*atPoints, error) {
	kernels := s.bank.Len()
	a := &atPoints{at: make([]int, len(set)), stride: simd.Width}
	if s.team.alone() {
		a.g = f.g
		for i, id := range set {
			a.at[i] = f.place(id, kernels)
		}
		return a, nil
	}
	var own []float64
	for _, id := range set {
		if !f.owns(f.position(id) / simd.Width) {
			continue
		}
		g := f.g[f.place(id, kernels):]
		for k := 0; places == nil && k < kernels; k++ {
			own = append(own, g[k*simd.Width])
		}
		for _, k := range places {
			own = append(own, g[k*simd.Width])
		}
	}
	sent, err := s.team.gather(own)
	if err != nil || sent == nil {
		return nil, err
	}
	if places != nil {
		kernels = len(places)
	}
	a.stride, a.some = 1, places != nil
	a.g = make([]float64, 0, len(set)*kernels)
	for i, id := range set {
		a.at[i] = len(a.g)
		a.g = append(a.g, sent.take(s.owner(f, f.position(id)/simd.Width), kernels)...)
	}
	return a, nil
}

// collect brings what a pass has summed to rank 0: the sums of the units of every rank, and their
// part of the combined gradient.
func (t *tally) collect(s *fields, f *field) error {
	if s.team.alone() {
		return nil
	}
	me := f.shares[s.team.ranks.Rank()]
	mine := f.panelsOf(me)
	own := append([]float64(nil), t.sums[me[0]*t.kernels:me[1]*t.kernels]...)
	t.eachColumn(f, func(part []float64) {
		own = append(own, part[mine[0]*simd.Width:mine[1]*simd.Width]...)
	})
	sent, err := s.team.gather(own)
	if err != nil || sent == nil {
		return err
	}
	for r := 1; r < s.team.ranks.Size(); r++ {
		units := f.shares[r]
		panels := f.panelsOf(units)
		copy(t.sums[units[0]*t.kernels:], sent.take(r, (units[1]-units[0])*t.kernels))
		t.eachColumn(f, func(part []float64) {
			copy(part[panels[0]*simd.Width:], sent.take(r, (panels[1]-panels[0])*simd.Width))
		})
	}
	return nil
}

// eachColumn visits the combined gradient of each block and column.
func (t *tally) eachColumn(f *field, visit func(part []float64)) {
	for _, part := range t.parts {
		for at := 0; at < len(part); at += f.lanes() {
			visit(part[at : at+f.lanes()])
		}
	}
}

// collectPoints brings what each rank has found for its own points of a list to rank 0. numbers has
// one for each point of the data.
func (s *fields) collectPoints(list []int32, numbers []float64) error {
	if s.team.alone() {
		return nil
	}
	var own []float64
	for _, id := range list {
		if s.all.owns(int(id) / simd.Width) {
			own = append(own, numbers[id])
		}
	}
	sent, err := s.team.gather(own)
	if err != nil || sent == nil {
		return err
	}
	owners := s.owners(s.all)
	for _, id := range list {
		numbers[id] = sent.take(int(owners[id/simd.Width]), 1)[0]
	}
	return nil
}

// collectGroups brings the sums of kernels to rank 0, in storage order, where groups are dealt out.
func (s *fields) collectGroups(bank *kernels.Bank, sums []float64) error {
	if s.team.alone() {
		return nil
	}
	var own []float64
	for item := range bank.Groups {
		if g := &bank.Groups[item]; s.team.mine(item) {
			own = append(own, sums[g.First:g.First+len(g.Members)]...)
		}
	}
	sent, err := s.team.gather(own)
	if err != nil || sent == nil {
		return err
	}
	for item := range bank.Groups {
		g := &bank.Groups[item]
		copy(sums[g.First:], sent.take(item%s.team.ranks.Size(), len(g.Members)))
	}
	return nil
}

// collectModel brings the parts of a quadratic model to rank 0: columns of the only matrix, or
// a matrix for each share.
func (s *fields) collectModel(set *workingSet, parts []*square) error {
	of := func(t *share) []float64 {
		if len(s.bank.Groups) >= manyGroups {
			return parts[t.number].at
		}
		return parts[0].column(t.number)
	}
	return s.collectShares(set, of)
}

// collectCurvatures brings the curvatures of kernels to rank 0: sums for each share, or those of
// the groups of a share.
func (s *fields) collectCurvatures(set *workingSet, parts [][]float64) error {
	of := func(t *share) []float64 {
		if len(s.bank.Groups) < manyGroups {
			return parts[t.number]
		}
		last := &s.bank.Groups[t.groups[1]-1]
		return parts[0][s.bank.Groups[t.groups[0]].First : last.First+len(last.Members)]
	}
	return s.collectShares(set, of)
}

// collectShares brings what each share of the blocks of a working set has given to rank 0. of is
// where a share has put it.
func (s *fields) collectShares(set *workingSet, of func(t *share) []float64) error {
	if s.team.alone() {
		return nil
	}
	all := shares(len(s.bank.Groups), set.panels())
	var own []float64
	for item := range all {
		if s.team.mine(item) {
			own = append(own, of(&all[item])...)
		}
	}
	sent, err := s.team.gather(own)
	if err != nil || sent == nil {
		return err
	}
	for item := range all {
		to := of(&all[item])
		copy(to, sent.take(item%s.team.ranks.Size(), len(to)))
	}
	return nil
}
