package gradient

import "bigmkl/internal/simd"

// What ranks find is brought to rank 0 and put where one gradient alone would have it, so what
// follows is the same: sums are added there, in the order in which threads' are. One gradient alone
// has everything already. Rank 0 sends itself nothing.

// collect brings what a pass has summed to rank 0: the sums of the units of every rank, and their
// part of the combined gradient.
func (t *tally) collect(s *exchange, f *field) error {
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

// collectPoints brings what each rank has found for its own points of a list to rank 0. all is the field of all points,
// and numbers has one number for each of them.
func (s *exchange) collectPoints(all *field, list []int32, numbers []float64) error {
	if s.team.alone() {
		return nil
	}
	own := s.frame()
	for _, id := range list {
		if !s.team.leads() && all.owns(int(id)/simd.Width) {
			own = append(own, numbers[id])
		}
	}
	sent, err := s.send(own)
	if err != nil || sent == nil {
		return err
	}
	owners := all.owners()
	for _, id := range list {
		if r := int(owners[id/simd.Width]); r > 0 {
			numbers[id] = sent.take(r, 1)[0]
		}
	}
	return nil
}

// collectModel brings the parts of a quadratic model to rank 0: columns of the only matrix, or
// a matrix for each share.
func (s *gathering) collectModel(set *workingSet, parts []*square) error {
	return s.collectShares(set, func(t *share) []float64 {
		if len(s.bank.Groups) >= manyGroups {
			return parts[t.number].at
		}
		return parts[0].column(t.number)
	})
}

// collectCurvatures brings the curvatures of kernels to rank 0: sums for each share, or the
// curvatures of the groups of a share.
func (s *gathering) collectCurvatures(set *workingSet, parts [][]float64) error {
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
func (s *gathering) collectShares(set *workingSet, of func(t *share) []float64) error {
	all := shares(len(s.bank.Groups), set.panels())
	return s.collectItems(s.promised(), len(all), func(item int) []float64 { return of(&all[item]) }, s.keepPromise)
}
