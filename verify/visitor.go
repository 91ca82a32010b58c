package verify

import "math"

// visitor is shown the numbers of sums, which it may change.
type visitor func(x *float64)

// count shows a number of rows, which is exact below 2^53.
func (v visitor) count(n *int) {
	x := float64(*n)
	v(&x)
	*n = int(math.Max(0, math.Min(x, 1<<53)))
}

// sum shows both parts of a compensated sum.
func (v visitor) sum(n *neumaier) { v(&n.s); v(&n.c) }

// flag shows 1 for true and 0 for false.
func (v visitor) flag(b *bool) {
	x := 0.0
	if *b {
		x = 1
	}
	v(&x)
	*b = x != 0
}

func (v visitor) reals(list []float64) {
	for i := range list {
		v(&list[i])
	}
}

func (v visitor) sums(list []neumaier) {
	for i := range list {
		v.sum(&list[i])
	}
}
