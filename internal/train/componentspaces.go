package train

import (
	"context"

	"bigmkl/internal/mixture"
)

// componentSpaces are the spaces of the components, which are columns of gradients.
type componentSpaces struct {
	*gradients
	kernels []int // of each component
	n       int
	count   int // number of kernels
	double  bool
}

var _ mixture.Spaces = (*componentSpaces)(nil)

// active is the number of kernels of some component.
func (s *componentSpaces) active() int {
	seen := map[int]bool{}
	for _, k := range s.kernels {
		seen[k] = true
	}
	return len(seen)
}

// Rebuild implements mixture.Spaces.
func (s *componentSpaces) Rebuild(ctx context.Context, w, f []float64) error {
	if err := s.gradients.Rebuild(ctx, w, s.double); err != nil {
		return err
	}
	return s.read(ctx, f)
}

// Move implements mixture.Spaces.
func (s *componentSpaces) Move(ctx context.Context, rows []int, delta, w, f []float64) error {
	set := make([]int, 0, len(delta))
	for c := range s.kernels {
		for _, i := range rows {
			set = append(set, c*s.n+i)
		}
	}
	combined, theta := make([]float64, len(w)), make([]float64, s.count)
	if err := s.Pass(ctx, set, delta, w, theta, combined, make([]float64, s.count)); err != nil {
		return err
	}
	return s.read(ctx, f)
}

// read writes K_c w_c of every component to f.
func (s *componentSpaces) read(ctx context.Context, f []float64) error {
	row, factor, set := make([]int32, s.count), make([]float64, s.count), make([]int, s.n)
	for k := range row {
		row[k], factor[k] = -1, 1
	}
	for c, k := range s.kernels {
		for i := range set {
			set[i] = c*s.n + i
		}
		row[k] = 0
		if err := s.Mix(ctx, set, row, factor, f[c*s.n:(c+1)*s.n]); err != nil {
			return err
		}
		row[k] = -1
	}
	return nil
}

// Block implements mixture.Spaces.
func (s *componentSpaces) Block(ctx context.Context, kernel int, rows []int, h []float64) error {
	theta := make([]float64, s.count)
	theta[kernel] = 1
	return s.Hessian(ctx, rows, theta, nil, h)
}
