package arrays

// stream opens the arrays of a matrix whose file does not have row after row, and compares their
// lengths, which come from headers, with each other and with the shape. The step is the number of
// rows that the file has side by side if it has its rows in order.
func (s *form) stream() (_ stream, step int, err error) {
	dims := 1
	switch s.format {
	case "bsr":
		dims = 3
	case "dia":
		dims = 2
	}
	places, data, err := s.parts(dims)
	if err != nil {
		return nil, 0, err
	}
	v := &values{form: s, all: append(places, data), data: data}
	defer func() {
		if err != nil {
			v.Close()
		}
	}()
	if s.format != "dia" {
		if n := places[1].Rows; n != data.Rows {
			return nil, 0, s.file.fault("%d elements in %s for %d in data", n, places[1].name, data.Rows)
		}
	}
	step = 1
	var from stream
	switch s.format {
	case "coo":
		if n := places[0].Rows; n != data.Rows {
			return nil, 0, s.file.fault("%d elements in %s for %d in data", n, places[0].name, data.Rows)
		}
		from = &coordinates{values: v, row: places[0], col: places[1]}
	case "dia":
		from, err = newDiagonals(v, places[0])
	case "csc":
		from, err = newBlocks(v, places[0], places[1], false)
	default:
		step = max(1, data.Cols)
		from, err = newBlocks(v, places[0], places[1], true)
	}
	return from, step, err
}
