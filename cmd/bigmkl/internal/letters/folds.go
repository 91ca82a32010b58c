package letters

// drawFolds deals rows out to folds as LIBSVM does, and returns the rows of each. Folds of classes are
// stratified, unless there are as many folds as rows. The same folds as in LIBSVM matter, because users
// compare accuracies of grid.py between both programs.
func drawFolds(p *problem, folds int, stratified bool, r *random) [][]int32 {
	n := p.rows()
	list := make([][]int32, folds)
	if !stratified || folds == n {
		// The permutation is cut into folds of nearly equal size.
		order := p.all()
		shuffle(order, r)
		for f := range list {
			list[f] = order[share(n, f, folds):share(n, f+1, folds)]
		}
		return list
	}
	// Each class is shuffled and cut by itself.
	for _, rows := range groupClasses(p, p.all()).rows {
		shuffle(rows, r)
		for f := range list {
			list[f] = append(list[f], rows[share(len(rows), f, folds):share(len(rows), f+1, folds)]...)
		}
	}
	return list
}

// share returns where fold f of so many begins among n rows.
func share(n, f, folds int) int { return int(int64(f) * int64(n) / int64(folds)) }

// shuffle mixes rows with numbers of a generator. The remainder of next() favours small numbers a
// little. LIBSVM does the same, and the folds have to agree.
func shuffle(rows []int32, r *random) {
	for i := range rows {
		j := i + r.next()%(len(rows)-i)
		rows[i], rows[j] = rows[j], rows[i]
	}
}
