package model

import (
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
)

// LandmarkKernel expands the specification of a kernel of features. One that is none is of class
// fail.Corrupt.
func (e *Expansion) LandmarkKernel(l *Landmarks) (*kernelspec.Bank, error) {
	c, next := e.context, 0
	c.Regions, c.Gated, c.Limit, c.Memory = 0, false, 2, withoutVectors+16*int64(max(0, e.features))
	c.Median = func([]int32, kernelspec.Kind) (float64, error) {
		if next == len(l.Medians) {
			return 0, fail.New(fail.Corrupt, "the kernel of the gates needs more than %d distances", next)
		}
		next++
		return l.Medians[next-1], nil
	}
	c.Mean = c.Median
	c.Nearest = func([]int32) (float64, error) { return c.Median(nil, kernelspec.Gauss) }
	b, err := kernelspec.Expand([]string{l.Spec}, c)
	if err == nil {
		err = b.CheckLandmarks(l.Spec)
	}
	if err == nil && next != len(l.Medians) {
		err = fail.New(fail.Corrupt, "the kernel of the gates needs %d distances of %d", next, len(l.Medians))
	}
	if err != nil {
		return nil, corrupt(err)
	}
	return b, nil
}

// GateOfEach returns the gate of each kernel, 0-based. There must be gates. Its errors are the
// errors of Bank with so many bytes.
func (e *Expansion) GateOfEach(memory int64) ([]int32, error) {
	g, of := e.family.Gates(), make([]int32, e.kernels)
	if g.Learned() {
		b, err := e.Bank(memory)
		if err != nil {
			return nil, err
		}
		return b.Gates, nil
	}
	count := g.Count(e.kernels)
	for k := range of {
		of[k] = int32(k / max(1, e.kernels/count))
	}
	return of, nil
}

// GatingFeatures returns the features that the gates look at, 0-based, or nil for all, for principal
// components and for landmarks. A text that contradicts the model's views and features is of class
// fail.Corrupt.
func (e *Expansion) GatingFeatures(g *Gates) ([]int32, error) {
	if g.On == "" || strings.HasPrefix(g.On, pcaPrefix) || g.Landmarks != nil {
		return nil, nil
	}
	// A short text may represent any number of features: the features that have a mean confirm
	// it.
	index, err := kernelspec.FeaturesOf(g.On, kernelspec.Context{
		Features: e.features, Views: e.context.Views, Memory: 1<<16 + 16*int64(len(g.Mean)),
	})
	if err != nil {
		return nil, fail.New(fail.Corrupt, "gates: %w", err)
	}
	return index, nil
}
