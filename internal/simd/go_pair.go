package simd

// extremesGo does in lane 0 what the assembly does in all lanes.
func extremesGo(l *laneBests, gain, grow, shrink []float64) {
	for k, g := range gain {
		if v := g + grow[k]; v > l.value[0] {
			l.value[0], l.place[0] = v, float64(k)
		}
		if v := g + shrink[k]; v < l.least[0] {
			l.least[0] = v
		}
	}
}

// partnerGo does in lane 0 what the assembly does in all lanes.
func partnerGo(l *laneBests, gain, shrink, diagonal, row []float64, best, own, least float64) {
	for k, g := range gain {
		if v := pairGain(g, shrink[k], diagonal[k], row[k], best, own, least); v > l.value[0] {
			l.value[0], l.place[0] = v, float64(k)
		}
	}
}

// movePairGo is MovePair. The conversion keeps the product from being fused.
func movePairGo(gain, a, b []float64, step float64) {
	b = b[:len(gain)]
	for k, x := range a[:len(gain)] {
		gain[k] -= float64(step * (x - b[k]))
	}
}
