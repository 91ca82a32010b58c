package gradient

// tally is what a pass that combines the gradients collects on its way. Parts of it are written by
// several goroutines, each to units and blocks of its own, and are added up in their order at the
// end.
type tally struct {
	done    []byte      // see Pending
	sums    []float64   // see Pending
	parts   [][]float64 // combined gradient of each block; all are added to the first
	kernels int
}

// newTally begins a pass, or continues with one that was cut. combined becomes the first part. Of
// several columns each has sums of its own for each kernel, which are counted as more kernels.
func newTally(l *layout, kernels int, combined []float64, p *Pending) *tally {
	t := &tally{parts: [][]float64{combined}, kernels: kernels}
	// Blocks add to the same points at the same time, so each needs a vector of its own.
	for range len(l.blocks) - 1 {
		t.parts = append(t.parts, make([]float64, len(combined)))
	}
	if p == nil {
		clear(combined)
		t.done, t.sums = make([]byte, len(l.units)*len(l.blocks)), make([]float64,
			len(l.units)*kernels)
		return t
	}
	// The pass goes on where it was cut: sums of units that are done must not be made again,
	// because their gradients have changed already.
	t.done, t.sums = p.Done, p.Sums
	for k, part := range t.parts {
		copy(part, p.Combined[k*len(part):])
	}
	return t
}

// pending returns what is to be kept of a pass that ends here.
//
// The slices belong to the tally, which is not used any more.
func (t *tally) pending() *Pending {
	p := &Pending{Done: t.done, Sums: t.sums}
	for _, part := range t.parts {
		p.Combined = append(p.Combined, part...)
	}
	return p
}

// unit returns where a unit adds its alpha'g_m.
func (t *tally) unit(unit int) []float64 { return t.sums[unit*t.kernels : (unit+1)*t.kernels] }

// join adds up what the blocks and the units have given, in their order. It sets v to the sums
// over all units.
func (t *tally) join(v []float64) {
	// The order of blocks and units is fixed, and with it every rounding of these sums.
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
