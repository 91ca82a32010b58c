package gradient

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
