package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// sliceOfUsed is the number of objects in use whose sums are made at once. They stay in the second-level cache
// until they are written to the vectors of the objects of the left column.
const sliceOfUsed = 8

// usedObjects are the objects of a right column that some points look up.
type usedObjects struct {
	features []int // of the points that have the objects, ascending
	begun    bool
	list     []int32 // the objects, ascending
	place    []int32 // place in list of each object in use
	numbers  []int32 // the object of each point, of an ObjectModel alone
	places   []int32 // its place
}

// find finds the objects in use of a set, among count.
func (u *usedObjects) find(set *Set, count int) {
	u.begun = true
	u.place = grow(u.place, count)
	clear(u.place)
	for i := range set.IDs {
		for _, c := range u.features {
			u.place[int(featureOf(i, c, set))] = 1
		}
	}
	u.list = u.list[:0]
	for o, used := range u.place {
		if used != 0 {
			u.place[o] = int32(len(u.list))
			u.list = append(u.list, int32(o))
		}
	}
}

// leftTerm is one term of K S: the values of K, and the features of the points that have the objects of K and of L.
type leftTerm struct {
	table       *valueTable
	left, right int
	sign        float64
}

// leftKey is what kernels with the same K S have in common.
type leftKey struct {
	used  []int // see usedObjects
	terms []leftTerm
}

func (k leftKey) equal(other leftKey) bool {
	return slices.Equal(k.used, other.used) && slices.Equal(k.terms, other.terms)
}

// rightKey is what kernels with the same L have in common.
type rightKey struct {
	table *valueTable
	used  [2]int // features, of which there are one or two
}

// keysOf returns the keys of a kernel on two columns.
func keysOf(g *looked) (l leftKey, r rightKey) {
	left, right := g.sides()
	for t := range g.terms {
		term := &g.terms[t]
		a, b := term.of(left), term.of(right)
		l.terms = append(l.terms, leftTerm{a.table, g.columns[a.row], g.columns[b.row], term.sign})
		if c := g.columns[b.row]; !slices.Contains(l.used, c) {
			l.used = append(l.used, c)
		}
		r.table = b.table
	}
	slices.Sort(l.used)
	r.used = [2]int{l.used[0], l.used[len(l.used)-1]}
	return l, r
}

// of returns the factor of a term of two for the objects of column points in a column.
func (t *lookTerm) of(column int) *lookFactor {
	if t.factors[0].col == column {
		return &t.factors[0]
	}
	return &t.factors[1]
}

// leftSide is K S: for each object of the left column a number for each object in use of the right one.
type leftSide[T simd.Real] struct {
	key     leftKey
	used    *usedObjects
	count   int // objects of the column
	begun   bool
	packed  bool        // rows of tiles are asked for, and not vectors
	vectors []T         // [object][length], or [block of 8 objects][length][8]
	start   []int32     // of each object in use among the entries
	entries []leftEntry // ordered by object in use
	next    []int32
}

// leftEntry is what one point adds to K S: values of an object times a factor.
type leftEntry struct {
	table  *valueTable
	object int32
	factor float64
}

// length is the number of numbers of a vector: the objects in use, and zeros up to a whole panel.
func (l *leftSide[T]) length() int { return wholePanels(len(l.used.list)) }

// sort lists the entries of the points by their objects in use, with terms and points in order.
func (l *leftSide[T]) sort(set *Set, delta []float64) {
	n := len(l.used.list)
	l.start, l.next = grow(l.start, n+1), grow(l.next, n)
	clear(l.start)
	each := func(visit func(t *leftTerm, i int, d float64, at int32)) {
		for t := range l.key.terms {
			term := &l.key.terms[t]
			for i, d := range delta {
				if d != 0 {
					visit(term, i, d, l.used.place[int(featureOf(i, term.right, set))])
				}
			}
		}
	}
	each(func(_ *leftTerm, _ int, _ float64, at int32) { l.start[at+1]++ })
	for r := range n {
		l.start[r+1] += l.start[r]
	}
	copy(l.next, l.start)
	l.entries = resize(l.entries, int(l.start[n]))
	each(func(t *leftTerm, i int, d float64, at int32) {
		l.entries[l.next[at]] = leftEntry{t.table, int32(featureOf(i, t.left, set)), t.sign * d}
		l.next[at]++
	})
}

