package train

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
	"bigmkl/internal/projection"
)

// projectedSpace maps the points of a descent of projections to their meaning: the matrices, and behind
// them the parameters of gates that accompany them. The rows have been read.
type projectedSpace struct {
	options *Options
	bank    *projection.Bank
	rows    *keptRows
	gates   *sharedGates // nil if there are none
}

var _ parameters = (*projectedSpace)(nil)

// noStart returns the error of a start without matrices.
func noStart() error { return fail.New(fail.Input, "a projection has no start") }

// start implements parameters.
func (s *projectedSpace) start(_ context.Context, number int) ([]float64, error) {
	a := s.bank.Start(s.rows.d, s.options.Seed, number)
	if s.gates != nil {
		a = append(a, s.gates.starts[number]...)
	}
	return a, nil
}

// firstMatrices returns the matrices of the first start.
func (s *projectedSpace) firstMatrices() (projection.Matrices, error) {
	m, ok := s.bank.Make(s.rows.d, s.bank.Start(s.rows.d, s.options.Seed, 0))
	if !ok {
		return nil, noStart()
	}
	return m, nil
}

// free returns how many variables of a point are of the matrices.
func (s *projectedSpace) free() int { return len(s.bank.Start(s.rows.d, 0, 0)) }

// variables returns how many variables a point has.
func (s *projectedSpace) variables() int { return s.free() + s.gates.count() }

// split returns the matrices and the parameters of the gates of a point. It is false where the columns
// of a matrix are not independent.
func (s *projectedSpace) split(point []float64) (projection.Matrices, []float64, bool) {
	at := len(point) - s.gates.count()
	matrices, ok := s.bank.Make(s.rows.d, point[:at])
	return matrices, point[at:], ok
}

// bounds implements parameters.
func (s *projectedSpace) bounds() (lower, upper []float64) {
	if s.gates == nil {
		return nil, nil
	}
	lower, upper = s.gates.bounds()
	if lower == nil {
		return nil, nil
	}
	free := s.free()
	low, high := make([]float64, free), make([]float64, free)
	for k := range free {
		low[k], high[k] = -math.MaxFloat64, math.MaxFloat64
	}
	return append(low, lower...), append(high, upper...)
}

// holds implements parameters.
func (s *projectedSpace) holds(number int) bool { return s.gates != nil && s.gates.holds(number) }

// spreads implements parameters.
func (s *projectedSpace) spreads() []bool {
	return append(make([]bool, s.free()), s.gates.spreads()...)
}

// projects reports whether there are matrices: gates of several classifiers alone have none.
func (s *projectedSpace) projects() bool { return len(s.bank.Forms) > 0 }

// followsFromLinear reports whether W follows from the linear classifier on all features.
func (s *projectedSpace) followsFromLinear() bool {
	return s.projects() && s.bank.Forms[0].Kernel.Kind == kernelspec.Linear &&
		s.options.Problem.Multiclass == "" && !s.options.Gating.Learned()
}

// narrowToDirection makes the only projection one of one column.
func (s *projectedSpace) narrowToDirection() {
	one := *s.bank.Forms[0]
	one.Columns = 1
	s.bank = &projection.Bank{Forms: []*projection.Form{&one}}
}

// projection returns the projection of matrices as models have it.
func (s *projectedSpace) projection(matrices projection.Matrices) *model.Projection {
	of := &model.Projection{
		Kernel: s.bank.Forms[0].Text, Columns: matrices[0].Columns, Features: s.rows.d, Plain: s.plain(),
		W: matrices.W(),
	}
	for k, f := range s.bank.Forms[1:] {
		of.Others = append(of.Others, model.ProjectedKernel{Kernel: f.Text, Columns: matrices[k+1].Columns})
	}
	return of
}

// plain reports whether rows of the trials have the features as they are, which other kernels or gates
// look at.
func (s *projectedSpace) plain() bool { return len(s.bank.Others) > 0 || s.options.Gating.Learned() }

// check rejects what does not go with the features of the rows, with class fail.Usage.
func (s *projectedSpace) check() error {
	if err := s.bank.Check(s.rows.d); err != nil || !s.options.Gating.Learned() {
		return err
	}
	_, err := s.gateOn()
	return err
}

// gateOn returns the features that gates of the trials look at: the features of the data, which come
// before the projected ones. A set of features that is not given by numbers is of class fail.Usage.
func (s *projectedSpace) gateOn() (string, error) {
	on, d := s.options.Gating.On, s.rows.d
	switch {
	case !s.projects():
		return on, nil
	case on == "" && d == 1:
		return "1", nil
	case on == "":
		return fmt.Sprintf("1-%d", d), nil
	}
	for _, number := range strings.FieldsFunc(on, func(c rune) bool { return c == '+' || c == '-' }) {
		if j, err := strconv.Atoi(number); err != nil || j > d {
			return "", fail.New(fail.Usage, "gates on %s beside a projection, of rows of %d features",
				fail.Quote(on), d).WithHint("numbers of features, as in --gate-on 1-76")
		}
	}
	return on, nil
}
