package kernels

import (
	"bigmkl/internal/float"
	"bigmkl/internal/simd"
)

// overflow finds a kernel and a point for which k(x,x) is not finite in the precision T. If no
// value on the diagonal overflows, no product of two points does, as |<x,z>| is at most the larger
// of <x,x> and <z,z>.
//
// It looks at every point once and is called before a training begins.
func overflow[T simd.Real](of Matrices) (id, point int, found bool) {
	b, points := of.Bank, of.Points
	e := NewEvaluator[T](b)
	var cols Columns[T]
	var buffer PanelBuffer
	n := points.Len()
	values := make([]T, simd.Width)
	for p := 0; p*simd.Width < n; p++ {
		panel := PanelOf(points, p, &buffer)
		for g := range b.Groups {
			group := &b.Groups[g]
			e.PackColumns(&cols, group, &panel, n)
			for m := range group.Members {
				e.SelfValues(values, &cols, &group.Members[m])
				for j, v := range values[:min(simd.Width, n-p*simd.Width)] {
					if !float.Finite(v) {
						return int(group.Members[m].ID), p*simd.Width + j, true
					}
				}
			}
		}
	}
	return 0, 0, false
}
