package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// ObjectModel is the sum of weighted kernels of objects over the pairs of points of one set, as a quadratic model
// has it. Kernels on the same two columns are summed before they are multiplied: of
//
//	sum_m w_m K_m[a,a'] L_m[b,b'] = sum_S S[a,a'] (sum of w_m L_m[b,b'] over the kernels m with K_m = S)
//
// each S takes one product for a pair of points, however many kernels have it. Kernels on one column are one table.
type ObjectModel[T simd.Real] struct {
	used    []*usedObjects
	terms   []modelTerm[T]
	scratch []modelScratch[T] // of each worker
}

// modelTerm is a table of values of the objects of a column, and the weighted sum of the tables that multiply it.
// It has no table of its own if the kernels are on one column.
type modelTerm[T simd.Real] struct {
	table       *valueTable
	first, last *usedObjects
	parts       []weightedTable
	sum         []T // [object in use of last][object in use]
}

// weightedTable is a table with its weight.
type weightedTable struct {
	table  *valueTable
	weight float64
}

// modelScratch is the values of rows with the 32 points of a column block, [row][32] and [32][row].
type modelScratch[T simd.Real] struct{ sum, turned []T }

// ModelsObjects reports whether an ObjectModel takes group number k: a product of one value for each of at most two
// columns.
func ModelsObjects(groups Groups, k int) bool {
	g := &groups[k]
	return g.Base == Looked && !g.Spherical && !g.gated && len(g.Members) == 1 && len(g.terms) == 1 &&
		len(g.columns) <= 2
}

// Sum sums the tables of the groups with these numbers under their weights, for the points of a set. share is as of
// ObjectSums.Sum, for so many workers at most.
func (m *ObjectModel[T]) Sum(set *Set, groups Groups, numbers []int, weights []float64, workers int,
	share func(items int, do func(worker, item int)) error) error {
	for _, u := range m.used {
		u.begun = false
	}
	m.terms, m.scratch = m.terms[:0], resize(m.scratch, max(1, workers))
	summed := m.sumFirsts(set, groups, numbers)
	for i, k := range numbers {
		g := &groups[k]
		factors := g.terms[0].factors
		last := &factors[len(factors)-1]
		var table *valueTable
		first := last
		if len(factors) == 2 {
			first = &factors[0]
			if summed[[2]int(g.columns)] {
				first, last = last, first
			}
			table = first.table
		}
		t := m.term(table, m.objects(set, g, first), m.objects(set, g, last))
		t.parts = append(t.parts, weightedTable{last.table, weights[i]})
	}
	return share(len(m.terms), func(_, item int) { m.terms[item].sumTables() })
}

// term returns the term of a table, a new one without parts if there is none. Its memory is used again.
func (m *ObjectModel[T]) term(table *valueTable, first, last *usedObjects) *modelTerm[T] {
	at := slices.IndexFunc(m.terms, func(t modelTerm[T]) bool {
		return t.table == table && t.first == first && t.last == last
	})
	if at < 0 {
		at = len(m.terms)
		m.terms = resize(m.terms, at+1)
		t := &m.terms[at]
		t.table, t.first, t.last, t.parts = table, first, last, t.parts[:0]
	}
	return &m.terms[at]
}

// sumFirsts returns the pairs of columns whose first column has the tables that are summed. The tables of the
// second column multiply the sums. The sum of p tables takes 2 p k^2 operations for k objects in use, as numbers
// that lie apart are read. Each table that multiplies takes half of q^2 for q points.
func (m *ObjectModel[T]) sumFirsts(set *Set, groups Groups, numbers []int) map[[2]int]bool {
	type pair struct {
		tables [2]map[*valueTable]bool
		used   [2]int
		parts  int
	}
	pairs := map[[2]int]*pair{}
	for _, k := range numbers {
		g := &groups[k]
		if len(g.columns) < 2 {
			continue
		}
		p := pairs[[2]int(g.columns)]
		if p == nil {
			p = &pair{tables: [2]map[*valueTable]bool{{}, {}}}
			pairs[[2]int(g.columns)] = p
		}
		p.parts++
		for i := range p.tables {
			f := &g.terms[0].factors[i]
			p.tables[i][f.table], p.used[i] = true, len(m.objects(set, g, f).list)
		}
	}
	first, q := map[[2]int]bool{}, len(set.IDs)
	for at, p := range pairs {
		cost := func(summed int) int {
			return 2*p.parts*p.used[summed]*p.used[summed] + len(p.tables[1-summed])*q*q/2
		}
		first[at] = cost(0) < cost(1)
	}
	return first
}