// make computes the numbers of some objects in use, from..from+7, for all objects of the column.
func (l *leftSide[T]) make(from int, w *objectScratch[T]) {
	w.rows = grow(w.rows, sliceOfUsed*l.count)
	clear(w.rows)
	for r := from; r < min(from+sliceOfUsed, len(l.used.list)); r++ {
		row := w.rows[(r-from)*l.count : (r-from+1)*l.count]
		for _, e := range l.entries[l.start[r]:l.start[r+1]] {
			simd.AddTo(row, e.table.row(int(e.object)), e.factor)
		}
	}
	k := l.length()
	var s [sliceOfUsed][]float64
	for r := range s {
		s[r] = w.rows[r*l.count : (r+1)*l.count]
	}
	if l.packed {
		for a := range l.count {
			to := l.vectors[(a/simd.Rows*k+from)*simd.Rows+a%simd.Rows:]
			for r := range s {
				to[r*simd.Rows] = T(s[r][a])
			}
		}
		return
	}
	for a := range l.count {
		to := (*[sliceOfUsed]T)(l.vectors[a*k+from:])
		to[0], to[1], to[2], to[3] = T(s[0][a]), T(s[1][a]), T(s[2][a]), T(s[3][a])
		to[4], to[5], to[6], to[7] = T(s[4][a]), T(s[5][a]), T(s[6][a]), T(s[7][a])
	}
}

// rightSide is L: for each object of the right column its values with the objects in use.
type rightSide[T simd.Real] struct {
	key     rightKey
	used    *usedObjects
	begun   bool
	vectors []T // [object][length]
}

// make gathers the values of some objects.
func (r *rightSide[T]) make(from, to int) {
	k := wholePanels(len(r.used.list))
	for b := from; b < to; b++ {
		row, vector := r.key.table.row(b), r.vectors[b*k:(b+1)*k]
		for i, o := range r.used.list {
			vector[i] = T(row[o])
		}
		clear(vector[len(r.used.list):])
	}
}

// beginSides lists the work for a kernel on two columns. Sides that another kernel has begun are shared.
func (s *ObjectSums[T]) beginSides(f *ObjectSum[T], points int, set *Set, delta []float64) {
	g := f.group
	left, right := g.sides()
	if f.left == nil {
		s.addSides(f)
	}
	l, pairs := f.left, g.hasPairs(points)
	if !l.used.begun {
		l.used.find(set, g.counts[right])
	}
	k := l.length()
	if !l.begun {
		l.begun, l.packed, l.count = true, pairs, g.counts[left]
		l.vectors = grow(l.vectors, blocks(l.count)*simd.Rows*k)
		if pairs {
			clear(l.vectors[max(0, l.count/simd.Rows*simd.Rows*k):]) // rows behind the last object
		}
		l.sort(set, delta)
		for from := 0; from < k; from += sliceOfUsed {
			s.stages[0] = append(s.stages[0], func(w *objectScratch[T]) { l.make(from, w) })
		}
	}
	if pairs {
		s.join(f)
		return
	}
	f.pairs = f.pairs[:0]
	if r := f.right; !r.begun {
		r.begun = true
		r.vectors = grow(r.vectors, g.counts[right]*k)
		for from := 0; from < g.counts[right]; from += width {
			to := min(from+width, g.counts[right])
			s.stages[0] = append(s.stages[0], func(*objectScratch[T]) { r.make(from, to) })
		}
	}
}

// pairNumbers is the size of F for so many objects of the left and of the right column: a tile for each 32 objects
// of the right one.
func pairNumbers(left, right int) int { return wholePanels(right) / width * BaseSize(left) }

// addSides gives a kernel its sides, new ones or the sides of another kernel.
func (s *ObjectSums[T]) addSides(f *ObjectSum[T]) {
	lk, rk := keysOf(&f.group.looked)
	i := slices.IndexFunc(s.lists, func(u *usedObjects) bool { return slices.Equal(u.features, lk.used) })
	if i < 0 {
		i, s.lists = len(s.lists), append(s.lists, &usedObjects{features: lk.used})
	}
	used := s.lists[i]
	if i = slices.IndexFunc(s.lefts, func(l *leftSide[T]) bool { return l.key.equal(lk) }); i < 0 {
		i, s.lefts = len(s.lefts), append(s.lefts, &leftSide[T]{key: lk, used: used})
	}
	f.left = s.lefts[i]
	if i = slices.IndexFunc(s.rights, func(r *rightSide[T]) bool { return r.key == rk }); i < 0 {
		i, s.rights = len(s.rights), append(s.rights, &rightSide[T]{key: rk, used: used})
	}
	f.right = s.rights[i]
}

// multiply sets dst to the values of all objects of the left column with the objects from..from+31 of the right one.
func (f *ObjectSum[T]) multiply(dst []T, from int, w *objectScratch[T]) {
	_, right := f.group.sides()
	l, t := f.left, f.right.key.table
	k, lanes := l.length(), min(width, f.group.counts[right]-from)
	w.columns = grow(w.columns, k*width)
	clear(w.columns)
	for r, b := range l.used.list {
		to := w.columns[r*width : r*width+lanes]
		for j, x := range t.row(int(b))[from : from+lanes] {
			to[j] = T(x)
		}
	}
	simd.Product(dst, l.vectors, w.columns, k, nil)
}
