package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// ObjectSquare has the values of the objects of a set of points with each other. The quadratic model compares the
// points of a working set with each other alone. Tables of all objects do not fit into the second-level cache, and
// tables of the objects of a working set do. Kernels with the same values share them.
type ObjectSquare[T simd.Real] struct {
	set    *Set
	used   []*usedObjects
	tables []*squareTable[T]
	fresh  []squareItem[T]
}

// squareTable is the values of the objects in a column of row points with the objects in a column of column points.
type squareTable[T simd.Real] struct {
	table    *valueTable
	row, col *usedObjects
	begun    bool
	values   []T
}

// squareItem is some rows of a table that are to be filled.
type squareItem[T simd.Real] struct {
	table    *squareTable[T]
	from, to int
}

// squareRows is the number of rows of a table that are filled at a time.
const squareRows = 64

// squared reports whether a kernel looks its values up in an ObjectSquare. The diagonal of a sum of products needs
// the values of all objects.
func squared(base Base, spherical bool, g *looked) bool {
	return base == Looked && !spherical && !g.cancels()
}

// Fill computes the values of the groups that are needed for the points of a set. Values that the same set has
// already are kept. share is as of ObjectSums.Sum.
func (s *ObjectSquare[T]) Fill(set *Set, groups Groups, wanted func(g *Group) bool,
	share func(items int, do func(worker, item int)) error) error {
	if s.set != set {
		s.set = set
		for _, u := range s.used {
			u.begun = false
		}
		for _, t := range s.tables {
			t.begun = false
		}
	}
	s.fresh = s.fresh[:0]
	for i := range groups {
		g := &groups[i]
		if !squared(g.Base, g.Spherical, &g.looked) || !wanted(g) {
			continue
		}
		g.eachFactor(func(_ int, f *lookFactor) {
			t := s.of(g, f)
			if t.begun {
				return
			}
			t.begun = true
			for _, u := range []*usedObjects{t.row, t.col} {
				if !u.begun {
					u.find(set, t.table.count)
				}
			}
			n := len(t.row.list)
			t.values = grow(t.values, n*len(t.col.list))
			for from := 0; from < n; from += squareRows {
				s.fresh = append(s.fresh, squareItem[T]{t, from, min(from+squareRows, n)})
			}
		})
	}
	return share(len(s.fresh), func(_, item int) { s.fresh[item].fill() })
}

// fill fills the rows of an item.
func (x *squareItem[T]) fill() {
	k := len(x.table.col.list)
	for a := x.from; a < x.to; a++ {
		row, to := x.table.table.row(int(x.table.row.list[a])), x.table.values[a*k:(a+1)*k]
		for i, o := range x.table.col.list {
			to[i] = T(row[o])
		}
	}
}

// of returns the table of a factor of a group.
func (s *ObjectSquare[T]) of(g *Group, f *lookFactor) *squareTable[T] {
	row, col := s.objects(g.columns[f.row]), s.objects(g.columns[f.col])
	i := slices.IndexFunc(s.tables, func(t *squareTable[T]) bool {
		return t.table == f.table && t.row == row && t.col == col
	})
	if i < 0 {
		i, s.tables = len(s.tables), append(s.tables, &squareTable[T]{table: f.table, row: row, col: col})
	}
	return s.tables[i]
}

// objects returns the objects in use of a feature of the points.
func (s *ObjectSquare[T]) objects(feature int) *usedObjects {
	i := slices.IndexFunc(s.used, func(u *usedObjects) bool { return u.features[0] == feature })
	if i < 0 {
		i, s.used = len(s.used), append(s.used, &usedObjects{features: []int{feature}})
	}
	return s.used[i]
}

// objectSquareBytes bounds what the values of q points take, in bytes.
func objectSquareBytes(q int, groups Groups, element int64) (bytes int64) {
	type key struct {
		table    *valueTable
		row, col int
	}
	var seen []key
	for i := range groups {
		g := &groups[i]
		if !squared(g.Base, g.Spherical, &g.looked) {
			continue
		}
		g.eachFactor(func(_ int, f *lookFactor) {
			if k := (key{f.table, g.columns[f.row], g.columns[f.col]}); !slices.Contains(seen, k) {
				seen = append(seen, k)
				n := int64(min(q, f.table.count))
				bytes += n*n*element + 16*(n+int64(f.table.count))
			}
		})
	}
	return bytes
}
