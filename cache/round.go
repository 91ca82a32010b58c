package cache

// round is the slots that the caller has pinned between Acquire and Release.
type round struct {
	active bool
	slots  []int32
	placed int // rows that were given slots, which the caller or the disk tier fills
}

// hit adds the slot of a row that is there.
func (r *round) hit(s int32) { r.slots = append(r.slots, s) }

// place adds the slot of a row that is to be filled.
func (r *round) place(s int32) {
	r.slots = append(r.slots, s)
	r.placed++
}

// end unpins the slots. Without keep it drops the rows that are not valid.
func (r *round) end(m *ram, keep bool) {
	for _, s := range r.slots {
		switch e := &m.slots[s]; {
		case e.valid || keep:
			e.valid = true
			m.unpin(s)
		default:
			m.drop(s)
		}
	}
	*r = round{slots: r.slots[:0]}
}
