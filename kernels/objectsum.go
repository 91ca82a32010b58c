package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// The sum f(x) = sum_i delta_i k(x_i, x) of a kernel of objects depends on the objects of x alone. On one column it
// has a value for each object. On two columns, with values K of the objects of one and L of the objects of the
// other, it is an entry of the matrix
//
//	F = K S L,    S[a,b] = sum of delta_i over the points x_i with the objects a and b,
//
// (the vec trick of Airola and Pahikkala 2018). K S takes q m operations for q points and m objects, and has
// columns only for the objects b in use, at most q. Where pairs of objects are few beside the points, F is a matrix
// product, and a pass looks one number up for each point. Where they are many, a pass takes a product of two
// vectors for each point, a row of K S and a row of L.
//
// Kernels share K S if they have the same K, and L likewise.

// ObjectSums are the sums of the kernels of objects of a bank over some points. Their memory is used again for
// other points.
type ObjectSums[T simd.Real] struct {
	groups  []ObjectSum[T] // of all groups; those that are not summed have no parts
	lists   []*usedObjects
	lefts   []*leftSide[T]
	rights  []*rightSide[T]
	joints  []*jointPairs[T]
	stages  [2][]func(w *objectScratch[T])
	scratch []objectScratch[T] // of each worker
}

// ObjectSum is the sum of one kernel.
type ObjectSum[T simd.Real] struct {
	group  *Group
	left   *leftSide[T] // on two columns
	right  *rightSide[T]
	single []float64 // by object, on one column
	pairs  []T       // F, [32 objects of the right column][object of the left][32]; empty if points take products
	stride int       // from one number of pairs to the next
}

// objectScratch is the memory of one worker.
type objectScratch[T simd.Real] struct {
	rows    []float64
	columns []T
	tile    []T
}

const (
	// mostPairs is the number of pairs of objects for each point up to which a sum has a value for each pair, and
	// mostNumbers the number of numbers for each point up to which it has vectors of objects. Of few points it may
	// have some more.
	mostPairs   = 10
	mostNumbers = 4
	someNumbers = 1 << 21
)

// hasPairs reports whether a sum has values for all pairs of objects, for so many points in all.
func (g *looked) hasPairs(points int) bool { return g.counts[0]*g.counts[1] <= mostPairs*points }

// sides returns the places of the columns of K and of L. L is of the column with fewer objects, because the vectors
// have as many numbers as L has objects in use.
func (g *looked) sides() (left, right int) {
	if g.counts[0] < g.counts[1] {
		return 1, 0
	}
	return 0, 1
}

// inUse bounds the number of objects of the right column that a sum over q points has numbers of, in whole panels.
func (g *looked) inUse(q int) int {
	_, right := g.sides()
	return wholePanels(min(len(g.terms)*q, g.counts[right]))
}

// wholePanels rounds a number up to whole panels.
func wholePanels(n int) int { return (n + width - 1) / width * width }

// SumsObjects reports whether sums of the group over q points are computed by objects, for so many points in all.
func SumsObjects(points, q int, g *Group) bool {
	if g.Base != Looked || g.Spherical || g.gated || len(g.Members) != 1 || g.cancels() {
		return false
	}
	if len(g.columns) != 2 {
		return len(g.columns) == 1
	}
	return g.hasPairs(points) || (g.counts[0]+g.counts[1])*g.inUse(q) <= max(mostNumbers*points, someNumbers)
}

// NewObjectSums returns the sums of a bank, for so many workers. They are of no points yet.
func NewObjectSums[T simd.Real](b *Bank, workers int) *ObjectSums[T] {
	s := &ObjectSums[T]{groups: make([]ObjectSum[T], len(b.Groups)), scratch: make([]objectScratch[T], max(1, workers))}
	for k := range b.Groups {
		if b.Groups[k].Base == Looked {
			s.groups[k].group = &b.Groups[k]
		}
	}
	return s
}

