package gradient

// Pending is a pass that its context has cut: which of its parts are done, and what they have
// given. Gradients of these have the change of the working set in them and those of the others do
// not, so that the pass can only go on: the same call of Pass, with what is pending in the state,
// does the rest and gives the very bits of a pass that was not cut.
type Pending struct {
	Done     []byte    // 1 for each unit and block of groups that is done, [unit][block]
	Sums     []float64 // alpha'g_m of each unit in storage order, [unit][kernel]
	Combined []float64 // the combined gradient that each block has given, [block][point]
}

// fits tells whether it is of a pass over a field of this layout.
func (p *Pending) fits(l *layout, kernels int) bool {
	units, blocks := len(l.units), len(l.blocks)
	return len(p.Done) == units*blocks && len(p.Sums) == units*kernels && len(p.Combined) == blocks*l.lanes()
}

// tally is what a pass that combines collects on its way.
type tally struct {
	done    []byte
	sums    []float64
	parts   [][]float64 // of each block; the first is where all are joined
	kernels int
}

// newTally begins with nothing, or with what is pending.
func newTally(l *layout, kernels int, combined []float64, p *Pending) *tally {
	t := &tally{parts: [][]float64{combined}, kernels: kernels}
	for range len(l.blocks) - 1 {
		t.parts = append(t.parts, make([]float64, len(combined)))
	}
	if p == nil {
		clear(combined)
		t.done, t.sums = make([]byte, len(l.units)*len(l.blocks)), make([]float64, len(l.units)*kernels)
		return t
	}
	t.done, t.sums = p.Done, p.Sums
	for k, part := range t.parts {
		copy(part, p.Combined[k*len(part):])
	}
	return t
}

// pending is what a pass that ends here leaves to be done.
func (t *tally) pending() *Pending {
	p := &Pending{Done: t.done, Sums: t.sums}
	for _, part := range t.parts {
		p.Combined = append(p.Combined, part...)
	}
	return p
}

// unit is where a unit adds its alpha'g_m.
func (t *tally) unit(unit int) []float64 { return t.sums[unit*t.kernels : (unit+1)*t.kernels] }

// join adds what blocks and units have given, in their order.
func (t *tally) join(v []float64) {
	for _, part := range t.parts[1:] {
		for i, x := range part {
			t.parts[0][i] += x
		}
	}
	clear(v)
	for at := 0; at < len(t.sums); at += t.kernels {
		for k, x := range t.sums[at : at+t.kernels] {
			v[k] += x
		}
	}
}
