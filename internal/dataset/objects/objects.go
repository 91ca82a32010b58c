// Package objects holds objects that rows of data name in place of features, such as the drug and the target of a
// pair.
//
// The numbers of a row are the numbers of its objects. Objects have features in files of their own, which are scaled
// over the objects, each counted once. Features of all columns together have numbers from 1, column by column, so
// specifications of kernels name a column as they name a view.
//
// A Set does not change, and several goroutines may use it.
package objects

import (
	"slices"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Kind is the objects of one kind.
type Kind struct {
	// File is the file of the objects, "" if a model has them.
	File string
	// Names are the names of the objects. If it is nil, object i has the name i, counted from 0.
	Names []string
	// Count is the number of objects, and Dim that of their features.
	Count, Dim int
	// Scaling is the scaling of the features, and Values has them scaled, Count x Dim and row-major. Both are missing
	// before Set.Scaled.
	Scaling dataset.Scaling
	Values  []float32

	at      map[string]int32
	columns []string // columns that name the objects, while the file is read
}

// Column is a column of rows that name objects.
type Column struct {
	Name string
	// Kind is the number of the kind of its objects in Set.Kinds.
	Kind int
}

// Set is the objects that rows name.
type Set struct {
	Kinds   []*Kind
	Columns []Column
	// Matrices belong to precomputed kernels between objects, by their files. A set that was read has none.
	Matrices []Matrix
}

// Matrix is the values of a kernel between all objects of a kind, row-major.
type Matrix struct {
	Kind   int
	Values []float64
}

var _ dataset.ObjectNames = columnNames{}

// MostObjects is the largest number of objects of a kind: a row holds numbers as float32, exactly.
const MostObjects = 1 << 24

// Names returns what finds objects by their names. It is nil if the set is.
func (s *Set) Names() dataset.ObjectNames {
	if s == nil {
		return nil
	}
	return columnNames{s}
}

// Kind returns the kind of the objects of a column.
func (s *Set) Kind(column int) *Kind { return s.Kinds[s.Columns[column].Kind] }

// ColumnsOf lists the names of the columns that name objects of Kinds[kind].
func (s *Set) ColumnsOf(kind int) (names []string) {
	for _, c := range s.Columns {
		if c.Kind == kind {
			names = append(names, c.Name)
		}
	}
	return names
}

// MatricesOf lists the numbers, from 1, of the matrices between objects of Kinds[kind].
func (s *Set) MatricesOf(kind int) (numbers []int) {
	for i := range s.Matrices {
		if s.Matrices[i].Kind == kind {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// Views returns a view for each column: the features of its objects. Objects without features have a view of one
// feature, so a matrix of their kernel can have their name.
func (s *Set) Views() []dataset.View {
	if s == nil {
		return nil
	}
	views, last := make([]dataset.View, len(s.Columns)), 0
	for c := range views {
		first := last + 1
		last += max(1, s.Kind(c).Dim)
		views[c] = dataset.View{Name: s.Columns[c].Name, First: first, Last: last}
	}
	return views
}

// Features returns the number of features of all views.
func (s *Set) Features() int {
	views := s.Views()
	return views[len(views)-1].Last
}

// Find returns the column of the features of a set, 0-based and ascending, and their numbers among the features of the
// column's objects, nil for all. A nil set is of all features. It returns -1 if they belong to several columns.
func (s *Set) Find(set []int32) (column int, own []int32) {
	for c, v := range s.Views() {
		first, last := int32(v.First-1), int32(v.Last-1)
		switch {
		case set == nil && len(s.Columns) == 1:
			return 0, nil
		case len(set) == 0 || set[0] > last:
			continue
		case set[len(set)-1] > last:
			return -1, nil
		case len(set) == v.Last-v.First+1:
			return c, nil
		}
		own = slices.Clone(set)
		for k := range own {
			own[k] -= first
		}
		return c, own
	}
	return -1, nil
}

// find returns the number of an object by its name, and whether there is one.
func (k *Kind) find(name []byte) (int32, bool) {
	if k.Names != nil {
		i, ok := k.at[string(name)]
		return i, ok
	}
	n := 0
	for _, c := range name {
		if c < '0' || c > '9' || len(name) > 8 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return int32(n), len(name) > 0 && n < k.Count
}

// Name returns the name of an object.
func (k *Kind) Name(i int) string {
	if k.Names == nil {
		return strconv.Itoa(i)
	}
	return k.Names[i]
}

// columnNames finds the objects of a set by their names.
type columnNames struct{ set *Set }

// Columns implements dataset.ObjectNames.
func (n columnNames) Columns() []string {
	names := make([]string, len(n.set.Columns))
	for c := range names {
		names[c] = n.set.Columns[c].Name
	}
	return names
}

// Number implements dataset.ObjectNames.
func (n columnNames) Number(column int, name []byte) (int32, error) {
	k := n.set.Kind(column)
	if i, ok := k.find(name); ok {
		return i, nil
	}
	err := fail.New(fail.Input, "there is no %s %s among %d objects", n.set.Columns[column].Name, fail.Word(name), k.Count)
	if k.Names == nil {
		return 0, err.WithHint("the objects have no names, and are called 0 to %d by their rows", k.Count-1)
	}
	if k.File == "" {
		return 0, err.WithHint("--objects %s=FILE gives the features of new objects", n.set.Columns[column].Name)
	}
	return 0, err
}

// index makes the table of names. It returns the numbers of two objects of the same name, or -1.
func (k *Kind) index() (first, again int) {
	k.at = make(map[string]int32, len(k.Names))
	for i, name := range k.Names {
		if j, twice := k.at[name]; twice {
			return int(j), i
		}
		k.at[name] = int32(i)
	}
	return -1, -1
}
