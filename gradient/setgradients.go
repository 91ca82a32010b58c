package gradient

import (
	"slices"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// The quadratic model, its search and norms that couple kernels ask for g_m[B], the gradients on the
// working set. Several ranks send them to rank 0 once an iteration, together with what else they send for
// the model, so they take no round of their own.

// atPoints is the gradients of some points: those of point i are at g[at[i]], g[at[i]+stride], ..
// in storage order.
type atPoints struct {
	g      []float64
	at     []int
	stride int
	some   bool // there are only the gradients of the requested kernels, in their order
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

// onSet is the gradients on a working set that ranks have sent, or will send with what comes next.
type onSet struct {
	set     []int
	field   *field
	changes int // of the gradients, when they were sent
	at      *atPoints
}

// gathering brings gradients on some points to rank 0, those on a working set once.
type gathering struct {
	exchange
	bank  *kernels.Bank
	onSet onSet
	// changes counts how often gradients have changed, which reports whether those on the set are still right.
	changes int
}

// holds reports whether rank 0 has, or gets with what is sent next, the gradients of a set as they are.
func (s *gathering) holds(f *field, set []int) bool {
	o := &s.onSet
	return o.field == f && o.changes == s.changes && slices.Equal(o.set, set)
}

// promise means that the gradients of a field on a set are sent in front of what is sent next for its
// blocks.
func (s *gathering) promise(f *field, set []int) {
	if !s.team.alone() && !s.holds(f, set) {
		s.onSet = onSet{set: set, field: f, changes: s.changes}
	}
}

// promised returns a frame that begins with what was promised.
func (s *gathering) promised() []float64 {
	o := &s.onSet
	if s.team.leads() || o.field == nil || o.at != nil {
		return s.frame()
	}
	o.at = &atPoints{} // they are sent once
	return o.field.appendOwn(s.frame(), s.bank.Len(), o.set, nil)
}

// keepPromise takes what was promised from what ranks have sent to rank 0.
func (s *gathering) keepPromise(sent *numbers) {
	if o := &s.onSet; o.field != nil && o.at == nil {
		o.at = s.arrange(sent, o.field, o.set, nil)
	}
}

// gathered returns the gradients of some points of a field on rank 0, and nil on the others. They are the
// gradients of the kernels at the given places in storage order; nil means all.
//
// One gradient alone copies nothing. Of several, each sends the gradients of its points, unless they
// were sent.
func (s *gathering) gathered(f *field, set []int, places []int) (*atPoints, error) {
	kernels := s.bank.Len()
	if s.team.alone() {
		a := &atPoints{g: f.g, at: make([]int, len(set)), stride: simd.Width}
		for i, id := range set {
			a.at[i] = f.place(id, kernels)
		}
		return a, nil
	}
	if s.onSet.at != nil && s.holds(f, set) {
		if !s.team.leads() {
			return nil, nil
		}
		return s.onSet.at, nil
	}
	own := s.frame()
	if !s.team.leads() {
		own = f.appendOwn(own, kernels, set, places)
	}
	sent, err := s.send(own)
	if err != nil || sent == nil {
		return nil, err
	}
	return s.arrange(sent, f, set, places), nil
}

// arrange puts the gradients of some points together on rank 0, its own among them.
func (s *gathering) arrange(sent *numbers, f *field, set, places []int) *atPoints {
	kernels := s.bank.Len()
	if places != nil {
		kernels = len(places)
	}
	a := &atPoints{g: make([]float64, 0, len(set)*kernels), at: make([]int, len(set)), stride: 1, some: places != nil}
	for i, id := range set {
		a.at[i] = len(a.g)
		if r := f.owner(f.position(id) / simd.Width); r > 0 {
			a.g = append(a.g, sent.take(r, kernels)...)
		} else {
			a.g = f.appendOwn(a.g, s.bank.Len(), set[i:i+1], places)
		}
	}
	return a
}
