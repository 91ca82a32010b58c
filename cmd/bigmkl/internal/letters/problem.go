package letters

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/host"
)

// problem has the rows of a data file in memory, as svm-train keeps them: models contain support
// vectors with the indices of the file, and folds need the rows again. It takes 8 bytes for each
// feature that is not zero, and 16 for each row.
type problem struct {
	path   string
	target []float64
	// Row i has the features from start[i] to start[i+1], with the indices of the file.
	start []int64
	index []int32
	value []float32
	// last is the largest index, and first the one that is feature 0 of a row to train on.
	last, first int32
	// serial is set for a precomputed kernel, whose rows have their number for the only feature.
	serial bool
}

// rows returns the number of rows.
func (p *problem) rows() int { return len(p.target) }

// bytes returns the memory that the rows take.
// Capacities count, because lists have room to grow.
func (p *problem) bytes() int64 { return 8*int64(cap(p.index)) + 16*int64(cap(p.target)) }

// row returns the features of a row.
// The slices are parts of the problem and must not be changed.
func (p *problem) row(i int32) ([]int32, []float32) {
	from, to := p.start[i], p.start[i+1]
	return p.index[from:to:to], p.value[from:to:to]
}

// readOptions read LIBSVM text with the indices as they are, because precomputed kernels have one of 0,
// and with labels that are numbers.
var readOptions = dataset.ReadOptions{ZeroBased: "yes", Labels: dataset.Targets}

// checkedRows is the number of rows between two checks of the memory and of the context.
const checkedRows = 1 << 14

// readProblem reads all rows of a file. More of them than half of the memory holds are of class
// fail.Budget. The other half is for the training. Values become float32, as in a packed store.
func readProblem(ctx context.Context, path string) (*problem, error) {
	r, err := dataset.Open([]string{path}, readOptions)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p := &problem{path: path, start: []int64{0}}
	// The size is checked now and then, so a list may exceed the limit by some rows.
	most := host.Budget() / 2
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if err := hasTarget(&row); err != nil {
			return nil, err
		}
		p.target = append(p.target, row.Target)
		for k, j := range row.Index {
			if math.Abs(row.Value[k]) > math.MaxFloat32 {
				return nil, fail.New(fail.Input, "feature %d is %g, which is too large", j, row.Value[k]).
					At(row.File, row.Line, 0)
			}
			p.index, p.value = append(p.index, j), append(p.value, float32(row.Value[k]))
			p.last = max(p.last, j)
		}
		p.start = append(p.start, int64(len(p.index)))
		if p.rows()%checkedRows == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if size := p.bytes(); size > most {
				return nil, fail.New(fail.Budget, "the first %d rows take %d bytes, and there is memory for %d",
					p.rows(), size, most).At(path, 0, 0).WithHint("bigmkl train reads rows that do not fit")
			}
		}
	}
}

// hasTarget returns an error for a row without a label.
func hasTarget(row *dataset.Row) error {
	if math.IsNaN(row.Target) {
		return fail.New(fail.Input, "a row without a label").At(row.File, row.Line, 0)
	}
	return nil
}

// labeller gives a row of the problem its label or its target. It is nil for one class, whose rows have
// neither.
type labeller func(i int32, r *dataset.Row)

// rowSource yields some rows of a problem, with features that count from 0.
// rows has the numbers of the rows that it yields, in order, and next the place in this list.
type rowSource struct {
	problem *problem
	rows    []int32
	next    int
	label   labeller
	// asIs is set for rows to predict, which have all that the file has.
	asIs  bool
	index []int32
	value []float64
}

// Next implements dataset.Source.
func (s *rowSource) Next() (dataset.Row, error) {
	if s.next == len(s.rows) {
		return dataset.Row{}, io.EOF
	}
	i := s.rows[s.next]
	s.next++
	// The row is valid until the next call, because its slices are used again.
	r := dataset.Row{Weight: 1, Target: math.NaN()}
	if s.label != nil {
		s.label(i, &r)
	}
	s.index, s.value = s.index[:0], s.value[:0]
	index, value := s.problem.row(i)
	first := int32(0)
	if !s.asIs {
		index, value = s.problem.vector(i)
		first = s.problem.first
	}
	for k, j := range index {
		// Zeros of the file are left out, as rows are sparse.
		if value[k] != 0 {
			s.index, s.value = append(s.index, j-first), append(s.value, float64(value[k]))
		}
	}
	r.Index, r.Value = s.index, s.value
	return r, nil
}

// vector returns the features of a row that a model file has.
func (p *problem) vector(i int32) ([]int32, []float32) {
	index, value := p.row(i)
	// Only the number of the row goes into a model, since the matrix is a file of its own.
	if p.serial {
		return index[:1], value[:1]
	}
	return index, value
}

// source returns rows with their labels or targets.
// Several sources of one problem may be read at the same time.
func (p *problem) source(rows []int32, label labeller) *rowSource {
	return &rowSource{problem: p, rows: rows, label: label}
}

// asked returns rows to predict.
func (p *problem) asked(rows []int32) *rowSource {
	return &rowSource{problem: p, rows: rows, asIs: true}
}

// targetRow gives a row its number as the target of a regression.
func (p *problem) targetRow(i int32, r *dataset.Row) { r.Target = p.target[i] }

// labelRow gives a row the integer part of its number as its label.
func (p *problem) labelRow(i int32, r *dataset.Row) {
	r.Label = strconv.Itoa(int(labelOf(p.target[i])))
}

// firstIndex is 0 for rows that have a feature 0, and 1 for all others. LIBSVM counts features from 1,
// but accepts an index 0.
func (p *problem) firstIndex() int32 {
	for i := range p.rows() {
		if index, _ := p.row(int32(i)); len(index) > 0 && index[0] == 0 {
			return 0
		}
	}
	return 1
}

// all lists the rows.
func (p *problem) all() []int32 {
	list := make([]int32, p.rows())
	for i := range list {
		list[i] = int32(i)
	}
	return list
}
