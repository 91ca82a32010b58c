package table

// Survey looks at the first rows of a file, and returns how many it looked at and what its columns are. Nothing is
// decided: columns may be anything.
func Survey(path string, o Options) (rows int, columns []Column, err error) {
	if err := o.Validate(); err != nil {
		return 0, nil, err
	}
	r, err := (&tables{options: o}).open(path)
	if err != nil {
		return 0, nil, err
	}
	defer r.stream.Close()
	t, err := takeSample(r, &o)
	if err != nil {
		return 0, nil, err
	}
	if rows = t.rows; !t.header {
		rows++
	}
	return rows, t.columns(&o), nil
}
