package gradient

import (
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Many trainings start from the same dual variables: those of an importance without one source start where the training
// on all sources ended, and have all kernels but a few in common. K_m alpha is a function of the kernel, the points and
// alpha, to the bit, whichever other kernels a bank has. It is computed once.

// Starts keeps gradients that Rebuild has computed, by dual variables and by groups of kernels. Gradients of several
// banks of the same points may share it, one after the other. The zero value can be used, and one goroutine may use it at
// a time.
type Starts struct {
	list []*beginning // the one that was asked for last is the last
	held int64        // bytes of all
	most int64
}

// beginning is dual variables with the gradients of some groups.
type beginning struct {
	alpha  []float64
	double bool
	of     map[string][]float64 // [panel][member][32], by the name of the group
	maps   []*mmap.Map
	bytes  int64
}

// startsShare is the part of the memory of cached rows that starts may take, and mostStarts bounds it in bytes.
const (
	startsShare = 0.25
	mostStarts  = 1 << 30
)

// takeRoom lets the starts have a part of so many bytes for rows, and returns how many bytes they have.
func (s *Starts) takeRoom(rows int64) (int64, error) {
	if s == nil {
		return 0, nil
	}
	s.most = int64(min(mostStarts, startsShare*float64(rows)))
	return s.most, s.shrink(0)
}

// shrink gives up what was not asked for the longest time until so many more bytes fit.
func (s *Starts) shrink(more int64) error {
	for len(s.list) > 0 && s.held+more > s.most {
		if err := closeAll(s.list[0].maps); err != nil {
			return err
		}
		s.held -= s.list[0].bytes
		s.list = s.list[1:]
	}
	return nil
}

// Close gives up the memory. Starts may be nil.
func (s *Starts) Close() error {
	if s == nil {
		return nil
	}
	s.most = 0
	return s.shrink(0)
}

// find returns what is known of dual variables in one precision, nil if nothing is.
func (s *Starts) find(alpha []float64, double bool) *beginning {
	k := slices.IndexFunc(s.list, func(b *beginning) bool { return b.double == double && slices.Equal(b.alpha, alpha) })
	if k < 0 {
		return nil
	}
	b := s.list[k]
	s.list = append(slices.Delete(s.list, k, k+1), b)
	return b
}

// names returns the names under which starts keep the groups of a bank, nil where they keep none: of gradients that
// several ranks hold, with gates, of linear kernels and of skeletons. A group without a name is not kept.
func (s *Starts) names(gr *engine) []string {
	o, gated := &gr.opt, func(g kernels.Group) bool { return g.Gated() }
	if s == nil || o.columns() > 1 || o.skeleton(gr.double) != nil || !gr.team.alone() || gr.sum != nil ||
		slices.ContainsFunc(gr.bank.Groups, gated) {
		return nil
	}
	return o.GroupNames
}

// recall fills in the gradients of the groups that are known, and reports which these are; nil means that none is.
func (s *Starts) recall(gr *engine, names []string, alpha []float64) []bool {
	if names == nil {
		return nil
	}
	b := s.find(alpha, gr.double)
	if b == nil {
		return nil
	}
	known := make([]bool, len(names))
	for k, name := range names {
		if kept := b.of[name]; kept != nil {
			known[k] = true
			visitGroup(kept, gr, k, func(own, kept []float64) { copy(own, kept) })
		}
	}
	return known
}

// keep notes the gradients of the groups that were not known, if there is room for them.
func (s *Starts) keep(gr *engine, names []string, alpha []float64, known []bool) error {
	if names == nil {
		return nil
	}
	lanes, values := int64(gr.all.lanes()), int64(0)
	isNew := func(k int) bool { return names[k] != "" && (known == nil || !known[k]) }
	for k := range names {
		if isNew(k) {
			values += lanes * int64(len(gr.bank.Groups[k].Members))
		}
	}
	if values == 0 {
		return nil
	}
	b := s.find(alpha, gr.double)
	if b == nil {
		values += int64(len(alpha))
	}
	bytes := 8 * values
	if bytes > s.most || b != nil && b.bytes+bytes > s.most {
		return nil
	}
	if err := s.shrink(bytes); err != nil {
		return err
	}
	m, err := mmap.Anonymous(bytes)
	if err != nil {
		return err
	}
	room := mmap.View[float64](m)
	if b == nil {
		b = &beginning{alpha: room[:len(alpha):len(alpha)], double: gr.double, of: map[string][]float64{}}
		copy(b.alpha, alpha)
		room = room[len(alpha):]
		s.list = append(s.list, b)
	}
	b.maps, b.bytes, s.held = append(b.maps, m), b.bytes+bytes, s.held+bytes
	for k, name := range names {
		if !isNew(k) {
			continue
		}
		size := int(lanes) * len(gr.bank.Groups[k].Members)
		visitGroup(room[:size], gr, k, func(own, kept []float64) { copy(kept, own) })
		b.of[name], room = room[:size:size], room[size:]
	}
	return nil
}

// visitGroup visits the gradients of group number k on each panel of all points, beside the part of kept for them.
func visitGroup(kept []float64, gr *engine, k int, visit func(own, kept []float64)) {
	g, f := &gr.bank.Groups[k], gr.all
	size := len(g.Members) * simd.Width
	for p := range f.panels {
		place := f.at(p*simd.Width, gr.bank.Len()) + g.First*simd.Width
		visit(f.g[place:place+size], kept[p*size:(p+1)*size])
	}
}
