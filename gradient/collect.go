package gradient

import (
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// What ranks find is brought to rank 0 and put where one gradient alone would have it, so what
// follows is the same: sums are added there, in the order in which threads' are. One gradient alone
// has everything already. Rank 0 sends itself nothing.

// collect brings what a pass has summed to rank 0: the sums of the units of every rank, and their
// part of the combined gradient.
func (t *tally) collect(s *fields, f *field) error {
	if s.team.alone() {
		return nil
	}
	own := s.frame()
	if !s.team.leads() {
		me := f.shares[s.team.ranks.Rank()]
		mine := f.panelsOf(me)
		own = append(own, t.sums[me[0]*t.kernels:me[1]*t.kernels]...)
		t.eachColumn(f, func(part []float64) {
			own = append(own, part[mine[0]*simd.Width:mine[1]*simd.Width]...)
		})
	}
	sent, err := s.send(own)
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
	own := s.frame()
	for _, id := range list {
		if !s.team.leads() && s.all.owns(int(id)/simd.Width) {
			own = append(own, numbers[id])
		}
	}
	sent, err := s.send(own)
	if err != nil || sent == nil {
		return err
	}
	owners := s.owners(s.all)
	for _, id := range list {
		if r := int(owners[id/simd.Width]); r > 0 {
			numbers[id] = sent.take(r, 1)[0]
		}
	}
	return nil
}

// collectGroups brings the sums of kernels to rank 0, in storage order, where groups are dealt out.
func (s *fields) collectGroups(bank *kernels.Bank, sums []float64) error {
	return s.collectItems(s.frame(), len(bank.Groups), func(item int) []float64 {
		g := &bank.Groups[item]
		return sums[g.First : g.First+len(g.Members)]
	}, nil)
}

// collectModel brings the parts of a quadratic model to rank 0: columns of the only matrix, or
// a matrix for each share.
func (s *fields) collectModel(set *workingSet, parts []*square) error {
	return s.collectShares(set, func(t *share) []float64 {
		if len(s.bank.Groups) >= manyGroups {
			return parts[t.number].at
		}
		return parts[0].column(t.number)
	})
}

// collectCurvatures brings the curvatures of kernels to rank 0: sums for each share, or the
// curvatures of the groups of a share.
func (s *fields) collectCurvatures(set *workingSet, parts [][]float64) error {
	return s.collectShares(set, func(t *share) []float64 {
		if len(s.bank.Groups) < manyGroups {
			return parts[t.number]
		}
		last := &s.bank.Groups[t.groups[1]-1]
		return parts[0][s.bank.Groups[t.groups[0]].First : last.First+len(last.Members)]
	})
}

// collectShares brings what each share of the blocks of a working set has given to rank 0, and the
// gradients on the set that were promised before (see promise). of is where a share has put it.
func (s *fields) collectShares(set *workingSet, of func(t *share) []float64) error {
	all := shares(len(s.bank.Groups), set.panels())
	return s.collectItems(s.promised(), len(all), func(item int) []float64 { return of(&all[item]) }, s.keepPromise)
}

// collectItems brings items that are dealt out one by one to rank 0, behind the numbers that own begins with. first
// takes what the ranks have sent before the items; nil takes nothing.
func (s *fields) collectItems(own []float64, items int, of func(item int) []float64, first func(*numbers)) error {
	if s.team.alone() {
		return nil
	}
	for item := range items {
		if !s.team.leads() && s.team.mine(item) {
			own = appendNarrow(own, of(item))
		}
	}
	sent, err := s.send(own)
	if err != nil || sent == nil {
		return err
	}
	if first != nil {
		first(sent)
	}
	for item := range items {
		if r := item % s.team.ranks.Size(); r > 0 {
			sent.takeNarrow(r, of(item))
		}
	}
	return nil
}

// frame returns the memory for what this rank sends next.
func (s *fields) frame() []float64 { return s.sending[:0] }

// send sends numbers to rank 0, which alone gets what all have sent, and keeps their memory.
func (s *fields) send(own []float64) (*numbers, error) {
	s.sending = own
	return s.team.gather(own)
}

// appendOwn appends the gradients of those points of a set that this rank has, of the kernels at the given
// places in storage order; nil means all.
func (s *fields) appendOwn(own []float64, f *field, set, places []int) []float64 {
	kernels := s.bank.Len()
	for _, id := range set {
		at := f.position(id)
		if !f.owns(at / simd.Width) {
			continue
		}
		g := f.g[f.at(at, kernels):]
		for k := 0; places == nil && k < kernels; k++ {
			own = append(own, g[k*simd.Width])
		}
		for _, k := range places {
			own = append(own, g[k*simd.Width])
		}
	}
	return own
}