// Sum computes the sums over the points of a set with the factor delta of each, for the groups with these numbers.
// The sums are to be taken at so many points. share calls a function for all items of some work and for a worker of
// NewObjectSums, some at once.
func (s *ObjectSums[T]) Sum(points int, set *Set, delta []float64, groups []int,
	share func(items int, do func(worker, item int)) error) error {
	for _, l := range s.lists {
		l.begun = false
	}
	for _, l := range s.lefts {
		l.begun = false
	}
	for _, r := range s.rights {
		r.begun = false
	}
	for _, j := range s.joints {
		j.sums = j.sums[:0]
	}
	s.stages[0], s.stages[1] = s.stages[0][:0], s.stages[1][:0]
	for _, k := range groups {
		f := &s.groups[k]
		if g := f.group; len(g.columns) == 1 {
			s.stages[0] = append(s.stages[0], func(*objectScratch[T]) { f.makeSingle(set, delta) })
			continue
		}
		s.beginSides(f, points, set, delta)
	}
	for _, j := range s.joints {
		if len(j.sums) > 0 {
			s.stages[1] = append(s.stages[1], j.begin()...)
		}
	}
	// All items of a stage are done before the next stage.
	for _, items := range s.stages {
		if err := share(len(items), func(worker, item int) { items[item](&s.scratch[worker]) }); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the sum of group number k.
func (s *ObjectSums[T]) Of(k int) *ObjectSum[T] { return &s.groups[k] }

// makeSingle computes the sum of a kernel on one column. Points with the same object come together first.
func (f *ObjectSum[T]) makeSingle(set *Set, delta []float64) {
	g := f.group
	f.single = grow(f.single, g.counts[0])
	clear(f.single)
	coef := make([]float64, g.counts[0])
	for t := range g.terms {
		factor := &g.terms[t].factors[0]
		clear(coef)
		for i, d := range delta {
			coef[int(featureOf(i, g.columns[factor.row], set))] += g.terms[t].sign * d
		}
		for a, c := range coef {
			if c != 0 {
				simd.AddTo(f.single, factor.table.row(a), c)
			}
		}
	}
}

// At sets dst to the sum at the points of a panel. Lanes behind the last point have the value of the first objects.
func (f *ObjectSum[T]) At(dst *[width]float64, p *Panel) {
	g := f.group
	if len(g.columns) == 1 {
		for j, a := range (*[width]float32)(p.row(g.columns[0])) {
			dst[j] = f.single[int(a)]
		}
		return
	}
	left, right := g.sides()
	first, second := (*[width]float32)(p.row(g.columns[left])), (*[width]float32)(p.row(g.columns[right]))
	if len(f.pairs) > 0 {
		size := BaseSize(f.left.count)
		for j, a := range first {
			b := int(second[j])
			dst[j] = float64(f.pairs[(b/width*size+int(a)*width+b%width)*f.stride])
		}
		return
	}
	var a, b [width]int32
	for j, x := range first {
		a[j], b[j] = int32(x), int32(second[j])
	}
	var sum [width]T
	simd.PairDots(sum[:], f.left.vectors, f.right.vectors, a[:], b[:], f.left.length())
	for j, x := range sum {
		dst[j] = float64(x)
	}
}

// ObjectBytes bounds what kernels of objects take beside their values, in bytes: the sums of a bank over up to most
// of so many points, and the quadratic model of q points. apart reports whether the model is an ObjectModel, and
// sums are taken at the q points as well. made is what a worker needs meanwhile. element is the size of T.
func ObjectBytes(points, most, q int, apart bool, groups Groups, element int64) (kept, made int64) {
	kept, made = objectSumBytes(points, most, apart, groups, element)
	if apart {
		model, scratch := objectModelBytes(q, groups, element)
		kept, made = kept+model, max(made, scratch)
	}
	return kept + objectSquareBytes(q, groups, element), made
}

// objectSumBytes bounds what sums over q points take, and what a worker needs while they are made. within reports
// whether they are also taken at the q points alone, which takes products of vectors.
func objectSumBytes(points, q int, within bool, groups Groups, element int64) (kept, made int64) {
	var lefts []leftKey
	var rights []rightKey
	for i := range groups {
		g := &groups[i]
		if !SumsObjects(points, 1, g) {
			continue
		}
		if len(g.columns) == 1 {
			kept, made = kept+8*int64(g.counts[0]), max(made, 8*int64(g.counts[0]))
			continue
		}
		most := q
		for !SumsObjects(points, most, g) {
			most /= 2 // Larger sets take kernel values.
		}
		left, right := g.sides()
		rows, columns, used := int64(g.counts[left]), int64(g.counts[right]), int64(g.inUse(2*most))
		l, r := keysOf(&g.looked)
		if !slices.ContainsFunc(lefts, l.equal) {
			lefts = append(lefts, l)
			kept += used*(rows+simd.Rows)*element + 40*int64(len(g.terms)*q) + 8*(columns+used)
		}
		made = max(made, 8*sliceOfUsed*rows)
		if g.hasPairs(points) {
			kept += int64(pairNumbers(int(rows), int(columns))) * element
			tile := int64(0)
			if rows*columns >= jointFrom {
				tile = int64(BaseSize(int(rows)))
			}
			made = max(made, 8*sliceOfUsed*rows+(used*width+tile)*element)
		}
		if (within || !g.hasPairs(points)) && !slices.Contains(rights, r) {
			rights = append(rights, r)
			kept += columns * used * element
		}
	}
	return kept, made
}
