package kernels

import (
	"context"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// looked is what the base of a kernel of objects is looked up in: the sum over terms of products of factors.
type looked struct {
	terms []lookTerm
	// columns are the features of rows that have the numbers of the objects, ascending, and counts their numbers of
	// objects.
	columns, counts []int
}

// lookTerm is a product of values of objects. All terms after the first have a sign.
type lookTerm struct {
	sign    float64
	factors []lookFactor
}

// lookFactor is the value of a kernel of two objects: the object of the row point in a column, and the object of the
// column point in another. The columns are places in looked.columns.
type lookFactor struct {
	row, col int
	table    *valueTable
}

// newLookedGroup returns the group of a kernel of objects, without members, and whether the kernel is positive
// semi-definite. unit is set if it is normalised spherically; own reports whether the group has to do so itself.
func newLookedGroup(ctx context.Context, l *Lookups, k *kernelspec.Kernel, unit bool) (g *Group,
	definite, own bool, err error) {
	g = &Group{Base: Looked, layers: layers{Layers: 1}}
	if k.Kind == kernelspec.Pairwise {
		definite, err = g.lookPair(ctx, l, &l.bank.Pairs[k.Index], k)
		g.counts, g.features = l.columnsOf(g.columns)
		return g, definite, unit, err
	}
	factors := []kernelspec.Factor{{Kernel: *k, Power: 1}}
	if k.Kind == kernelspec.Product {
		factors = l.bank.Products[k.Index]
	}
	// Factors on the same column have one table.
	parts := map[int][]ofObjects{}
	for i := range factors {
		column, f, err := l.placed(&factors[i].Kernel, factors[i].Power)
		if err != nil {
			return nil, false, false, err
		}
		parts[column] = append(parts[column], f)
		if !slices.Contains(g.columns, column) {
			g.columns = append(g.columns, column)
		}
	}
	slices.Sort(g.columns)
	term := lookTerm{sign: 1}
	definite = true
	for place, c := range g.columns {
		t, err := l.table(ctx, l.set.Columns[c].Kind, parts[c], unit)
		if err != nil {
			return nil, false, false, err
		}
		definite = definite && t.definite
		term.factors = append(term.factors, lookFactor{place, place, t})
	}
	g.terms = []lookTerm{term}
	g.counts, g.features = l.columnsOf(g.columns)
	return g, definite, false, nil
}

// lookPair sets the terms of a kernel of pairs of objects of one kind, k(a,c) k(b,d) + k(a,d) k(b,c) or the
// difference of these.
func (g *looked) lookPair(ctx context.Context, l *Lookups, p *kernelspec.Pair, k *kernelspec.Kernel) (definite bool,
	err error) {
	all := l.bank.Features(k.Set)
	var columns [2]int
	var t *valueTable
	for i, places := range [][]int32{p.First, p.Second} {
		set := slices.Clone(places)
		for j, at := range places {
			if all != nil {
				set[j] = all[at]
			}
		}
		column, own := l.set.Find(set)
		if column < 0 || own != nil {
			return false, fail.New(fail.Usage, "kernel %s: each side of a pair is all features of one column of objects",
				l.describe(k))
		}
		columns[i] = column
		of := ofObjects{kernel: p.Kernel, power: 1}
		if t, err = l.table(ctx, l.set.Columns[column].Kind, []ofObjects{of}, false); err != nil {
			return false, err
		}
	}
	if columns[0] == columns[1] || l.set.Columns[columns[0]].Kind != l.set.Columns[columns[1]].Kind {
		return false, fail.New(fail.Usage, "kernel %s: the objects of a pair are in two columns of one kind",
			l.describe(k)).
			WithHint("--objects A,B=FILE, and pair(KERNEL,A,B)")
	}
	g.columns = []int{min(columns[0], columns[1]), max(columns[0], columns[1])}
	g.terms = []lookTerm{{1, []lookFactor{{0, 0, t}, {1, 1, t}}}, {p.Sign(), []lookFactor{{0, 1, t}, {1, 0, t}}}}
	return t.definite, nil
}

// columnsOf returns the numbers of objects of columns, and the columns as features of points.
func (l *Lookups) columnsOf(columns []int) (counts []int, f features) {
	for _, c := range columns {
		counts = append(counts, l.set.Kind(c).Count)
		f.Features = append(f.Features, int32(c))
	}
	f.Dim = len(columns)
	return counts, f
}

// eachFactor visits all factors with their numbers.
func (g *looked) eachFactor(visit func(n int, f *lookFactor)) {
	n := 0
	for i := range g.terms {
		for j := range g.terms[i].factors {
			visit(n, &g.terms[i].factors[j])
			n++
		}
	}
}

// cancels reports whether products are subtracted. Their difference may be much smaller than they are, so it comes
// from values in double precision.
func (g *looked) cancels() bool {
	return slices.ContainsFunc(g.terms, func(t lookTerm) bool { return t.sign < 0 })
}

// lookups is the number of factors of all terms.
func (g *looked) lookups() (n int) {
	g.eachFactor(func(int, *lookFactor) { n++ })
	return n
}

// self is the value of a point with itself, whose objects have the given numbers.
func (g *looked) self(numbers []int32) float64 {
	sum := 0.0
	for i := range g.terms {
		x := g.terms[i].sign
		for _, f := range g.terms[i].factors {
			x *= f.table.row(int(numbers[f.row]))[numbers[f.col]]
		}
		sum += x
	}
	return sum
}

// packLookedRows finds the values of the objects of the points of a set, in a square if there is one.
func packLookedRows[T simd.Real](r *Rows[T], g *Group, set *Set, square *ObjectSquare[T]) {
	q := len(set.IDs)
	r.looked, r.squared = r.looked[:0], r.squared[:0]
	if square != nil && squared(g.Base, g.Spherical, &g.looked) {
		r.squared = resize(r.squared, g.lookups()*q)
		g.eachFactor(func(n int, f *lookFactor) {
			t, column := square.of(g, f), g.columns[f.row]
			k := len(t.col.list)
			for i := range q {
				a := int(t.row.place[int(featureOf(i, column, set))])
				r.squared[n*q+i] = t.values[a*k : (a+1)*k]
			}
		})
		return
	}
	r.looked = resize(r.looked, g.lookups()*q)
	numbers := make([]int32, len(g.columns))
	for i := range q {
		for c, column := range g.columns {
			numbers[c] = int32(featureOf(i, column, set))
		}
		g.eachFactor(func(n int, f *lookFactor) { r.looked[n*q+i] = f.table.row(int(numbers[f.row])) })
		if g.Spherical {
			r.self[i] = T(g.self(numbers))
		}
	}
}

// featureOf returns a feature of point i of the set.
func featureOf(i, j int, s *Set) float32 {
	if !s.Sparse {
		return s.Dense[i*s.Dim+j]
	}
	if e, found := slices.BinarySearch(s.Index[i], int32(j)); found {
		return s.Value[i][e]
	}
	return 0
}

// packLookedPanel takes the numbers of the objects of the points of a panel, or their places in a square.
func packLookedPanel[T simd.Real](c *Columns[T], g *Group, p *Panel, square *ObjectSquare[T]) {
	c.numbers = grow(c.numbers, len(g.columns)*width)
	for k, column := range g.columns {
		row, to := p.row(column), c.numbers[k*width:(k+1)*width]
		for j, x := range row {
			to[j] = int32(x)
		}
		if square != nil && squared(g.Base, g.Spherical, &g.looked) {
			// Lanes behind the last point take any place.
			place := square.objects(column).place
			for j, n := range to {
				to[j] = place[n]
			}
			clear(to[p.Len:])
		}
	}
	c.lazy = g
}

// lookedSelves computes the diagonal of a packed panel.
func lookedSelves[T simd.Real](c *Columns[T], g *Group) {
	numbers := make([]int32, len(g.columns))
	clear(c.self)
	for j := range c.count {
		for k := range numbers {
			numbers[k] = c.numbers[k*width+j]
		}
		c.self[j] = T(g.self(numbers))
	}
}

// lookedBase looks up the values of rows from..from+count-1 with the points of a packed panel.
func lookedBase[T simd.Real](dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	clear(dst[count*width:])
	if len(r.squared) > 0 {
		lookUp(dst, g, r.squared, r.Len, from, count, c.numbers)
		return
	}
	lookUp(dst, g, r.looked, r.Len, from, count, c.numbers)
}

// lookUp is lookedBase with the rows of values, [factor][q points], and the places in them. Products and sums have
// the type of the values.
func lookUp[T, V simd.Real](dst []T, g *Group, rows [][]V, q, from, count int, places []int32) {
	at := func(f *lookFactor) *[width]int32 { return (*[width]int32)(places[f.col*width:]) }
	if factors := g.terms[0].factors; len(g.terms) == 1 && len(factors) == 1 {
		places := at(&factors[0])
		for i, row := range rows[from : from+count] {
			to := (*[width]T)(dst[i*width:])
			for j, n := range places {
				to[j] = T(row[n])
			}
		}
		return
	} else if len(g.terms) == 1 && len(factors) == 2 {
		a, b := at(&factors[0]), at(&factors[1])
		for i := range count {
			x, y := rows[from+i], rows[q+from+i]
			to := (*[width]T)(dst[i*width:])
			for j, n := range a {
				to[j] = T(x[n] * y[b[j]])
			}
		}
		return
	}
	for i := range count {
		var sum, x [width]V
		n := 0
		for t := range g.terms {
			term := &g.terms[t]
			for j := range x {
				x[j] = V(term.sign)
			}
			for f := range term.factors {
				row := rows[n*q+from+i]
				for j, at := range at(&term.factors[f]) {
					x[j] *= row[at]
				}
				n++
			}
			for j, v := range x {
				sum[j] += v
			}
		}
		for j, v := range sum {
			dst[i*width+j] = T(v)
		}
	}
}
