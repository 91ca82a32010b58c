package train

import (
	"bigmkl/dataset"
	"bigmkl/internal/gating"
	"bigmkl/internal/kernelspec"
	"bigmkl/kernels"
)

// descentVectors is the number of vectors of parameters that a descent and its checkpoint have.
const descentVectors = 64

// gateSizes counts what gates take in memory, also before the rows are read.
type gateSizes struct {
	spec    gating.Spec
	threads int
	store   *dataset.Store // nil before the rows are read
}

// bytes returns what the gates of so many points, kernels and classifiers take in memory.
func (s gateSizes) bytes(n, d, kernels, classifiers int) int64 {
	g := &s.spec
	if g.Kind == gating.KindFixed {
		return 8 * int64(n) * int64(kernels)
	}
	landmarks := int64(0)
	if _, count, _, _ := kernelspec.CutLandmarks(g.On); count > 0 {
		landmarks = s.landmarks(n, d, count)
		d = count
	}
	if g.Learned() {
		// The starts have a region for each gate at most, and the descent a score of vectors.
		return landmarks + 8*int64(n)*int64(kernels) + gating.Bytes(n, d, kernels) +
			8*(descentVectors+int64(classifiers))*int64(kernels)*int64(d+1)
	}
	return landmarks + 8*int64(n)*int64(g.Regions) + gating.Bytes(n, d, g.Regions)
}

// landmarks bounds what so many landmarks of n points of d features take in memory.
func (s gateSizes) landmarks(n, d, count int) int64 {
	nonzeros := int64(count) * int64(d)
	if s.store != nil && s.store.Sparse() {
		nonzeros = kernels.Widest(s.store, count)
	}
	return 4*int64(n)*int64(count) + kernels.LandmarkBytes(count, d, nonzeros, max(1, s.threads)) +
		16*nonzeros + 32*int64(count)
}
