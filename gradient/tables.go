package gradient

import (
	"slices"

	"bigmkl/cache"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
	"bigmkl/mmap"
)

// Of few points all base rows fit in memory, in a table that takes no part in the cache: nothing has to be found, measured or given up.
// Working sets are then numbers without features. An importance of 96 points with 3,000 features in six views took a third of the time,
// and a selection of 208 points with 60 features 0.8 of it. At 800 sparse points with 3 values in a view it took 1.25 of it: gaps in a row
// of the table are read more slowly than few values are multiplied. At 2,000 sparse points with 15 values in each of ten views,
// trainings on halves of them took half of it, and one training on all of them twice as long, for the pages of the table.
// At 8,000 of them, trainings that share their rows took no less time with a table of the active points, or with one of all points: to
// read such a row takes about as long as to compute it.

const (
	// mostPoints bounds the number of points, and mostTabulated the bytes of all their base rows in both precisions. Above
	// fewPoints a table is for many trainings, and its bases look at fewTerms stored values of a point at least.
	mostPoints    = 2048
	mostTabulated = 1 << 30
	fewPoints     = 512
	fewTerms      = 8
)

// tables has the base rows of the points of a Gradient, in both precisions. Those of many points are empty.
type tables struct {
	points kernels.Points
	bank   *kernels.Bank
	single *kernels.Table[float32]
	double *kernels.Table[float64]
	bare   bool // no features are needed
	bytes  int64
	maps   []*mmap.Map
}

// newTables makes room for the base rows, if the cache decides what is kept and they take at most half of its memory.
func newTables(points kernels.Points, bank *kernels.Bank, o *Options) (*tables, error) {
	m, n := &tables{points: points, bank: bank}, points.Len()
	if !(team{o.Ranks}).alone() || o.Cache.Mode != cache.Auto || n > mostPoints {
		return m, nil
	}
	bytes, all := kernels.Memory{Bank: bank, Points: points}.Table()
	if bytes > min(mostTabulated, o.Cache.Memory/2) {
		return m, nil
	}
	if n > fewPoints && (!o.Repeated || kernels.Matrices{Bank: bank, Points: points}.TableTerms() < fewTerms) {
		return m, nil
	}
	var err error
	if m.single, err = kernels.NewTable(bank, points, rowsOf[float32](m)); err != nil {
		return m, err
	}
	m.double, err = kernels.NewTable(bank, points, rowsOf[float64](m))
	m.bare = all && err == nil
	return m, err
}

// rowsOf returns the function that allocates rows.
func rowsOf[T simd.Real](m *tables) func(size int) ([]T, error) {
	return func(size int) ([]T, error) {
		bytes := int64(size) * elementSize[T]()
		a, err := mmap.Unset(bytes)
		if err != nil {
			return nil, err
		}
		m.bytes, m.maps = m.bytes+bytes, append(m.maps, a)
		return mmap.View[T](a), nil
	}
}

// close gives the rows up. It may be called more than once.
func (m *tables) close() error {
	err := closeAll(m.maps)
	*m = tables{points: m.points, bank: m.bank}
	return err
}

// evaluator returns an evaluator for a bank, which takes bases from the table if the bank is the bank of the gradients. s may be
// nil.
func evaluator[T simd.Real](s *tables, bank *kernels.Bank) *kernels.Evaluator[T] {
	e := kernels.NewEvaluator[T](bank)
	if s != nil && bank == s.bank {
		switch m := any(e).(type) {
		case *kernels.Evaluator[float32]:
			m.UseTable(s.single)
		case *kernels.Evaluator[float64]:
			m.UseTable(s.double)
		}
	}
	return e
}

// collect returns points as a working set for evaluators of a bank: by their numbers alone where the table has all bases.
func (m *tables) collect(bank *kernels.Bank, set []int) *workingSet {
	if bank != m.bank || !m.bare {
		return collect(m.points, set)
	}
	return &workingSet{index: slices.Clone(set), points: kernels.Numbered(m.points, numbersOf(set))}
}

// looksUp reports whether a table has the bases of all groups, which are summed in one part and without
// factors of points.
func (s *fields) looksUp() bool {
	return s.tables.bare && s.team.alone() && len(s.bank.Groups) < manyGroups &&
		!slices.ContainsFunc(s.bank.Groups, func(g kernels.Group) bool { return g.PointFactors() })
}