// objects returns the objects in use of the column of a factor.
func (m *ObjectModel[T]) objects(set *Set, g *Group, f *lookFactor) *usedObjects {
	column := g.columns[f.row]
	i := slices.IndexFunc(m.used, func(u *usedObjects) bool { return u.features[0] == column })
	if i < 0 {
		i, m.used = len(m.used), append(m.used, &usedObjects{features: []int{column}})
	}
	u := m.used[i]
	if !u.begun {
		u.find(set, f.table.count)
		// Lanes behind the last point have the first object, and are not read.
		u.numbers, u.places = grow(u.numbers, wholePanels(len(set.IDs))), grow(u.places, wholePanels(len(set.IDs)))
		clear(u.numbers)
		clear(u.places)
		for k := range set.IDs {
			u.numbers[k] = int32(featureOf(k, column, set))
			u.places[k] = u.place[u.numbers[k]]
		}
	}
	return u
}

// sumTables makes the sum of the parts.
func (t *modelTerm[T]) sumTables() {
	k := len(t.last.list)
	t.sum = grow(t.sum, k*k)
	row := make([]float64, k)
	for i, a := range t.last.list {
		clear(row)
		for _, p := range t.parts {
			from := p.table.row(int(a))
			for j, b := range t.last.list {
				row[j] += p.weight * from[b]
			}
		}
		to := t.sum[i*k : (i+1)*k]
		for j, x := range row {
			to[j] = T(x)
		}
	}
}

// Add adds the values of the first rows of the set, as many as column has, with the 32 points of column block j, as
// a worker. Products are summed in T, as the kernels of a bank are. The values of one of the 32 points with all
// rows come from a few rows of tables, which stay in the first-level cache.
func (m *ObjectModel[T]) Add(column []float64, j, worker int) {
	w, rows := &m.scratch[worker], len(column)/width
	w.sum, w.turned = grow(w.sum, len(column)), grow(w.turned, len(column))
	clear(w.turned)
	for l := range width {
		to := w.turned[l*rows : (l+1)*rows]
		for i := range m.terms {
			m.terms[i].add(to, j*width+l)
		}
	}
	for i := range rows {
		to := (*[width]T)(w.sum[i*width:])
		for l := range to {
			to[l] = w.turned[l*rows+i]
		}
	}
	simd.AddTo(column, w.sum, 1)
}

// add adds the values of a term of the first points of the set with point c.
func (t *modelTerm[T]) add(to []T, c int) {
	k := len(t.last.list)
	own := int(t.last.places[c])
	sum, last := t.sum[own*k:(own+1)*k], t.last.places[:len(to)]
	if t.table == nil {
		for i, o := range last {
			to[i] += sum[o]
		}
		return
	}
	row, first := t.table.row(int(t.first.numbers[c])), t.first.numbers[:len(to)]
	for i, o := range last {
		to[i] += T(T(row[first[i]]) * sum[o])
	}
}

// objectModelBytes bounds what the sums of q points take, in bytes, and what a worker needs while they are added.
func objectModelBytes(q int, groups Groups, element int64) (kept, made int64) {
	var columns []int
	terms := map[[3]any]bool{}
	for i := range groups {
		g := &groups[i]
		if !ModelsObjects(groups, i) {
			continue
		}
		for c, count := range g.counts {
			if !slices.Contains(columns, g.columns[c]) {
				columns = append(columns, g.columns[c])
				kept += 8*int64(count) + 8*int64(wholePanels(q))
			}
		}
		// Each table of the one column has a sum of the other, whichever takes fewer operations.
		for i, f := range g.terms[0].factors {
			if key := [3]any{f.table, g.columns[0], g.columns[len(g.columns)-1]}; !terms[key] {
				terms[key] = true
				side := min(int64(q), int64(g.counts[len(g.columns)-1-i]))
				kept += side * side * element
			}
		}
	}
	if len(terms) > 0 {
		made = 2 * int64(wholePanels(q)) * simd.Width * element
	}
	return kept, made
}
