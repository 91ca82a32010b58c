package gradient

import (
	"context"
)

// bulkRows is the number of changed points that one pass takes when many are applied.
//
// So many rows are packed at a time, which Footprint counts.
const bulkRows = 512

// apply adds sum_i change(i) K_m(x_i, .) over the points of a list to the gradients of a field.
// Their part of the linear kernels' vector is added to vector, if that is not nil. If all kernels
// are linear one pass takes the whole list: their change is one vector however many points have
// moved. Groups of skip keep their gradients; nil names none.
func (gr *engine) apply(ctx context.Context, f *field, list []int, change func(i int) float64,
	vector []float64, skip []bool) error {
	return bulk{gr, list, vector}.stream(ctx, f, func(part []int) *update {
		s := gr.tables.collect(gr.bank, part)
		for _, i := range s.index {
			s.delta = append(s.delta, change(i))
		}
		return &update{set: s, vector: gr.change(s), skip: skip}
	})
}

// bulk is a list of points whose changes are applied part by part, and the vector that takes the change of the centred sum.
type bulk struct {
	*engine
	list   []int
	vector []float64
}

// stream streams the update of each part.
func (b bulk) stream(ctx context.Context, f *field, updateOf func(part []int) *update) error {
	parts := cut(len(b.list), bulkRows)
	// carried is the change of the parts before, which all-linear problems apply with the last
	// part.
	var carried []float64
	for k, r := range parts {
		// The pass does not combine: the weights may not be known yet, and a later pass does so.
		u := updateOf(b.list[r[0]:r[1]])
		for j := range b.vector {
			b.vector[j] += u.vector[j]
		}
		if b.rowless {
			for j, x := range carried {
				u.vector[j] += x
			}
			if carried = u.vector; k < len(parts)-1 {
				continue
			}
		}
		if err := b.arith.stream(ctx, f, u); err != nil {
			return err
		}
	}
	return nil
}

// together are several columns of the dual variables of the same points, which share each kernel value.
type together struct {
	*engine
	columns int
}

// apply is apply for all columns of a field: change is the change of a point in a column, and vector is
// [column][feature].
func (gr together) apply(ctx context.Context, f *field, list []int, change func(column, i int) float64,
	vector []float64) error {
	return bulk{gr.engine, list, vector}.stream(ctx, f, func(part []int) *update {
		s := collect(gr.points, part)
		for c := range gr.columns {
			for _, i := range s.index {
				s.delta = append(s.delta, change(c, i))
			}
		}
		return &update{set: s, vector: gr.change(s), columns: gr.columns}
	})
}

// change is change for the delta of all columns, [column][feature].
func (gr together) change(s *workingSet) []float64 {
	if gr.sum == nil {
		return nil
	}
	var vector []float64
	q := len(s.index)
	for c := range gr.columns {
		column := &workingSet{index: s.index, points: s.points, delta: s.delta[c*q : (c+1)*q]}
		vector = append(vector, centredSum(gr.bank, gr.points.Dim(), column)...)
	}
	return vector
}
