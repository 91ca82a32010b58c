package random

import (
	"fmt"
	"slices"
	"strings"
)

// drawProjection draws kernels on projected features, and others beside them, in place of a bank.
func (q *posed) drawProjection() {
	odd := q.mixture || q.once || q.joint || q.solver != "" || q.several == "single" || q.several == "quantiles" || q.columns ||
		q.kind == sequenceClasses || slices.Contains(q.verify, "--gram")
	if odd || !q.oneIn(10, "projections") {
		return
	}
	if at := slices.Index(q.train, "--views"); at >= 0 { // which do not go with projections
		q.train, q.views = slices.Delete(q.train, at, at+2), nil
	}
	q.projected = true
	normalize := slices.Index(q.train, "--normalize") + 1
	var specs []string
	for range 1 + q.IntN(2) {
		columns := fmt.Sprint(1 + q.IntN(min(3, q.features)))
		kernel := anyOf(q.Rand, "gauss:"+between(q.Rand, -3, 1), "poly:2", "poly:3:"+between(q.Rand, -3, 0)+":1")
		if strings.HasPrefix(kernel, "gauss") && q.IntN(4) == 0 {
			columns = "diag"
		}
		specs = append(specs, fmt.Sprintf("proj(%s,%s)", kernel, columns))
	}
	switch q.IntN(4) {
	case 0:
		specs = append([]string{anyOf(q.Rand, "linear", "gauss:auto", "laplace:0.1", "gauss:auto/3@1", "poly:2@1")}, specs...)
	case 1:
		specs = []string{"proj(linear,1)"}
	}
	if len(specs) == 1 || strings.HasPrefix(specs[0], "proj") {
		q.train[normalize] = anyOf(q.Rand, "none", "multiplicative")
	}
	q.banks = drawn{specs: specs, counts: make([]int, len(specs))}
	q.add("--gate-steps", anyOf(q.Rand, "1", "4", "20"), "--gate-tol", anyOf(q.Rand, "1e-2", "1e-3"))
	if q.IntN(4) == 0 {
		q.add("--starts", "2")
	}
	if q.IntN(3) == 0 {
		q.drawGating()
	}
	if q.several != "" {
		q.add("--one-gate")
	}
}
