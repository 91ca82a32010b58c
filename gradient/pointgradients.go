package gradient

// At writes g_m of some active points to g, points x kernels, row-major, by the numbers of the kernels.
// It must be used without a skeleton and without a centred linear kernel, so it is for kernels with
// gates.
func (gr *Gradient) At(points []int, g []float64) error {
	if gr.columns == nil {
		return gr.at(points, nil, g)
	}
	for _, p := range gr.columns.byColumn(points) {
		if err := gr.columns.views[p.column].at(p.points, p.at, g); err != nil {
			return err
		}
	}
	return nil
}

// at writes the gradients of points to the given rows of g, nil being the first ones.
func (gr *engine) at(points, rows []int, g []float64) error {
	held, err := gr.gathered(gr.now, points, nil)
	if err != nil || held == nil {
		return err
	}
	places := gr.bank.Places()
	for i := range points {
		from, to := held.of(i), i
		if rows != nil {
			to = rows[i]
		}
		for id, place := range places {
			g[to*len(places)+id] = from[int(place)*held.stride]
		}
	}
	return nil
}
