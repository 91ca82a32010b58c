package train

import (
	"slices"

	"bigmkl/internal/budget"
	"bigmkl/internal/mixture"
	"bigmkl/internal/model"
)

// What mixtures take is counted before their rows and kernels are known as well as after that.

// effort is what the components take on so many points. Where none are named every kernel is one of
// both classes.
func (x *Mixture) effort(points, kernels int) budget.Effort {
	n := len(x.Components[0]) + len(x.Components[1])
	if n == 0 {
		n = 2 * min(kernels, model.MostComponents)
	}
	return budget.Effort{Classifiers: n, Points: int64(n) * int64(points), Time: 1}
}

// mixtureBytes is what a solver of mixtures takes beside the gradients: w, f and the diagonals, twice
// for the best start and for posteriors, q and l, and the matrices of a chunk.
func (o *Options) mixtureBytes(points, _, kernels int) int64 {
	k := int64(o.Mixture.effort(points, kernels).Classifiers)
	width := max(len(o.Mixture.Components[0]), len(o.Mixture.Components[1]))
	if width == 0 {
		width = min(kernels, model.MostComponents)
	}
	bytes := int64(points)*8*(8*k+16) + mixture.ChunkBytes(points, width)
	if o.Solver.Method == MethodSMO {
		used := map[int]bool{}
		for _, k := range slices.Concat(o.Mixture.Components[0], o.Mixture.Components[1]) {
			used[k] = true
		}
		count := len(used)
		if count == 0 {
			count = kernels
		}
		bytes += mixture.SequentialBytes(points, count, width)
	}
	return bytes
}
