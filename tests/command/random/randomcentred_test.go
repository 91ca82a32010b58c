package random

import (
	"strings"
)

// drawCentred draws kernels that are centred at the mean of the training rows.
func (q *posed) drawCentred() {
	if q.mixture || q.projected || q.gates != "" || !q.oneIn(5, "centred") {
		return
	}
	for i, spec := range q.banks.specs {
		whole := strings.ContainsAny(spec, "()") && !strings.HasPrefix(spec, "pair")
		if !whole && !strings.HasPrefix(spec, "precomputed") && !strings.Contains(spec, "norm=") && q.IntN(4) > 0 {
			q.banks.specs[i] += " norm=centred"
			q.centred = true
		}
	}
}
