package kernels

// Of is the bank for some of its points, ascending and numbered anew. It shares all else.
func (b *Bank) Of(index []int32) *Bank {
	r := *b
	r.Groups = append([]Group(nil), b.Groups...)
	for i := range r.Groups {
		if g := &r.Groups[i]; g.Base == MatrixRow {
			g.numbers = index
		}
	}
	r.square32, r.square64 = pick(b.square32, index), pick(b.square64, index)
	return &r
}

func pick[T any](from []T, index []int32) []T {
	if from == nil {
		return nil
	}
	r := make([]T, len(index))
	for k, i := range index {
		r[k] = from[i]
	}
	return r
}

// number is that of a point in the rows and columns of the group's matrix.
func (g *Group) number(i int) int {
	if g.numbers == nil {
		return i
	}
	return int(g.numbers[i])
}
